#include "views/widgets/keep_in_view.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QItemSelectionModel>
#include <QScrollBar>

namespace loopglass::views {
namespace {

class CurrentRowKeeper : public QObject {
 public:
  explicit CurrentRowKeeper(QAbstractItemView* rows) : QObject(rows), rows_(rows) {
    rows->viewport()->installEventFilter(this);
    connect(rows->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this] { keeps_ = true; });
    // Of a person, before the rows have moved.
    connect(rows->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] {
      QMetaObject::invokeMethod(
          this, [this] { keeps_ = is_in_view(); }, Qt::QueuedConnection);
    });
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    // Later: the rows are still to hear of their new room.
    if (event->type() == QEvent::Resize && keeps_)
      QMetaObject::invokeMethod(
          this, [this] { rows_->scrollTo(rows_->currentIndex()); }, Qt::QueuedConnection);
    return QObject::eventFilter(watched, event);
  }

 private:
  bool is_in_view() const {
    return rows_->viewport()->rect().intersects(rows_->visualRect(rows_->currentIndex()));
  }

  QAbstractItemView* rows_;
  bool keeps_ = true;
};

}  // namespace

void keep_current_in_view(QAbstractItemView* rows) { new CurrentRowKeeper(rows); }

}  // namespace loopglass::views
