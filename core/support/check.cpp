#include "core/support/check.h"

#include <fmt/format.h>

namespace loopglass {

void check_failed(const char* condition, const char* file, int line, const std::string& message) {
  throw InternalError(fmt::format("internal error: {}:{}: {} does not hold{}{}", file, line,
                                  condition, message.empty() ? "" : ": ", message));
}

}  // namespace loopglass
