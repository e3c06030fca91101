#include "core/roofline/bound.h"

#include <algorithm>

namespace loopglass::roofline {

namespace {

struct Row {
  Bound bound;
  std::string_view name, doc, advice;
};

constexpr std::array rows{
    Row{Bound::Compute, "COMPUTE", "Its multiply-adds take the time: it is near the peak.",
        "Little is left but fewer operations, by another algorithm."},
    Row{Bound::Functions, "FUNCTIONS",
        "Functions such as exp and tanh, and divisions, take the time.",
        "Cheaper functions, or the function where there are fewer elements: split it off its sum."},
    Row{Bound::L1, "L1", "The first cache hands on no more.",
        "A larger tile of registers, which reads each value for more operations."},
    Row{Bound::L2, "L2", "What comes from the second cache takes the time.",
        "Split the loops around so that what one tile reads fits the first cache."},
    Row{Bound::L3, "L3", "What comes from the third cache takes the time.",
        "Split the loops around so that what they read fits the second cache, or fuse what writes "
        "it with what reads it."},
    Row{Bound::Memory, "MEMORY", "What comes from memory takes the time.",
        "Fewer bytes: fuse the kernel with who writes or reads its tensors, smaller types."},
    Row{Bound::Latency, "LATENCY", "Too few sums at a time: each waits for its last multiply-add.",
        "More rows or vectors in the tile: split and unroll another loop around the sum."},
    Row{Bound::Loads, "LOADS", "It asks for more loads than a cycle has.",
        "A tile nearer to a square, whose operands are used more often; lanes along memory."},
    Row{Bound::Gathers, "GATHERS", "Lanes ask for elements one by one, each somewhere else.",
        "Lanes along the dimension that lies in a row in memory, or no vectors where few lanes are "
        "wanted; a copy that has what is read side by side."},
    Row{Bound::Spills, "SPILLS", "Registers that are wanted again go to the stack meanwhile.",
        "A smaller tile: fewer rows or vectors."},
    Row{Bound::Shuffles, "SHUFFLES", "Lanes change places more than they compute.",
        "Lanes along the dimension that lies in a row in memory, or a layout that has it there."},
    Row{Bound::Conversions, "CONVERSIONS",
        "Numbers are unpacked and converted before they are multiplied, which takes the time.",
        "More rows for each number that is widened; or numbers as wide as they are multiplied, "
        "where memory is not what is waited for then."},
    Row{Bound::Scalar, "SCALAR", "It computes one element at a time.",
        "vectorize a loop along which all that is read and written lies in a row."},
    Row{Bound::Tail, "TAIL", "A part of what is computed is never wanted.",
        "A tile that divides the extents, or peel what whole tiles leave over."},
    Row{Bound::Imbalance, "IMBALANCE", "Some threads wait for others.",
        "More and smaller pieces: fuse more loops before parallel."},
    Row{Bound::Launch, "LAUNCH", "It is shorter than it takes to call it.",
        "Fuse it with its neighbours."},
    Row{Bound::Unexplained, "UNEXPLAINED", "Nothing that is looked for is in the way.",
        "Look at its assembly, and time its schedule line by line (bench --per-line)."},
};

const Row& row(Bound bound) { return *std::ranges::find(rows, bound, &Row::bound); }

}  // namespace

std::string_view name(Bound bound) { return row(bound).name; }
std::string_view doc(Bound bound) { return row(bound).doc; }
std::string_view advice(Bound bound) { return row(bound).advice; }

std::optional<Bound> bound_named(std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  return found == rows.end() ? std::nullopt : std::optional(found->bound);
}

}  // namespace loopglass::roofline
