#include "views/widgets/text_size.h"

#include "views/theme.h"

#include <QHeaderView>
#include <QTableView>

#include <algorithm>

namespace loopglass::views {

void use_code_font(QWidget* widget) {
  const auto take = [widget] { widget->setFont(theme().code_font()); };
  QObject::connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, widget, take);
  take();
}

void fit_rows_to_text(QTableView* table, int padding) {
  const auto take = [table, padding] {
    table->verticalHeader()->setDefaultSectionSize(QFontMetrics(theme().text_font()).height() +
                                                   padding);
  };
  QObject::connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, table, take);
  take();
}

void fit_columns_to_text(QTableView* table, const std::vector<int>& letters) {
  const auto take = [table, letters] {
    const QFontMetrics metrics(theme().text_font());
    const int letter = metrics.averageCharWidth();
    for (int column = 0; column < std::ssize(letters); ++column) {
      const QString head = table->model()->headerData(column, Qt::Horizontal).toString();
      table->horizontalHeader()->resizeSection(
          column, std::max(letters[static_cast<std::size_t>(column)] * letter,
                           metrics.horizontalAdvance(head) + 4 * letter));
    }
  };
  QObject::connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, table, take);
  take();
}

}  // namespace loopglass::views
