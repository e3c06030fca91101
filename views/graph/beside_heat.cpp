// The second canvas in the colours of the first: by what its own place costs, under one scale with
// it.
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"
#include "views/text.h"

#include <utility>

namespace loopglass::views {
namespace {

const QString costs_lane = "beside costs";

}  // namespace

void BesideCanvas::follow_costs() {
  const auto again = &BesideCanvas::show_heat_again;
  connect(&document_->benchmark(), &BenchmarkStage::benchmarkChanged, this, again);
  connect(&document_->memory(), &MemoryStage::memoryPlanChanged, this, again);
  connect(&document_->fusion(), &FusionStage::planChanged, this, again);
  connect(&document_->jobs(), &JobQueue::changed, this, [this, busy = false]() mutable {
    const bool is_busy = document_->jobs().busy(costs_lane);
    if (std::exchange(busy, is_busy) != is_busy && place_) show_status();
  });
}

void BesideCanvas::show_heat_again() {
  if (!place_ || content_.entities.empty() || first_->measure() == Measure::Family) return;
  show_overlay();
  want_costs();
  show_status();
  emit heatChanged();
}

void BesideCanvas::forget_costs() {
  document_->jobs().cancel(costs_lane);
  costs_ = {};
  costs_of_ = {};
  costs_problem_.clear();
}

// Of the document's own plan what the document knows; of another one what is measured of it here.
HeatSources BesideCanvas::heat_sources() const {
  HeatSources sources{place_->graph.get(), place_->plan.get(), place_->group_of};
  if (place_->plan && place_->plan == document_->fusion().plan()) {
    sources.timings = document_->benchmark().report().get();
    if (document_->cost_model()->is_calibrated()) sources.estimates = document_->fusion().summary();
    sources.memory = document_->memory().plan().get();
  } else if (place_->plan && place_->plan == costs_of_.plan) {
    sources.timings = costs_.timings.get();
    sources.estimates = costs_.estimates ? &*costs_.estimates : nullptr;
    sources.memory = costs_.memory.get();
  }
  return sources;
}

double BesideCanvas::greatest_heat() const {
  if (!is_open() || !place_ || content_.entities.empty()) return 0;
  return heat_of({content_, canvas_->content()}, first_->measure(), heat_sources()).greatest;
}

// Once the first has been measured: two measurements at once would disturb one another.
void BesideCanvas::want_costs() {
  const Measure measure = first_->measure();
  const bool memory = measure == Measure::Memory;
  if (!place_->plan || place_->plan == document_->fusion().plan() || !(memory || is_timed(measure)))
    return;
  const auto report = document_->benchmark().report();
  if (!memory && (!report || document_->state(Stage::Benchmark) == StageState::Working)) return;
  CostsAsked asked{place_->plan, memory, memory ? 0 : report->threads};
  if (asked == costs_of_) return;
  forget_costs();
  costs_of_ = asked;
  document_->jobs().run<PlaceCosts>(
      costs_lane, tr("Measuring %1").arg(title_of(source_)),
      find_costs(*document_, source_, *place_, asked),
      [this](PlaceCosts costs) {
        costs_ = std::move(costs);
        show_heat_again();
      },
      [this](const Diagnostic& problem) {
        costs_problem_ = text(problem.what);
        show_status();
      },
      this);
}

QString BesideCanvas::costs_words() const {
  if (first_->measure() == Measure::Family) return {};
  if (document_->jobs().busy(costs_lane)) return tr("being measured…");
  if (!costs_problem_.isEmpty()) return tr("not measured: %1").arg(costs_problem_);
  return {};
}

}  // namespace loopglass::views
