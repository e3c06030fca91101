// Whether two accesses meet at one element, and where, exactly: over all pairs of iterations at
// once, by Presburger arithmetic (integer_set.h). Slower than the tests of dependence.h, which are
// asked first, and not fooled by guards, triangles, symbols or coefficients.
#pragma once

#include "core/dependence/dependence.h"
#include "core/dependence/integer_set.h"

namespace loopglass::schedule {

// Two iterations that make the accesses, the values of all loops around each, at one element.
struct Meeting {
  std::map<std::string, std::int64_t> symbols;  // for which they do
  std::map<std::string, std::int64_t> first, second;
  std::vector<std::int64_t> element;
  std::int64_t distance =
      0;  // between the two, over all loops that are said to be later or earlier
};

// All such pairs. The loops of the first access are dimensions by their own names. Every variable
// of the accesses that is neither in `relations` nor the variable of a loop around them is a
// symbol, and a dimension by its name, too.
IntegerSet meetings(const loop::Access& first, const loop::Access& second,
                    const Relations& relations, const expr::Ranges& ranges);

// Whether there is no such pair. What is not understood, or takes too long, is not ruled out.
bool never_meet(const loop::Access& first, const loop::Access& second, const Relations& relations,
                const expr::Ranges& ranges);

// The pair of nearest iterations, of those the first, at the least values of the symbols; nullopt:
// there is none, or not all that decides is understood.
std::optional<Meeting> nearest_meeting(const loop::Access& first, const loop::Access& second,
                                       const Relations& relations, const expr::Ranges& ranges);

}  // namespace loopglass::schedule
