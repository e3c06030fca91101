// The roofs over one kernel: what it would take if each of them alone were in its way, by counting
// its FLOPs and the bytes that it asks of each level.
#pragma once

#include "core/roofline/bound.h"
#include "core/roofline/roofs.h"
#include "core/roofline/traffic.h"

#include <array>
#include <string>
#include <vector>

namespace loopglass::roofline {

// The levels of memory, in the order of Roofs::levels.
inline constexpr std::array levels{Bound::L1, Bound::L2, Bound::L3, Bound::Memory};
// That a level is asked for, in one run.
double bytes_of(const Traffic& traffic, Bound level);

// What the kernel would take if this alone were in its way.
struct Ceiling {
  Bound bound = {};
  double milliseconds = 0;
  double share = 0;  // of the measured time
  friend bool operator==(const Ceiling&, const Ceiling&) = default;
};
// Of a kernel that took so long, the highest first: COMPUTE where its type has a roof, each level
// that it asks for something, and LAUNCH.
std::vector<Ceiling> ceilings_of(const Traffic& traffic, const Roofs& roofs, double milliseconds);

// A kernel at so much of a roof is bound by it.
inline constexpr double near_a_roof = 0.7;
// One that is so far above a roof is not what was counted.
inline constexpr double beyond_a_roof = 1.5;
// Of a kernel that took so long: "96.2 GFLOP/s of 118 GFLOP/s at most: 81 % of the peak".
std::string roof_words(const Ceiling& ceiling, const Traffic& traffic, const Roofs& roofs,
                       double milliseconds);
// Why a kernel is above a roof, beyond what measuring varies by: a sentence; empty: it is not.
std::string above_words(const Ceiling& ceiling);

}  // namespace loopglass::roofline
