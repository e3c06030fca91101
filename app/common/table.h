// Tables as all commands print them: columns as wide as what stands in them, two blanks apart,
// numbers to the right. On a terminal that is too narrow, long names lose their middle; a pipe gets
// them whole.
#pragma once

#include "app/common/terminal.h"

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace loopglass::app {

struct Column {
  enum class Align { Left, Right };

  std::string title;
  Align align = Align::Left;
  bool shortens = false;  // on a terminal

  // Of names, which may be long; of numbers; of words.
  static Column name(std::string title) { return {std::move(title), Align::Left, true}; }
  static Column number(std::string title) { return {std::move(title), Align::Right}; }
  static Column word(std::string title) { return {std::move(title)}; }
};

struct Cell {
  Cell(std::string words, Style look = Style::Plain) : text(std::move(words)), style(look) {}
  Cell(std::string_view words, Style look = Style::Plain) : Cell(std::string(words), look) {}
  Cell(const char* words, Style look = Style::Plain) : Cell(std::string(words), look) {}
  Cell(std::integral auto number, Style look = Style::Plain)
      : Cell(fmt::format("{}", number), look) {}

  std::string text;
  Style style;
};

class Table {
 public:
  // `indent`: blanks before each line.
  explicit Table(std::vector<Column> columns, std::size_t indent = 0);

  // As many cells as there are columns, or the first of them.
  void add(std::vector<Cell> cells);
  // A line below the row that was added last, as it is.
  void add_line(Cell line);

  bool empty() const { return rows_.empty(); }
  // On standard output, with a line of titles if any column has one.
  void print() const;

 private:
  struct Row {
    std::vector<Cell> cells;
    bool is_line = false;
  };

  std::vector<std::size_t> widths() const;
  void print_row(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::size_t indent_;
  std::vector<Row> rows_;
};

// Columns of a terminal that printable text takes.
std::size_t columns_of(std::string_view text);
// The text in so many columns of a terminal: its two ends around "…" where it is longer.
std::string shortened(const std::string& text, std::size_t columns);

}  // namespace loopglass::app
