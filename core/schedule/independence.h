// Whether the iterations of a loop may run in any order, or at once.
//
// Structural and conservative, as the notes' table has it; an exact answer by integer sets is a
// later issue. Every store below the loop must reach another element in another iteration, and what
// is read of a buffer written there must have been written in the same iteration. For threads, a
// buffer used only inside the loop counts as private to the iteration (place-allocations gives each
// its own).
#pragma once

#include "core/schedule/nest.h"

namespace loopglass::schedule {

enum class Private : bool { No, PerIteration };

// Nothing, or ScheduleIllegal in the name of `call`.
Result<void> check_independent(const std::string& call, const Func& func, const Path& loop,
                               Private buffers);

// Whether different values of `variable` give different index tuples, whatever the values of the
// other variables in each case; those in `fixed` (loops outside) are the same in both.
bool separates(const std::vector<Expr>& indices, const std::string& variable,
               const expr::Ranges& ranges, const std::set<std::string>& fixed);
std::set<std::string> variables_of(const std::vector<const For*>& loops);

}  // namespace loopglass::schedule
