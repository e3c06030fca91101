#include "app/window/layout_keeper.h"

#include "views/widgets/hand_columns.h"

#include <QDockWidget>
#include <QEvent>
#include <QHeaderView>
#include <QSettings>

namespace loopglass::app {
namespace {

constexpr int keep_after_ms = 800;  // when nothing has moved for so long

// Of tables that have a name.
QList<QHeaderView*> named_headers(const QWidget& window) {
  QList<QHeaderView*> headers;
  for (QHeaderView* header : window.findChildren<QHeaderView*>())
    if (header->orientation() == Qt::Horizontal && !header->parent()->objectName().isEmpty())
      headers << header;
  return headers;
}

QString columns_key(const QHeaderView& header) {
  return "columns/" + header.parent()->objectName();
}

}  // namespace

LayoutKeeper::LayoutKeeper(QMainWindow* window, const Panes& panes, Workspaces* workspaces,
                           QSettings* settings)
    : QObject(window),
      window_(window),
      workspaces_(workspaces),
      settings_(settings),
      splits_(new KeptSplits(panes, *settings, this)),
      fields_(new KeptFields(window, *settings, this)),
      sorting_(new KeptSorting(window, *settings, this)) {
  timer_.setSingleShot(true);
  timer_.setInterval(keep_after_ms);
  connect(&timer_, &QTimer::timeout, this, &LayoutKeeper::keep);
  connect(workspaces, &Workspaces::changed, &timer_, qOverload<>(&QTimer::start));
  connect(splits_, &KeptSplits::moved, &timer_, qOverload<>(&QTimer::start));
  connect(fields_, &KeptFields::changed, &timer_, qOverload<>(&QTimer::start));
  connect(sorting_, &KeptSorting::changed, &timer_, qOverload<>(&QTimer::start));
  window->installEventFilter(this);
  for (const Pane& pane : panes.all()) {
    pane.dock->installEventFilter(this);
    // Of tabs: the one that is in front.
    connect(pane.dock, &QDockWidget::visibilityChanged, &timer_, qOverload<>(&QTimer::start));
  }
  for (QHeaderView* header : named_headers(*window)) {
    views::set_hand_widths(*header, settings->value(columns_key(*header)).toList());
    views::watch_columns(*header);
    connect(header, &QHeaderView::sectionResized, &timer_, qOverload<>(&QTimer::start));
  }
}

void LayoutKeeper::keep() {
  timer_.stop();
  workspaces_->save();
  splits_->save(settings_);
  fields_->save(settings_);
  sorting_->save(settings_);
  settings_->setValue("geometry", window_->saveGeometry());
  for (const QHeaderView* header : named_headers(*window_))
    settings_->setValue(columns_key(*header), views::hand_widths(*header));
}

bool LayoutKeeper::eventFilter(QObject* watched, QEvent* event) {
  switch (event->type()) {
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::Hide:
    case QEvent::WindowStateChange: timer_.start(); break;
    default: break;
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace loopglass::app
