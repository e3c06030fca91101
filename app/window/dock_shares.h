// Which share of the window each pane has. A window that is made small, and large again, gives the
// panes back what they had: by itself Qt gives all new room to the widget in the middle.
#pragma once

#include "app/window/panes.h"

#include <QHash>
#include <QObject>
#include <QSizeF>
#include <QTimer>
#include <QVariantMap>

namespace loopglass::app {

class DockShares : public QObject {
  Q_OBJECT

 public:
  DockShares(QMainWindow* window, const Panes* panes);

  // By the docks' object names, of the window's width and height: of what is seen now what it has,
  // unless it has less only for want of room.
  QVariantMap shares() const;
  // Lays the panes out by them; those that are not named are left as they are.
  void set_shares(const QVariantMap& shares);
  // Panes have been laid out anew, or moved by hand: what they have now is what they should have.
  void forget();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QList<QDockWidget*> shown() const;  // those that stand in the window's own places
  void note();                        // the shares of what has none yet
  void apply();
  int height_of_tabs(const QDockWidget& dock) const;
  void resize(const QList<QDockWidget*>& docks, Qt::Orientation orientation);

  QMainWindow* window_;
  const Panes* panes_;
  QHash<QDockWidget*, QSizeF> wanted_;
  QTimer apply_, note_;
};

}  // namespace loopglass::app
