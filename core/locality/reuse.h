// How near to one another the uses of a cache line are, in the order in which a nest makes them,
// and what that costs in caches of different sizes.
//
// The distance of a use is the number of other lines that were used since the line's last use, of
// whatever buffer: a cache of n lines that drops what was used longest ago misses it exactly where
// that is n or more (R. Mattson et al., "Evaluation techniques for storage hierarchies", IBM
// Systems Journal 9(2), 1970). Distances are counted with a tree over the times of last uses (F.
// Olken, "Efficient methods for calculating the success function of fixed space replacement
// policies", 1981). Real caches have sets, and fetch ahead: what streams costs them less than it
// says here.
#pragma once

#include "core/loop/func.h"
#include "core/machine/machine.h"
#include "core/support/cancellation.h"
#include "core/support/result.h"

#include <map>
#include <string>
#include <vector>

namespace loopglass::locality {

inline constexpr std::int64_t line_bytes = 64;

struct BufferReuse {
  std::string buffer;
  std::int64_t bytes = 0;
  std::int64_t accesses = 0;  // of elements
  std::int64_t lines = 0;     // that were touched, each for a first time
  // Uses that are no first ones: [0] right after one of the same line, [k] after at least 2^(k-1)
  // other lines and less than 2^k.
  std::vector<std::int64_t> distances;
  std::vector<std::int64_t> misses;  // of each level, first uses among them
};
// Of distances[kind]: "0", "1", "8-15".
std::string distance_words(std::size_t kind);

struct Level {
  std::string name;  // "L1"
  std::int64_t bytes = 0;
};
std::vector<Level> levels_of(const Machine& machine);

struct Reuse {
  std::vector<Level> levels;
  std::vector<BufferReuse> buffers;  // that are memory, in the order of the nest
  std::int64_t accesses = 0;
  bool whole = false;  // else of the first accesses alone
};

inline constexpr std::int64_t default_accesses = 4'000'000;

// What stays in registers is no memory, and not counted; a parallel loop runs in order, as on one
// thread. OutOfMemory, Cancelled.
Result<Reuse> reuse_of(const loop::Func& func, const std::map<std::string, std::int64_t>& symbols,
                       const Machine& machine, std::int64_t most_accesses = default_accesses,
                       const Progress& progress = {}, const Cancellation& cancellation = {});

}  // namespace loopglass::locality
