#include "app/window/pane_homes.h"

#include "core/support/check.h"

#include <algorithm>
#include <initializer_list>

namespace loopglass::app {
namespace {

// The neighbours that suit a pane, the best first.
std::initializer_list<PaneId> neighbours(PaneId pane) {
  switch (pane) {
    case PaneId::Timeline:
    case PaneId::Pipeline:
    case PaneId::Breakpoints: {
      static constexpr auto history = {PaneId::Timeline, PaneId::Pipeline, PaneId::Breakpoints,
                                       PaneId::Dominators, PaneId::Inspector};
      return history;
    }
    case PaneId::Dominators:
    case PaneId::Fusion: {
      static constexpr auto fusion = {PaneId::Fusion,      PaneId::Dominators, PaneId::Loops,
                                      PaneId::Breakpoints, PaneId::Timeline,   PaneId::Inspector};
      return fusion;
    }
    case PaneId::Loops:
    case PaneId::Llvm:
    case PaneId::Assembly:
    case PaneId::Benchmark:
    case PaneId::Memory:
    case PaneId::Icicle:
    case PaneId::Iterations:
    case PaneId::Tuning:
    case PaneId::Roofline: {
      static constexpr auto kernels = {PaneId::Assembly,   PaneId::Llvm,    PaneId::Loops,
                                       PaneId::Benchmark,  PaneId::Memory,  PaneId::Icicle,
                                       PaneId::Difference, PaneId::Compare, PaneId::Fusion,
                                       PaneId::Inspector};
      return kernels;
    }
    case PaneId::Inspector:
    case PaneId::Difference:
    case PaneId::Lens:
    case PaneId::Bisect:
    case PaneId::Compare: {
      static constexpr auto questions = {PaneId::Difference, PaneId::Lens,  PaneId::Compare,
                                         PaneId::Bisect,     PaneId::Loops, PaneId::Inspector,
                                         PaneId::Timeline};
      return questions;
    }
  }
  __builtin_unreachable();
}

}  // namespace

void put_away_hidden(QMainWindow& window, const Panes& panes) {
  std::vector<PaneId> shown, hidden;
  for (const Pane& pane : panes.all()) (pane.dock->isHidden() ? hidden : shown).push_back(pane.id);
  CHECK(!shown.empty(), "a workspace shows a pane");
  for (const PaneId pane : hidden) {
    const auto candidates = neighbours(pane);
    const auto home = std::find_if(candidates.begin(), candidates.end(), [&](PaneId candidate) {
      return std::find(shown.begin(), shown.end(), candidate) != shown.end();
    });
    QDockWidget* neighbour = panes.dock(home == candidates.end() ? shown.front() : *home);
    window.tabifyDockWidget(neighbour, panes.dock(pane));
    panes.dock(pane)->hide();
  }
}

}  // namespace loopglass::app
