// How the tables of the fusion pane look, and when a row of one is chosen.
#pragma once

#include <QHeaderView>
#include <QTableView>

namespace loopglass::views {

void dress_table(QTableView* table);

// As wide as their texts and titles, the columns of names no wider than leaves room for others.
void fit_columns(QTableView* table, std::initializer_list<int> names,
                 std::initializer_list<int> words);

// As wide as its texts and its title need, unless somebody has dragged it.
void fit_column(QTableView* table, int column);

// The current row where it is selected as well, which it is not when one merely comes to the table
// with the Tab key.
QModelIndex chosen_row(const QTableView& table);

template <class Follow>
void on_row_chosen(const QTableView* table, QObject* context, const Follow& follow) {
  const QItemSelectionModel* rows = table->selectionModel();
  QObject::connect(rows, &QItemSelectionModel::currentRowChanged, context, [follow] { follow(); });
  QObject::connect(rows, &QItemSelectionModel::selectionChanged, context, [follow] { follow(); });
}

}  // namespace loopglass::views
