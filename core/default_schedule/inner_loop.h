// What the innermost loop of a nest asks of a core, counted from the nest alone: how many sums go
// on side by side, what is loaded for them, how many registers that takes. By it a person sees what
// to change before anything is compiled; what machine code makes of it is measured.
#pragma once

#include "core/loop/func.h"
#include "core/machine/machine.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::schedule {

// One operand of the block as the tile, the vectorized and unrolled loops inside the turning one,
// walks through it.
struct TileOperand {
  std::string buffer;
  std::int64_t vectors = 1;  // loaded in a turn; a value for all lanes counts as one
  std::int64_t scalars = 0;  // loaded instead, where each lane has to be by itself
  bool along_lanes = false;  // it has elements for each lane; else one value is for all of them
  // Bytes from lane to lane where they do not lie side by side; nullopt: side by side, or the same
  // for all lanes, or irregular (then there are scalars).
  std::optional<std::int64_t> lane_stride = {};
};

struct InnerLoop {
  std::string block;
  std::string turning;  // the innermost loop that is neither vectorized nor unrolled; empty: none
  std::string vectorized;             // the loop whose iterations are lanes; empty: none
  bool sums = false;                  // the turning loop is summed over
  std::int64_t independent_sums = 0;  // in vectors, of which each adds a term a turn or more
  std::int64_t multiply_adds = 0;     // in vectors, of a turn
  std::int64_t of_a_term = 1;         // as many operations as so many of them have, in a term
  std::int64_t chain = 1;             // of them, one after another for one sum
  std::vector<TileOperand> loads;     // what is summed left out
  std::int64_t registers = 0;         // of vectors, that sums and operands take at once

  std::int64_t loaded() const;  // instructions of a turn
};

// Of the sum that has most terms to add; nullopt where there is none, or its tile is not of
// constant size, or an intrinsic runs it.
std::optional<InnerLoop> inner_loop(const loop::Func& func, const Machine& machine);

// What will keep the loop from the machine's peak, the gravest first; none: nothing that counting
// shows.
enum class Limit : std::uint8_t {
  Scalar,  // no loop runs in vectors
  Registers,
  Gathers,
  Latency,
  Loads,
  Intrinsic,
  Roof,    // it is at one of the machine's: known where it was timed
  Threads  // some have nothing to do
};
inline constexpr std::array all_limits{Limit::Scalar,  Limit::Registers, Limit::Gathers,
                                       Limit::Latency, Limit::Loads,     Limit::Intrinsic,
                                       Limit::Roof,    Limit::Threads};
struct LimitRemark {
  Limit limit;
  std::string text;  // "4 independent sums; 8 hide the latency of a multiply-add"
};
std::string_view name(Limit limit);  // "latency"
std::vector<LimitRemark> limits(const InnerLoop& loop, const Machine& machine);
// Whether a loop, or a nest that is left to an intrinsic, does; and that none does, in words.
inline constexpr const char* scalar_words =
    "no loop of it is vectorized, but as LLVM may do by itself";
bool runs_in_vectors(const loop::Func& func);
// Of the nest's innermost loop; and where a nest was left to an intrinsic and no longer is what
// that computes.
std::vector<LimitRemark> limits(const loop::Func& func, const Machine& machine);

}  // namespace loopglass::schedule
