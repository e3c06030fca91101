#include "app/window/panes.h"

#include "core/support/check.h"
#include "core/support/state_folder.h"
#include "views/assembly/assembly_view.h"
#include "views/assembly/code_times.h"
#include "views/bench/bench_view.h"
#include "views/bisect/bisect_view.h"
#include "views/breakpoints/breakpoints_view.h"
#include "views/compare/compare_view.h"
#include "views/diff/diff_view.h"
#include "views/document/command_line.h"
#include "views/document/kernel_commands.h"
#include "views/dominators/dominator_view.h"
#include "views/fusion/fusion_view.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"
#include "views/icicle/icicle_view.h"
#include "views/inspector/inspector_view.h"
#include "views/iterations/iterations_view.h"
#include "views/lens/lens_view.h"
#include "views/llvm/llvm_view.h"
#include "views/loops/loop_view.h"
#include "views/memory/memory_view.h"
#include "views/roofline/roofline_view.h"
#include "views/timeline/pipeline_view.h"
#include "views/timeline/timeline_view.h"
#include "views/tuning/tuning_view.h"

#include <QAbstractScrollArea>
#include <QApplication>

#include <algorithm>

namespace loopglass::app {

Panes::Panes(views::Document* document, QMainWindow* window)
    : window_(window),
      graph_(new views::GraphView(document, window)),
      benchmark_(new views::BenchView(document)),
      dominators_(new views::DominatorView(document, nullptr)),
      fusion_(new views::FusionView(document, nullptr)) {
  QObject::connect(graph_, &views::GraphView::edgeChosen, fusion_, &views::FusionView::choose_edge);
  QObject::connect(fusion_, &views::FusionView::edgeChosen, graph_,
                   [this](graph::ValueId value, graph::NodeId consumer) {
                     graph_->choose_edge({value, consumer});
                   });
  const auto searchable = [&](PaneId id, const QString& title, auto* view) {
    add(id, title, view, [view] { view->find(); });
  };
  const auto translated = [](const char* text) {
    return QCoreApplication::translate("Panes", text);
  };
  add(PaneId::Timeline, translated("Timeline"), new views::TimelineView(document));
  searchable(PaneId::Dominators, translated("Dominators"), dominators_);
  searchable(PaneId::Fusion, translated("Fusion decisions"), fusion_);
  add(PaneId::Inspector, translated("Inspector"), new views::InspectorView(document));
  loops_ = new views::LoopView(document, nullptr);
  searchable(PaneId::Loops, translated("Loop nest"), loops_);
  panes_.back().also = translated("schedule script");
  searchable(PaneId::Llvm, translated("LLVM IR"), new views::LlvmView(document, nullptr));
  assembly_ = new views::AssemblyView(document, nullptr);
  searchable(PaneId::Assembly, translated("Assembly"), assembly_);
  add(PaneId::Benchmark, translated("Benchmark"), benchmark_);
  add(PaneId::Memory, translated("Memory"), new views::MemoryView(document));
  add(PaneId::Pipeline, translated("Pipeline"), new views::PipelineView(document));
  add(PaneId::Breakpoints, translated("Breakpoints"), new views::BreakpointsView(document));
  add(PaneId::Difference, translated("Difference"), new views::DiffView(document));
  add(PaneId::Lens, translated("Tensor lens"), new views::LensView(document));
  add(PaneId::Bisect, translated("Bisect"), new views::BisectView(document));
  auto* compare = new views::CompareView(document);
  add(PaneId::Compare, translated("Compare pipelines"), compare);
  QObject::connect(compare, &views::CompareView::resultChanged, graph_, [graph = graph_, compare] {
    graph->beside()->offer_pipeline(compare->other_pipeline());
  });
  icicle_ = new views::IcicleView(document);
  add(PaneId::Icicle, translated("Cost by part"), icicle_);
  iterations_ = new views::IterationsView(document);
  add(PaneId::Iterations, translated("Iterations"), iterations_);
  const auto state = state_folder();
  tuning_ = new views::TuningView(document, state ? *state / "tuning" : "");
  add(PaneId::Tuning, translated("Tuning"), tuning_);
  add(PaneId::Roofline, translated("Roofline"), new views::RooflineView(document));
  add_commands(*document);
}

void Panes::add_commands(const views::Document& document) {
  const auto prints = [&](PaneId id, auto command) {
    panes_[static_cast<std::size_t>(id)].command = [&document, command] {
      return QString(command(document));
    };
  };
  const auto of_network = [](const char* name, const QString& options = {}) {
    return [name, options](const views::Document& document) {
      if (!document.fusion().plan()) return QString();
      const views::KernelWords kernels = views::kernel_words(document);
      return QString("loopglassc %1 %2%3%4").arg(name, kernels.model, options, kernels.note);
    };
  };
  prints(PaneId::Loops, [loops = loops_](const views::Document& document) {
    return loops->shows_draft() ? views::draft_command(document) : views::loops_command(document);
  });
  prints(PaneId::Llvm, views::llvm_command);
  prints(PaneId::Assembly, [assembly = assembly_](const views::Document& document) {
    return views::assembly_command(document, assembly->times()->profile() != nullptr);
  });
  prints(PaneId::Iterations, views::locality_command);
  prints(PaneId::Benchmark, [benchmark = benchmark_, of_network](const views::Document& document) {
    return of_network("bench", benchmark->option_words())(document);
  });
  prints(PaneId::Memory, of_network("memory"));
  prints(PaneId::Icicle, [icicle = icicle_, of_network](const views::Document& document) {
    const QString options = QString(" --by %1 --kernels%2")
                                .arg(icicle->shown().blocks ? "blocks" : "names",
                                     icicle->shown().times ? " --bench" : "");
    return of_network("fold", options)(document);
  });
  prints(PaneId::Pipeline, views::passes_command);
  prints(PaneId::Dominators, [dominators = dominators_](const views::Document& document) {
    return views::dominators_command(document, dominators->direction());
  });
}

void Panes::add(PaneId id, const QString& title, QWidget* view, std::function<void()> find) {
  CHECK(panes_.size() == static_cast<std::size_t>(id), "panes are added in the order of their ids");
  auto* dock = new QDockWidget(title, window_);
  dock->setObjectName(title);  // what saved states refer to
  // Where many panes share a small screen, their content is squeezed rather than the window grown.
  view->setMinimumSize(160, 96);
  dock->setWidget(view);
  panes_.push_back({id, dock, std::move(find), {}, {}});
}

void Panes::focus(PaneId id) const {
  QDockWidget* dock = this->dock(id);
  dock->show();
  dock->raise();
  if (QWidget* first = dock->widget()->focusProxy(); first && first->isVisibleTo(dock))
    return first->setFocus();
  for (QWidget* widget : dock->widget()->findChildren<QWidget*>()) {
    if (!widget->isVisibleTo(dock) || !(widget->focusPolicy() & Qt::TabFocus)) continue;
    if (qobject_cast<QAbstractScrollArea*>(widget)) return widget->setFocus();
  }
  dock->widget()->setFocus();
}

const Pane* Panes::focused() const {
  const QWidget* widget = QApplication::focusWidget();
  const auto found = std::ranges::find_if(
      panes_, [&](const Pane& pane) { return widget && pane.dock->isAncestorOf(widget); });
  return found == panes_.end() ? nullptr : &*found;
}

void Panes::find() const {
  if (const Pane* pane = focused(); pane && pane->find) pane->find();
  else graph_->find();
}

}  // namespace loopglass::app
