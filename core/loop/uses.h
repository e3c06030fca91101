// Who touches a buffer.
#pragma once

#include "core/loop/func.h"

#include <functional>

namespace loopglass::loop {

bool loads(const Expr& e, const std::string& buffer);
// Calls `visit` with the buffer of each store and load anywhere at or below the statement, those of
// extents and conditions included.
void each_access(const Stmt& stmt, const std::function<void(const std::string&)>& visit);
// Of those that stand in the statement itself, not in statements inside it.
void each_own_access(const Stmt& stmt, const std::function<void(const std::string&)>& visit);
// Whether one of them is of this buffer.
bool uses(const Stmt& stmt, const std::string& buffer);

}  // namespace loopglass::loop
