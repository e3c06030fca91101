// Who touches a buffer.
#pragma once

#include "core/loop/func.h"

namespace loopglass::loop {

bool loads(const Expr& e, const std::string& buffer);
// Stores and loads anywhere at or below the statement, those of extents and conditions included.
bool uses(const Stmt& stmt, const std::string& buffer);

}  // namespace loopglass::loop
