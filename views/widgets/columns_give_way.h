// Columns of a table that go where the pane is too narrow for all of them, so that names are not
// cut for the sake of numbers.
#pragma once

#include <vector>

class QTableView;

namespace loopglass::views {

// `columns` in the order in which they go. All columns are measured by what they show.
void let_columns_give_way(QTableView* table, std::vector<int> columns);

}  // namespace loopglass::views
