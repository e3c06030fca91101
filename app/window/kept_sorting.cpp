#include "app/window/kept_sorting.h"

#include <QSettings>
#include <QTableView>

namespace loopglass::app {

KeptSorting::Sorting KeptSorting::sorting_of(const QTableView& table) {
  const QHeaderView& header = *table.horizontalHeader();
  return {header.sortIndicatorSection(), header.sortIndicatorOrder()};
}

KeptSorting::KeptSorting(QWidget* window, const QSettings& settings, QObject* parent)
    : QObject(parent) {
  for (auto* view : window->findChildren<QTableView*>()) {
    if (!view->isSortingEnabled() || view->objectName().isEmpty()) continue;
    const Table table{view, "sorting/" + view->objectName(), sorting_of(*view)};
    tables_.push_back(table);
    // [column, order], where there still is such a column.
    if (const QVariantList kept = settings.value(table.key).toList(); kept.size() == 2)
      if (const int column = kept[0].toInt();
          column >= 0 && column < view->horizontalHeader()->count())
        view->sortByColumn(column, kept[1].toInt() == Qt::DescendingOrder ? Qt::DescendingOrder
                                                                          : Qt::AscendingOrder);
    connect(view->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
            &KeptSorting::changed);
  }
}

void KeptSorting::save(QSettings* settings) const {
  for (const Table& table : tables_) {
    const Sorting now = sorting_of(*table.view);
    if (now == table.initial) settings->remove(table.key);
    else settings->setValue(table.key, QVariantList{now.column, static_cast<int>(now.order)});
  }
}

}  // namespace loopglass::app
