// What the boxes of a graph cost by some measure, rolled up to folded parts, as colours of a scale.
#pragma once

#include "core/fusion/compare.h"
#include "core/fusion/plan.h"
#include "core/runtime/benchmark.h"
#include "core/runtime/memory_plan.h"
#include "views/graph/plan_overlays.h"

#include <array>
#include <string>

namespace loopglass::views {

enum class Measure : std::uint8_t { Family, Time, Speed, Model, Bytes, Memory };
inline constexpr std::array all_measures = {Measure::Family, Measure::Time,  Measure::Speed,
                                            Measure::Model,  Measure::Bytes, Measure::Memory};
bool is_timed(Measure measure);            // wants a benchmark
std::string measure_key(Measure measure);  // "time", for files
// "Time", and a sentence about it.
QString measure_name(Measure measure);
QString measure_doc(Measure measure);

struct HeatSources {
  const graph::Graph* graph;
  const fusion::Plan* plan;
  std::function<fusion::GroupId(const graph::Node&)> group_of;
  // For Time, Speed and Model: of the last only those on one thread, which is what is estimated.
  const runtime::BenchmarkReport* timings = nullptr;
  // For Model: of the plan, by a calibrated cost model.
  const fusion::PlanSummary* estimates = nullptr;
  const runtime::MemoryPlan* memory = nullptr;  // for Memory
};

struct Heat {
  std::unordered_map<std::uint32_t, NodeHeat> boxes;
  // Of a box, in the measure's unit; of Model the factor by which it is farthest off, at least 1.
  double greatest = 0;
  double total = 0;  // of the network; 0: means nothing for the measure
};
// A kernel counts where its anchor is: there stands the number, and its other operators wear its
// colour. Boxes of which nothing is known are left out. Empty where the source is missing. The
// scale goes at least so far: drawings beside each other have one.
Heat heat_of(const Drawn& drawn, Measure measure, const HeatSources& sources, double at_least = 0);

// A value of the measure as people read it.
QString measured_text(Measure measure, double value);
// Whether there is a middle from which a value may be off either way, up to 1 or down to -1 on the
// scale.
bool goes_both_ways(Measure measure);
// What boxes say whose colour is so far up the scale, where the greatest is this.
QString scale_text(Measure measure, double greatest, double part);

// The heat, and for Bytes edges as wide as what they carry.
void add_heat(const Drawn& drawn, Measure measure, const HeatSources& sources,
              CanvasOverlay& overlay, double at_least = 0);

// How wide an edge is drawn that carries so many bytes of at most `most`.
double width_of_bytes(std::int64_t bytes, std::int64_t most);

}  // namespace loopglass::views
