// Widgets that keep up with the size of text.
#pragma once

class QTableView;
class QWidget;

namespace loopglass::views {

// In fixed width, now and whenever theme or size change.
void use_code_font(QWidget* widget);
// Rows as high as a line of text and so many pixels.
void fit_rows_to_text(QTableView* table, int padding);

}  // namespace loopglass::views
