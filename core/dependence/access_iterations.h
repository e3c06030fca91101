// The iterations in which an access takes place, and one of them in words.
#pragma once

#include "core/dependence/integer_set.h"
#include "core/loop/accesses.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace loopglass::schedule {

// Values of symbols and of loops.
using Point = std::map<std::string, std::int64_t>;

// Dimensions are the symbols and the loops around the access. `read_only`: buffers that nothing is
// stored to.
IntegerSet iterations_of(const loop::Func& func, const loop::Access& access,
                         const std::set<std::string>& read_only);
// The symbols, then the loops, outermost first.
std::vector<std::string> dimensions_of(const loop::Func& func, const loop::Access& access);

// The parameters that nothing is stored to.
std::set<std::string> read_only_parameters(const loop::Func& func);

// " at n = 3, i = 0"; empty where there is neither symbol nor loop.
std::string words(const loop::Func& func, const loop::Access& access, const Point& point);
// 0: it is not of these dimensions alone.
std::int64_t value_at(const expr::Expr& e, const Point& point);

}  // namespace loopglass::schedule
