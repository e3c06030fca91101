// What the boxes of a graph cost by some measure, rolled up to folded parts, as colours of a scale.
#pragma once

#include "core/fusion/plan.h"
#include "core/runtime/benchmark.h"
#include "core/runtime/memory_plan.h"
#include "views/graph/plan_overlays.h"

#include <array>
#include <string>

namespace loopglass::views {

enum class Measure : std::uint8_t { Family, Time, Speed, Bytes, Memory };
inline constexpr std::array all_measures = {Measure::Family, Measure::Time, Measure::Speed, Measure::Bytes,
                                            Measure::Memory};
std::string measure_key(Measure measure);  // "time", for files
// "Time", and a sentence about it.
QString measure_name(Measure measure);
QString measure_doc(Measure measure);

struct HeatSources {
  const graph::Graph* graph;
  const fusion::Plan* plan;
  std::function<fusion::GroupId(const graph::Node&)> group_of;
  const runtime::BenchmarkReport* timings = nullptr;  // for Time and Speed
  const runtime::MemoryPlan* memory = nullptr;        // for Memory
};

struct Heat {
  std::unordered_map<std::uint32_t, NodeHeat> boxes;
  double greatest = 0;  // of a box, in the measure's unit
  double total = 0;     // of the network; 0: means nothing for the measure
};
// A kernel counts where its anchor is: there stands the number, and its other operators wear its
// colour. Boxes of which nothing is known are left out. Empty where the source is missing.
Heat heat_of(const Drawn& drawn, Measure measure, const HeatSources& sources);

// A value of the measure as people read it.
QString measured_text(Measure measure, double value);

// How wide an edge is drawn that carries so many bytes.
double width_of_bytes(std::int64_t bytes);

}  // namespace loopglass::views
