// Every pane of the window: its view, its dock, and how to search in it. The graph stands in the
// middle; all others are docks.
#pragma once

#include "views/document/document.h"

#include <QDockWidget>
#include <QMainWindow>

#include <array>
#include <functional>
#include <vector>

namespace loopglass::views {
class AssemblyView;
class BenchView;
class DominatorView;
class FusionView;
class GraphView;
class IcicleView;
class IterationsView;
class LoopView;
class TuningView;
}  // namespace loopglass::views

namespace loopglass::app {

enum class PaneId : std::uint8_t {
  Timeline,
  Dominators,
  Fusion,
  Inspector,
  Loops,
  Llvm,
  Assembly,
  Benchmark,
  Memory,
  Pipeline,
  Breakpoints,
  Difference,
  Lens,
  Bisect,
  Compare,
  Icicle,
  Iterations,
  Tuning,
  Roofline
};

struct Pane {
  PaneId id;
  QDockWidget* dock;
  std::function<void()> find;  // empty where there is nothing to search
  QString also;                // what else is in it, by which it is looked for
  // That prints what it shows; empty: it says so at its own foot, or shows what the graph does.
  std::function<QString()> command;
};

class Panes {
 public:
  Panes(views::Document* document, QMainWindow* window);

  const std::vector<Pane>& all() const { return panes_; }
  // In which the keyboard is; null: in none of them.
  const Pane* focused() const;
  QDockWidget* dock(PaneId id) const { return panes_[static_cast<std::size_t>(id)].dock; }
  views::GraphView* graph() const { return graph_; }
  views::BenchView* benchmark() const { return benchmark_; }
  views::DominatorView* dominators() const { return dominators_; }
  views::FusionView* fusion() const { return fusion_; }
  views::IcicleView* icicle() const { return icicle_; }
  views::IterationsView* iterations() const { return iterations_; }
  views::LoopView* loops() const { return loops_; }
  views::AssemblyView* assembly() const { return assembly_; }
  views::TuningView* tuning() const { return tuning_; }

  // Shows a pane, in front of others in its place, with the keyboard in it.
  void focus(PaneId id) const;
  // Searches in the pane that has the keyboard; in the graph if none can be searched.
  void find() const;

 private:
  void add_commands(const views::Document& document);
  void add(PaneId id, const QString& title, QWidget* view, std::function<void()> find = {});

  QMainWindow* window_;
  views::GraphView* graph_;
  views::BenchView* benchmark_;
  views::DominatorView* dominators_;
  views::FusionView* fusion_;
  views::IcicleView* icicle_;
  views::IterationsView* iterations_;
  views::LoopView* loops_;
  views::AssemblyView* assembly_;
  views::TuningView* tuning_;
  std::vector<Pane> panes_;  // indexed by PaneId
};

}  // namespace loopglass::app
