// The same accesses to a buffer whose dimensions have changed.
#pragma once

#include "core/loop/func.h"

#include <functional>

namespace loopglass::loop {

// Every load and store of `buffer` in `stmt` at what `change` makes of its indices, block regions
// left out.
Stmt reindex(const Stmt& stmt, const std::string& buffer,
             const std::function<std::vector<Expr>(std::vector<Expr>)>& change);

}  // namespace loopglass::loop
