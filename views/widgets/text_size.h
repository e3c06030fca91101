// Widgets that keep up with the size of text.
#pragma once

#include <vector>

class QTableView;
class QWidget;

namespace loopglass::views {

// In fixed width, now and whenever theme or size change.
void use_code_font(QWidget* widget);
// Rows as high as a line of text and so many pixels.
void fit_rows_to_text(QTableView* table, int padding);
// The first columns as wide as so many letters, and as what heads them.
void fit_columns_to_text(QTableView* table, const std::vector<int>& letters);

}  // namespace loopglass::views
