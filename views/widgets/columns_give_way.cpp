#include "views/widgets/columns_give_way.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableView>

#include <algorithm>
#include <utility>

namespace loopglass::views {
namespace {

class Fitting : public QObject {
 public:
  Fitting(QTableView* table, std::vector<int> columns)
      : QObject(table), table_(table), columns_(std::move(columns)) {
    table->viewport()->installEventFilter(this);
    connect(table->model(), &QAbstractItemModel::modelReset, this, &Fitting::fit);
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange) fit();
    return QObject::eventFilter(watched, event);
  }

 private:
  int width_of(int column) const {
    const auto* header = table_->horizontalHeader();
    const bool is_hidden = table_->isColumnHidden(column);
    table_->setColumnHidden(column, false);  // what is hidden has no width
    const int width =
        std::max({static_cast<const QAbstractItemView*>(table_)->sizeHintForColumn(column),
                  header->sectionSizeHint(column), header->minimumSectionSize()});
    table_->setColumnHidden(column, is_hidden);
    return width;
  }

  void fit() {
    if (std::exchange(fitting_, true)) return;
    int wanted = 0;
    for (int column = 0; column < table_->model()->columnCount(); ++column)
      wanted += width_of(column);
    for (const int column : columns_) {
      const bool goes = wanted > table_->viewport()->width();
      if (goes) wanted -= width_of(column);
      table_->setColumnHidden(column, goes);
    }
    fitting_ = false;
  }

  QTableView* table_;
  std::vector<int> columns_;
  bool fitting_ = false;
};

}  // namespace

void let_columns_give_way(QTableView* table, std::vector<int> columns) {
  new Fitting(table, std::move(columns));
}

}  // namespace loopglass::views
