#include "app/window/dock_shares.h"

#include <QDockWidget>
#include <QEvent>
#include <QMainWindow>
#include <QTabBar>

#include <algorithm>

namespace loopglass::app {

DockShares::DockShares(QMainWindow* window, const Panes* panes)
    : QObject(window), window_(window), panes_(panes) {
  for (QTimer* timer : {&apply_, &note_}) {
    timer->setSingleShot(true);
    timer->setInterval(0);  // after the window's own layout
  }
  connect(&apply_, &QTimer::timeout, this, &DockShares::apply);
  connect(&note_, &QTimer::timeout, this, &DockShares::note);
  window->installEventFilter(this);
  for (const Pane& pane : panes->all()) {
    pane.dock->installEventFilter(this);
    connect(pane.dock, &QDockWidget::topLevelChanged, this, &DockShares::forget);
    connect(pane.dock, &QDockWidget::dockLocationChanged, this, &DockShares::forget);
  }
}

QList<QDockWidget*> DockShares::shown() const {
  QList<QDockWidget*> docks;
  for (const Pane& pane : panes_->all()) {
    // Those behind other tabs lie outside the window; while panes are laid out some have no place.
    const bool is_inside = window_->rect().intersects(pane.dock->geometry());
    const bool has_place = window_->dockWidgetArea(pane.dock) != Qt::NoDockWidgetArea;
    if (pane.dock->isVisible() && !pane.dock->isFloating() && is_inside && has_place)
      docks << pane.dock;
  }
  return docks;
}

// What a window is given that is being made larger or smaller is not what anybody wants.
void DockShares::note() {
  if (apply_.isActive()) return;
  const QVariantMap shares = this->shares();
  for (QDockWidget* dock : shown()) wanted_[dock] = shares[dock->objectName()].toSizeF();
}

void DockShares::forget() {
  wanted_.clear();
  note_.start();
}

QVariantMap DockShares::shares() const {
  QVariantMap shares;
  for (QDockWidget* dock : shown()) {
    const QSizeF now(double(dock->width()) / window_->width(),
                     double(dock->height()) / window_->height());
    shares[dock->objectName()] = wanted_.value(dock, now);
  }
  return shares;
}

void DockShares::set_shares(const QVariantMap& shares) {
  wanted_.clear();
  for (const Pane& pane : panes_->all())
    if (const QVariant share = shares.value(pane.dock->objectName()); share.isValid())
      wanted_[pane.dock] = share.toSizeF();
  if (!wanted_.isEmpty()) apply_.start();
}

// Panes beside the middle have the height that those below it leave, and only share it among them:
// what one alone asks for would be weighed against those below.
void DockShares::apply() {
  QList<QDockWidget*> beside, below;
  for (QDockWidget* dock : shown()) {
    if (!wanted_.contains(dock)) continue;
    const Qt::DockWidgetArea area = window_->dockWidgetArea(dock);
    (area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea ? beside : below) << dock;
  }
  const auto sharing = [](const QList<QDockWidget*>& docks, Qt::Orientation orientation) {
    QList<QDockWidget*> sharing;
    for (QDockWidget* dock : docks)
      if (std::ranges::any_of(docks, [&](const QDockWidget* other) {
            const QRect one = dock->geometry(), two = other->geometry();
            return other != dock && (orientation == Qt::Vertical
                                         ? one.left() <= two.right() && two.left() <= one.right()
                                         : one.top() <= two.bottom() && two.top() <= one.bottom());
          }))
        sharing << dock;
    return sharing;
  };
  resize(sharing(below, Qt::Horizontal) + beside, Qt::Horizontal);
  resize(sharing(beside, Qt::Vertical) + below, Qt::Vertical);
}

void DockShares::resize(const QList<QDockWidget*>& docks, Qt::Orientation orientation) {
  const auto size_of = [&](const auto& of) {
    return orientation == Qt::Horizontal ? of.width() : of.height();
  };
  QList<int> sizes;
  bool differ = false;
  for (QDockWidget* dock : docks) {
    sizes << std::max(1, qRound(size_of(wanted_.value(dock)) * size_of(*window_)));
    differ = differ || sizes.back() != size_of(*dock);
    if (orientation == Qt::Vertical) sizes.back() += height_of_tabs(*dock);
  }
  if (differ) window_->resizeDocks(docks, sizes, orientation);
}

// Above it, which take their bar from what the pane is given.
int DockShares::height_of_tabs(const QDockWidget& dock) const {
  for (const QTabBar* bar :
       window_->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    const QRect tabs = bar->geometry(), pane = dock.geometry();
    constexpr int near = 4;
    if (bar->isVisible() && tabs.left() <= pane.right() && pane.left() <= tabs.right() &&
        std::abs(pane.top() - tabs.bottom()) <= near)
      return tabs.height();
  }
  return 0;
}

bool DockShares::eventFilter(QObject* watched, QEvent* event) {
  if (watched != window_) {
    if (event->type() == QEvent::Resize) note_.start();
  } else if (event->type() == QEvent::Resize && window_->isVisible()) {
    apply_.start();
  } else if (event->type() == QEvent::MouseButtonRelease) {
    forget();  // only the lines between panes are the window's own
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace loopglass::app
