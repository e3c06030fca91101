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

// Why a kernel is above a roof, beyond what measuring varies by: a sentence; empty: it is not.
std::string above_words(const Ceiling& ceiling);

}  // namespace loopglass::roofline
