// A sum has one initial value: what a primitive must be sure of before it moves the start of the
// sum away from its terms.
#pragma once

#include "core/expr/simplify.h"
#include "core/loop/path.h"

#include <string>

namespace loopglass::schedule {

// What a block binds to a loop.
enum class Use : std::uint8_t { None, Spatial, Reduction, Both };
Use use_of(const loop::Block& block, const std::string& variable);

// No element of the path's block may be summed again by another iteration of the loops from the
// `place`-th statement of the path inwards; otherwise ScheduleIllegal in the name of `call`.
Result<void> check_summed_once(const std::string& call, const loop::Path& path, std::size_t place,
                               const std::string& hint = {});

// The number zero, of either sign.
bool is_zero(const expr::Expr& value);

// The initial value of a sum that is set elsewhere must not depend on its terms.
Result<void> check_initial_value(const std::string& call, const loop::Block& block);

// Whether a sum sets its initial value in the first iteration of the loops that it sums over, and
// in no other.
bool starts_at_zero(const loop::Block& block, const expr::Ranges& ranges);

// Whether a sum whose iterations were bound anew starts from its initial value and takes each term
// exactly once: as check_summed_once, and the first iteration that reaches an element must be the
// one that sets it.
Result<void> check_sums_in_place(const std::string& call, const loop::Path& path);

}  // namespace loopglass::schedule
