// The words of all passes: whatever a rewrite or a remark can be called has a row.
#pragma once

#include "core/pass/word.h"

#include <vector>

namespace loopglass::passes {

// Rules of the rule engine are in it too, by their own table.
std::vector<pass::Word> words();

}  // namespace loopglass::passes
