#include "views/document/keep_in_view.h"

#include <QAbstractItemView>
#include <QResizeEvent>

namespace loopglass::views {
namespace {

class Keeper : public QObject {
 public:
  explicit Keeper(QAbstractItemView* rows) : QObject(rows), rows_(rows) {
    rows->viewport()->installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Resize) {
      const QRect row = rows_->visualRect(rows_->currentIndex());
      const QSize before = static_cast<QResizeEvent*>(event)->oldSize();
      // Later: the rows are still to hear of their new room.
      if (row.isValid() && row.intersects(QRect(QPoint(), before)))
        QMetaObject::invokeMethod(
            this, [this] { rows_->scrollTo(rows_->currentIndex()); }, Qt::QueuedConnection);
    }
    return QObject::eventFilter(watched, event);
  }

 private:
  QAbstractItemView* rows_;
};

}  // namespace

void keep_current_in_view(QAbstractItemView* rows) { new Keeper(rows); }

}  // namespace loopglass::views
