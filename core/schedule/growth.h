// How much larger padding may make a buffer.
#pragma once

#include "core/schedule/primitive.h"

namespace loopglass::schedule {

// ScheduleIllegal where `after` is more than 64 times as many elements, small buffers aside. A
// symbol counts as 1 in both.
Result<void> check_growth(const std::string& call, const std::string& buffer,
                          const std::vector<expr::Expr>& before,
                          const std::vector<expr::Expr>& after);

}  // namespace loopglass::schedule
