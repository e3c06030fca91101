#include "core/dependence/illegal.h"

#include <fmt/core.h>

namespace loopglass::schedule {

std::unexpected<Diagnostic> illegal(const std::string& call, const std::string& entity,
                                    std::string sentence, std::string hint) {
  return fail(Code::ScheduleIllegal, fmt::format("{}: {}", call, sentence), entity,
              std::move(hint));
}

}  // namespace loopglass::schedule
