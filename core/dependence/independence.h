// Whether the iterations of a loop may run in any order, or at once.
//
// No two accesses of different iterations, one of them a store, may meet at one element: by the
// quick tests (dependence.h), and where they cannot rule it out exactly (meeting.h). For threads, a
// buffer used only inside the loop counts as private to the iteration (place-allocations gives each
// its own).
#pragma once

#include "core/dependence/witness.h"
#include "core/expr/simplify.h"
#include "core/loop/path.h"

#include <set>
#include <string>
#include <vector>

namespace loopglass::schedule {

// What a loop of this kind at the end of the path takes for an iteration's own. A buffer that an
// iteration has for itself keeps nothing for the next iteration of a loop around it: inside of one,
// those of threads are taken for shared.
Private private_buffers(loop::ForKind kind, const loop::Path& path);

// Nothing, or ScheduleIllegal in the name of `call`.
Result<void> check_independent(const std::string& call, const loop::Func& func,
                               const loop::Path& loop, Private buffers);
// Two iterations that are in the way: the nearest, where the dependence is understood, else those
// that running the nest shows.
Search clash_of_iterations(const loop::Func& func, const loop::Path& loop, Private buffers);

// Whether different values of `variable` give different index tuples, whatever the values of the
// other variables in each case; those in `fixed` (loops outside) are the same in both.
bool separates(const std::vector<expr::Expr>& indices, const std::string& variable,
               const expr::Ranges& ranges, const std::set<std::string>& fixed);
// Of the variables in the indices, those in whose values two equal tuples may still differ, those
// in `fixed` being the same in both: what one index tells makes the next one readable. `extents`:
// of what the indices walk; by the place in such memory a quotient and a remainder of one value
// join.
std::set<std::string> not_told_apart(const std::vector<expr::Expr>& indices,
                                     const std::vector<expr::Expr>& extents,
                                     const expr::Ranges& ranges, std::set<std::string> fixed);

}  // namespace loopglass::schedule
