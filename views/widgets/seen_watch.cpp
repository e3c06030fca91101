#include "views/widgets/seen_watch.h"

#include <QDockWidget>
#include <QEvent>

#include <utility>

namespace loopglass::views {

namespace {

// Of a page behind another one, or of a dock behind a tab, nothing is within what is around it.
// (QWidget::visibleRegion() leaves out what children cover, too.)
bool is_within_what_is_around(const QWidget* widget) {
  QRect seen = widget->rect();
  for (; !widget->isWindow() && widget->parentWidget(); widget = widget->parentWidget())
    seen = seen.translated(widget->pos()) & widget->parentWidget()->rect();
  return !seen.isEmpty();
}

}  // namespace

SeenWatch::SeenWatch(QWidget* view) : QObject(view), view_(view) {
  timer_.setSingleShot(true);
  timer_.setInterval(0);
  connect(&timer_, &QTimer::timeout, this, &SeenWatch::look);
  view->installEventFilter(this);
}

bool SeenWatch::is_seen() const { return view_->isVisible() && is_within_what_is_around(view_); }

bool SeenWatch::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::Show: find_dock(); [[fallthrough]];
    case QEvent::Hide:
    case QEvent::Move:
    case QEvent::Resize: timer_.start(); break;
    default: break;
  }
  return QObject::eventFilter(watched, event);
}

void SeenWatch::find_dock() {
  QWidget* around = view_;
  while (around && !qobject_cast<QDockWidget*>(around)) around = around->parentWidget();
  auto* dock = qobject_cast<QDockWidget*>(around);
  if (dock_ == dock) return;
  dock_ = dock;
  if (!dock) return;
  dock->installEventFilter(this);
  connect(dock, &QDockWidget::visibilityChanged, &timer_, qOverload<>(&QTimer::start));
}

void SeenWatch::look() {
  const bool seen = is_seen();
  if (std::exchange(was_seen_, seen) != seen) emit changed(seen);
}

}  // namespace loopglass::views
