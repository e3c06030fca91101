// What values the variables of loops take.
#pragma once

#include "core/expr/simplify.h"
#include "core/loop/func.h"

#include <string>
#include <vector>

namespace loopglass::loop {

// Where the extent is constant.
void add_range(expr::Ranges& ranges, const std::string& variable, const Expr& extent);
// Of these loops, where constant: those around the last statement of a path, say.
expr::Ranges ranges_of(const std::vector<const For*>& loops);
// Of all loops of a Func, triangular ones at their widest.
expr::Ranges ranges_of(const Func& func);

// The bindings and predicates of the blocks below, simplified under the ranges of the loops around
// them; `outer` gives those of the loops above. After a split or fuse, this is what keeps a nest
// readable.
Stmt simplify_bindings(const Stmt& stmt, const expr::Ranges& outer);

}  // namespace loopglass::loop
