#include "app/window/layout_keeper.h"

#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QHeaderView>
#include <QSettings>

#include <algorithm>

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

QVariantList widths_of(const QHeaderView& header) {
  QVariantList widths;
  for (int column = 0; column < header.count(); ++column) widths << header.sectionSize(column);
  return widths;
}

void set_widths(QHeaderView& header, const QVariantList& widths) {
  for (int column = 0; column < std::min(header.count(), static_cast<int>(widths.size())); ++column)
    if (const int width = widths[column].toInt(); width >= header.minimumSectionSize())
      header.resizeSection(column, width);
}

}  // namespace

LayoutKeeper::LayoutKeeper(QMainWindow* window, const Panes& panes, Workspaces* workspaces,
                           QSettings* settings)
    : QObject(window), window_(window), workspaces_(workspaces), settings_(settings) {
  timer_.setSingleShot(true);
  timer_.setInterval(keep_after_ms);
  connect(&timer_, &QTimer::timeout, this, &LayoutKeeper::keep);
  connect(workspaces, &Workspaces::changed, &timer_, qOverload<>(&QTimer::start));
  window->installEventFilter(this);
  for (const Pane& pane : panes.all()) {
    pane.dock->installEventFilter(this);
    // Of tabs: the one that is in front.
    connect(pane.dock, &QDockWidget::visibilityChanged, &timer_, qOverload<>(&QTimer::start));
  }
  for (QHeaderView* header : named_headers(*window)) {
    set_widths(*header, settings->value(columns_key(*header)).toList());
    // By the hand that holds the edge; else a table has made room for what it shows.
    connect(header, &QHeaderView::sectionResized, this, [this, header] {
      if (!(QApplication::mouseButtons() & Qt::LeftButton)) return;
      settings_->setValue(columns_key(*header), widths_of(*header));
    });
  }
}

void LayoutKeeper::keep() {
  timer_.stop();
  workspaces_->save();
  settings_->setValue("geometry", window_->saveGeometry());
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
