// How it is said that a schedule may not do something.
#pragma once

#include "core/support/result.h"

#include <string>

namespace loopglass::schedule {

// ScheduleIllegal about `entity`, which is one of the operands of `call`: "vectorize(k): sentence".
std::unexpected<Diagnostic> illegal(const std::string& call, const std::string& entity,
                                    std::string sentence, std::string hint = {});

}  // namespace loopglass::schedule
