#include "views/fusion/tables.h"

#include "views/widgets/hand_columns.h"
#include "views/widgets/keep_in_view.h"
#include "views/widgets/text_size.h"

#include <QStyle>
#include <QStyleOptionViewItem>

#include <algorithm>

namespace loopglass::views {
namespace {

constexpr int most_rows = 500;  // that are measured
constexpr int beside_text = 14;

// What a colour or a sign before the text takes.
int decoration_width(const QTableView& table, int column) {
  if (table.model()->rowCount() == 0) return 0;
  QStyleOptionViewItem option;
  option.initFrom(&table);
  return table.model()->index(0, column).data(Qt::DecorationRole).isValid()
             ? table.style()->pixelMetric(QStyle::PM_SmallIconSize, &option, &table) + beside_text
             : 0;
}

int text_width(const QTableView& table, int column) {
  const QFontMetrics metrics = table.fontMetrics();
  int width = 0;
  for (int row = 0; row < std::min(table.model()->rowCount(), most_rows); ++row)
    width = std::max(
        width, metrics.horizontalAdvance(table.model()->index(row, column).data().toString()));
  return width + decoration_width(table, column) + beside_text;
}

}  // namespace

void dress_table(QTableView* table) {
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSortingEnabled(true);
  table->setShowGrid(false);
  table->setWordWrap(false);
  table->setTabKeyNavigation(false);
  table->verticalHeader()->hide();
  fit_rows_to_text(table, 6);
  table->horizontalHeader()->setStretchLastSection(true);
  table->horizontalHeader()->setHighlightSections(false);
  keep_current_in_view(table);  // what is said of a row stands below the table
}

void fit_columns(QTableView* table, std::initializer_list<int> names,
                 std::initializer_list<int> words) {
  constexpr int least = 120, widest_word = 260;
  const int widest_name = std::max(least, table->viewport()->width() / 5);
  const auto fit = [&](int column, int widest) {
    if (!is_by_hand(*table->horizontalHeader(), column))
      table->setColumnWidth(column, std::clamp(text_width(*table, column), least, widest));
  };
  for (const int column : names) fit(column, widest_name);
  for (const int column : words) fit(column, widest_word);
  // Numbers, and what has a few words to choose from; the last takes what is left.
  for (int column = 0; column + 1 < table->model()->columnCount(); ++column)
    if (std::ranges::find(names, column) == names.end() &&
        std::ranges::find(words, column) == words.end())
      fit_column(table, column);
}

void fit_column(QTableView* table, int column) {
  if (is_by_hand(*table->horizontalHeader(), column)) return;
  table->setColumnWidth(column, std::max(text_width(*table, column),
                                         table->horizontalHeader()->sectionSizeHint(column)));
}

QModelIndex chosen_row(const QTableView& table) {
  const QModelIndex current = table.currentIndex();
  const bool chosen =
      current.isValid() && table.selectionModel()->isRowSelected(current.row(), current.parent());
  return chosen ? current : QModelIndex();
}

}  // namespace loopglass::views
