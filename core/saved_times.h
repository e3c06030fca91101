// Times that were measured of a network, as a session keeps them: with what they are of, since
// they say nothing of another plan, another machine or another compiler.
#pragma once

#include "core/fusion/plan.h"
#include "core/machine/machine.h"
#include "core/runtime/benchmark.h"

namespace loopglass {

// What the times of a plan follow from, but for the model's own content, which a stamp tells.
struct MeasuredOf {
  std::string plan;      // 16 digits, of what each kernel computes, on which types
  std::string machine;   // the processor, and how many threads run at once
  std::string compiler;  // a digest of its sources
  // 16 digits, of the schedules that a person gave to kernels; nullopt: all are default ones.
  std::optional<std::string> schedules = {};
  friend bool operator==(const MeasuredOf&, const MeasuredOf&) = default;
};
MeasuredOf measured_of(const graph::Graph& graph, const fusion::Plan& plan, const Machine& machine);
// In which of them the two differ, "another plan"; empty: in none.
std::string difference_words(const MeasuredOf& then, const MeasuredOf& now);

struct SavedTimes {
  std::string when;  // "2026-11-23 14:02", by the clock on the wall
  MeasuredOf of;
  runtime::BenchmarkReport report;
  std::vector<double> rounds;  // milliseconds of the whole network
  friend bool operator==(const SavedTimes&, const SavedTimes&) = default;
};

// JSON, an object; parses back to equal ones.
std::string to_json(const SavedTimes& times);
// SessionCorrupt, with the place below `path` where something is wrong.
Result<SavedTimes> times_from_json(std::string_view text, const std::string& path);

}  // namespace loopglass
