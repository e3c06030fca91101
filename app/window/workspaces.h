// Named arrangements of the panes. Each remembers what a person made of it; "restore default" goes
// back to how it came.
#pragma once

#include "app/window/dock_shares.h"
#include "app/window/panes.h"
#include "core/graph/dominators.h"

#include <QObject>
#include <QString>

class QSettings;

namespace loopglass::app {

struct Workspace {
  QString name;   // "explore", as on the command line
  QString title;  // "Explore"
  QString doc;
  void (*arrange)(QMainWindow& window, const Panes& panes);
  graph::Direction tree = graph::Direction::Dominators;  // which of the two is shown at first
};

const std::vector<Workspace>& all_workspaces();

class Workspaces : public QObject {
  Q_OBJECT

 public:
  Workspaces(QMainWindow* window, const Panes* panes, QSettings* settings,
             QObject* parent = nullptr);

  QString current() const { return current_; }
  QString last_used() const;      // of the session before; the first workspace if none
  void use(const QString& name);  // unknown names take the first
  void restore_default();
  // To write the schedule of a trial: the nest's pane, in front, and high enough.
  void open_script();
  void save() const;

 signals:
  void changed();

 private:
  void arrange(const Workspace& workspace);

  QMainWindow* window_;
  const Panes* panes_;
  DockShares* shares_;
  QSettings* settings_;
  QString current_;
};

}  // namespace loopglass::app
