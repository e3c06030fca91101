#include "views/widgets/text_size.h"

#include "views/theme.h"

#include <QHeaderView>
#include <QTableView>

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

}  // namespace loopglass::views
