// Where the elements lie that the lanes of a vector read, where that is no multiple of the lane.
#pragma once

#include "core/codegen/plan.h"

#include <bit>
#include <optional>

namespace loopglass::codegen {

// How far the elements of so many lanes lie behind that of the first; nullopt where that is not
// known before anything runs.
std::optional<std::vector<std::int64_t>> lane_offsets(const Access& access,
                                                      const std::string& lane_variable, int lanes);

// Elements one after another, from the first that some lane is of to the last.
struct LaneRun {
  std::int64_t first, length;

  bool holds(std::int64_t offset) const { return offset >= first && offset < first + length; }
  // Of the vector it is read as; twice, overlapping, where it is longer.
  std::int64_t vector_length() const {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(length)));
  }
  int loads() const { return vector_length() == length ? 1 : 2; }
};

// As few as there can be of at most so many elements, in order. Each offset lies in one.
std::vector<LaneRun> lane_runs(std::vector<std::int64_t> offsets, std::int64_t longest);

}  // namespace loopglass::codegen
