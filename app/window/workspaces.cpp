#include "app/window/workspaces.h"

#include "app/window/pane_homes.h"
#include "views/dominators/dominator_view.h"
#include "views/loops/loop_view.h"

#include <QCoreApplication>
#include <QSettings>

#include <algorithm>

namespace loopglass::app {
namespace {

// Raised whenever panes change so that older saved states no longer fit.
constexpr int state_version = 6;

QString state_key(const QString& workspace) { return "workspaces/" + workspace; }
QString shares_key(const QString& workspace) { return "shares/" + workspace; }
QString tree_key(const QString& workspace) { return "trees/" + workspace; }

void show_in(QMainWindow& window, const Panes& panes, Qt::DockWidgetArea area, PaneId id) {
  window.addDockWidget(area, panes.dock(id));
  panes.dock(id)->show();
}
void split(QMainWindow& window, const Panes& panes, PaneId first, PaneId second,
           Qt::Orientation orientation) {
  window.splitDockWidget(panes.dock(first), panes.dock(second), orientation);
  panes.dock(second)->show();
}
void tab(QMainWindow& window, const Panes& panes, PaneId first, PaneId second) {
  window.tabifyDockWidget(panes.dock(first), panes.dock(second));
  panes.dock(second)->show();
  panes.dock(first)->raise();
}
void resize(QMainWindow& window, const Panes& panes,
            std::initializer_list<std::pair<PaneId, double>> shares, Qt::Orientation orientation) {
  const int whole = orientation == Qt::Horizontal ? window.width() : window.height();
  QList<QDockWidget*> docks;
  QList<int> sizes;
  for (const auto& [id, share] : shares) {
    docks.append(panes.dock(id));
    sizes.append(static_cast<int>(whole * share));
  }
  window.resizeDocks(docks, sizes, orientation);
}
// Where what a workspace is about wants room before the graph does.
bool is_low(const QMainWindow& window) {
  constexpr int low = 800;
  return window.height() < low;
}

void arrange_explore(QMainWindow& window, const Panes& panes) {
  show_in(window, panes, Qt::LeftDockWidgetArea, PaneId::Timeline);
  split(window, panes, PaneId::Timeline, PaneId::Dominators, Qt::Vertical);
  tab(window, panes, PaneId::Timeline, PaneId::Pipeline);
  tab(window, panes, PaneId::Dominators, PaneId::Fusion);
  show_in(window, panes, Qt::RightDockWidgetArea, PaneId::Inspector);
  split(window, panes, PaneId::Inspector, PaneId::Loops, Qt::Vertical);
  resize(window, panes, {{PaneId::Timeline, 0.25}, {PaneId::Inspector, 0.29}}, Qt::Horizontal);
  resize(window, panes, {{PaneId::Timeline, 0.42}, {PaneId::Dominators, 0.48}}, Qt::Vertical);
  resize(window, panes, {{PaneId::Inspector, 0.46}, {PaneId::Loops, 0.46}}, Qt::Vertical);
}

void arrange_passes(QMainWindow& window, const Panes& panes) {
  show_in(window, panes, Qt::LeftDockWidgetArea, PaneId::Timeline);
  split(window, panes, PaneId::Timeline, PaneId::Breakpoints, Qt::Vertical);
  tab(window, panes, PaneId::Timeline, PaneId::Pipeline);
  show_in(window, panes, Qt::RightDockWidgetArea, PaneId::Inspector);
  split(window, panes, PaneId::Inspector, PaneId::Difference, Qt::Vertical);
  tab(window, panes, PaneId::Difference, PaneId::Lens);
  resize(window, panes, {{PaneId::Timeline, 0.27}, {PaneId::Inspector, 0.29}}, Qt::Horizontal);
  resize(window, panes, {{PaneId::Timeline, 0.55}, {PaneId::Breakpoints, 0.37}}, Qt::Vertical);
  resize(window, panes, {{PaneId::Inspector, 0.5}, {PaneId::Difference, 0.42}}, Qt::Vertical);
}

void arrange_values(QMainWindow& window, const Panes& panes) {
  show_in(window, panes, Qt::LeftDockWidgetArea, PaneId::Timeline);
  show_in(window, panes, Qt::RightDockWidgetArea, PaneId::Lens);
  show_in(window, panes, Qt::BottomDockWidgetArea, PaneId::Bisect);
  split(window, panes, PaneId::Bisect, PaneId::Compare, Qt::Horizontal);
  resize(window, panes, {{PaneId::Timeline, 0.27}, {PaneId::Lens, 0.31}}, Qt::Horizontal);
  resize(window, panes, {{PaneId::Bisect, 0.5}, {PaneId::Compare, 0.5}}, Qt::Horizontal);
  resize(window, panes, {{PaneId::Bisect, is_low(window) ? 0.5 : 0.38}}, Qt::Vertical);
}

void arrange_fusion(QMainWindow& window, const Panes& panes) {
  show_in(window, panes, Qt::BottomDockWidgetArea, PaneId::Fusion);
  show_in(window, panes, Qt::LeftDockWidgetArea, PaneId::Dominators);
  show_in(window, panes, Qt::RightDockWidgetArea, PaneId::Inspector);
  resize(window, panes, {{PaneId::Dominators, 0.22}, {PaneId::Inspector, 0.27}}, Qt::Horizontal);
  resize(window, panes, {{PaneId::Fusion, is_low(window) ? 0.55 : 0.42}}, Qt::Vertical);
}

void arrange_lowering(QMainWindow& window, const Panes& panes) {
  show_in(window, panes, Qt::BottomDockWidgetArea, PaneId::Loops);
  split(window, panes, PaneId::Loops, PaneId::Llvm, Qt::Horizontal);
  split(window, panes, PaneId::Llvm, PaneId::Assembly, Qt::Horizontal);
  show_in(window, panes, Qt::RightDockWidgetArea, PaneId::Inspector);
  resize(window, panes, {{PaneId::Inspector, 0.27}}, Qt::Horizontal);
  resize(window, panes, {{PaneId::Loops, 0.34}, {PaneId::Llvm, 0.33}, {PaneId::Assembly, 0.33}},
         Qt::Horizontal);
  resize(window, panes, {{PaneId::Loops, 0.55}}, Qt::Vertical);
}

void arrange_schedule(QMainWindow& window, const Panes& panes) {
  show_in(window, panes, Qt::BottomDockWidgetArea, PaneId::Loops);
  split(window, panes, PaneId::Loops, PaneId::Assembly, Qt::Horizontal);
  tab(window, panes, PaneId::Assembly, PaneId::Iterations);
  resize(window, panes, {{PaneId::Loops, 0.66}, {PaneId::Assembly, 0.34}}, Qt::Horizontal);
  resize(window, panes, {{PaneId::Loops, is_low(window) ? 0.65 : 0.6}}, Qt::Vertical);
}

void arrange_tuning(QMainWindow& window, const Panes& panes) {
  show_in(window, panes, Qt::BottomDockWidgetArea, PaneId::Tuning);
  show_in(window, panes, Qt::RightDockWidgetArea, PaneId::Loops);
  tab(window, panes, PaneId::Loops, PaneId::Assembly);
  resize(window, panes, {{PaneId::Loops, 0.4}}, Qt::Horizontal);
  resize(window, panes, {{PaneId::Tuning, 0.5}}, Qt::Vertical);
}

void arrange_benchmark(QMainWindow& window, const Panes& panes) {
  show_in(window, panes, Qt::BottomDockWidgetArea, PaneId::Benchmark);
  tab(window, panes, PaneId::Benchmark, PaneId::Roofline);
  tab(window, panes, PaneId::Benchmark, PaneId::Icicle);
  show_in(window, panes, Qt::RightDockWidgetArea, PaneId::Inspector);
  resize(window, panes, {{PaneId::Inspector, 0.27}}, Qt::Horizontal);
  resize(window, panes, {{PaneId::Benchmark, 0.48}}, Qt::Vertical);
}

void arrange_memory(QMainWindow& window, const Panes& panes) {
  show_in(window, panes, Qt::BottomDockWidgetArea, PaneId::Memory);
  show_in(window, panes, Qt::RightDockWidgetArea, PaneId::Inspector);
  resize(window, panes, {{PaneId::Inspector, 0.27}}, Qt::Horizontal);
  resize(window, panes, {{PaneId::Memory, 0.5}}, Qt::Vertical);
}

void arrange_overview(QMainWindow& window, const Panes& panes) {
  show_in(window, panes, Qt::LeftDockWidgetArea, PaneId::Timeline);
  split(window, panes, PaneId::Timeline, PaneId::Dominators, Qt::Vertical);
  tab(window, panes, PaneId::Dominators, PaneId::Fusion);
  show_in(window, panes, Qt::RightDockWidgetArea, PaneId::Inspector);
  show_in(window, panes, Qt::BottomDockWidgetArea, PaneId::Loops);
  split(window, panes, PaneId::Loops, PaneId::Llvm, Qt::Horizontal);
  split(window, panes, PaneId::Llvm, PaneId::Assembly, Qt::Horizontal);
  tab(window, panes, PaneId::Assembly, PaneId::Benchmark);
  tab(window, panes, PaneId::Assembly, PaneId::Memory);
  resize(window, panes, {{PaneId::Timeline, 0.23}, {PaneId::Inspector, 0.25}}, Qt::Horizontal);
  resize(window, panes, {{PaneId::Loops, 0.34}, {PaneId::Llvm, 0.33}, {PaneId::Assembly, 0.33}},
         Qt::Horizontal);
  resize(window, panes,
         {{PaneId::Timeline, 0.18}, {PaneId::Dominators, 0.32}, {PaneId::Loops, 0.40}},
         Qt::Vertical);
}

}  // namespace

const std::vector<Workspace>& all_workspaces() {
  const auto text = [](const char* source) {
    return QCoreApplication::translate("Workspaces", source);
  };
  static const std::vector<Workspace> workspaces = {
      {"explore", text("Explore"), text("The graph, its passes, dominators and fusion"),
       arrange_explore},
      {"passes", text("Passes"),
       text("The graph passes under a debugger: steps, breakpoints, differences"), arrange_passes},
      {"values", text("Values"),
       text("What flows through the network, and which rewrite changes it"), arrange_values},
      // Strategies look ahead: to where all that reads a tensor meets again.
      {"fusion", text("Fusion"), text("Which operators share a kernel, why, and what you would do"),
       arrange_fusion, graph::Direction::PostDominators},
      {"lowering", text("Lowering"), text("One kernel from loop nest to machine code"),
       arrange_lowering},
      {"schedule", text("Schedule"),
       text("One kernel's schedule, to be written, with its nest and its assembly"),
       arrange_schedule},
      {"benchmark", text("Benchmark"), text("The network's speed, kernel by kernel"),
       arrange_benchmark},
      {"memory", text("Memory"), text("Where intermediates live, kernel by kernel"),
       arrange_memory},
      {"overview", text("Overview"), text("Every level at once, for large screens"),
       arrange_overview},
      {"tuning", text("Tuning"),
       text("Faster schedules for one kernel: searched for, trial by trial"), arrange_tuning},
  };
  return workspaces;
}

Workspaces::Workspaces(QMainWindow* window, const Panes* panes, QSettings* settings,
                       QObject* parent)
    : QObject(parent),
      window_(window),
      panes_(panes),
      shares_(new DockShares(window, panes)),
      settings_(settings) {
  window->setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  window->setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
}

QString Workspaces::last_used() const {
  return settings_->value("workspace", all_workspaces().front().name).toString();
}

void Workspaces::save() const {
  if (current_.isEmpty()) return;
  settings_->setValue("workspace", current_);
  settings_->setValue(state_key(current_), window_->saveState(state_version));
  if (const QVariantMap shares = shares_->shares(); !shares.isEmpty())  // a hidden window has none
    settings_->setValue(shares_key(current_), shares);
  settings_->setValue(tree_key(current_), static_cast<int>(panes_->dominators()->direction()));
}

void Workspaces::use(const QString& name) {
  save();
  const auto& all = all_workspaces();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Workspace& w) { return w.name == name; });
  const Workspace& workspace = found == all.end() ? all.front() : *found;
  current_ = workspace.name;
  const QByteArray saved = settings_->value(state_key(current_)).toByteArray();
  if (saved.isEmpty() || !window_->restoreState(saved, state_version)) arrange(workspace);
  else shares_->set_shares(settings_->value(shares_key(current_)).toMap());
  const QVariant tree = settings_->value(tree_key(current_), static_cast<int>(workspace.tree));
  panes_->dominators()->set_direction(tree.toInt() == 0 ? graph::Direction::Dominators
                                                        : graph::Direction::PostDominators);
  emit changed();
}

void Workspaces::restore_default() {
  settings_->remove(state_key(current_));
  settings_->remove(shares_key(current_));
  for (const Workspace& workspace : all_workspaces())
    if (workspace.name == current_) {
      arrange(workspace);
      panes_->dominators()->set_direction(workspace.tree);
    }
}

void Workspaces::open_script() {
  // On a low screen the trials would leave it two lines.
  constexpr int lowest = 340;
  constexpr double share_of_trials = 0.36;
  panes_->focus(PaneId::Loops);
  if (panes_->dock(PaneId::Loops)->height() < lowest) {
    window_->resizeDocks({panes_->dock(PaneId::Tuning)},
                         {static_cast<int>(window_->height() * share_of_trials)}, Qt::Vertical);
    shares_->forget();
  }
  panes_->loops()->open_script();
}

void Workspaces::arrange(const Workspace& workspace) {
  for (const Pane& pane : panes_->all()) {
    pane.dock->setFloating(false);
    window_->removeDockWidget(pane.dock);
  }
  workspace.arrange(*window_, *panes_);
  shares_->forget();
  put_away_hidden(*window_, *panes_);
}

}  // namespace loopglass::app
