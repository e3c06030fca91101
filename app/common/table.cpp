#include "app/common/table.h"

#include "core/support/check.h"
#include "core/support/printable.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace loopglass::app {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 12;  // that names are shortened to

// A character takes a column.
bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

// Where the character begins that so many stand before.
std::size_t offset_of(std::string_view text, std::size_t character) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (begins_character(text[at]) && character-- == 0) break;
  return at;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string shortened(const std::string& text, std::size_t columns) {
  const std::size_t whole = columns_of(text);
  if (whole <= columns || columns == 0) return text;
  const std::size_t behind = (columns - 1) / 2, before = columns - 1 - behind;
  return text.substr(0, offset_of(text, before)) + "…" +
         text.substr(offset_of(text, whole - behind));
}

Table::Table(std::vector<Column> columns, std::size_t indent)
    : columns_(std::move(columns)), indent_(indent) {}

void Table::add(std::vector<Cell> cells) {
  CHECK(cells.size() <= columns_.size(), "a row has more cells than the table has columns");
  for (Cell& cell : cells) cell.text = printable(cell.text);
  rows_.push_back({std::move(cells)});
}

void Table::add_line(Cell line) { rows_.push_back({{std::move(line)}, true}); }

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(columns_of(column.title));
  for (const Row& row : rows_)
    for (std::size_t i = 0; i < row.cells.size() && !row.is_line; ++i)
      widths[i] = std::max(widths[i], columns_of(row.cells[i].text));
  if (!output_is_terminal()) return widths;
  const auto total = [&] {
    return std::accumulate(widths.begin(), widths.end(), indent_ + gap * (widths.size() - 1));
  };
  for (const std::size_t room = terminal_columns(); total() > room;) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (columns_[i].shortens && widths[i] > narrowest && (!widest || widths[i] > *widest))
        widest = &widths[i];
    if (widest == nullptr) break;
    --*widest;
  }
  return widths;
}

void Table::print_row(const std::vector<Cell>& cells,
                      const std::vector<std::size_t>& widths) const {
  std::size_t blanks = indent_;  // before what comes next; none at the end of a line
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string text =
        columns_[i].shortens ? shortened(cells[i].text, widths[i]) : cells[i].text;
    const std::size_t rest = widths[i] - std::min(widths[i], columns_of(text));
    const bool is_right = columns_[i].align == Column::Align::Right;
    if (is_right) blanks += rest;
    if (!text.empty()) {
      fmt::print("{:{}}", "", std::exchange(blanks, 0));
      const Styled styled(cells[i].style);
      fmt::print("{}", text);
    }
    blanks += gap + (is_right ? 0 : rest);
  }
  fmt::print("\n");
}

void Table::print() const {
  const std::vector<std::size_t> widths = this->widths();
  if (std::ranges::any_of(columns_, [](const Column& each) { return !each.title.empty(); })) {
    std::vector<Cell> titles;
    for (const Column& column : columns_) titles.emplace_back(column.title, Style::Title);
    print_row(titles, widths);
  }
  for (const Row& row : rows_) {
    if (!row.is_line) {
      print_row(row.cells, widths);
      continue;
    }
    {
      const Styled styled(row.cells.front().style);
      fmt::print("{}", row.cells.front().text);
    }
    fmt::print("\n");
  }
}

}  // namespace loopglass::app
