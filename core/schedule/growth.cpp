#include "core/schedule/growth.h"

#include "core/dependence/illegal.h"

#include <fmt/core.h>

namespace loopglass::schedule {
namespace {

constexpr double most_times = 64, always_allowed = 1 << 20;  // elements

double elements(const std::vector<expr::Expr>& shape) {
  double count = 1;
  for (const expr::Expr& extent : shape)
    count *= static_cast<double>(expr::as_integer(extent).value_or(1));
  return count;
}

}  // namespace

Result<void> check_growth(const std::string& call, const std::string& buffer,
                          const std::vector<expr::Expr>& before,
                          const std::vector<expr::Expr>& after) {
  if (elements(after) <= most_times * elements(before) + always_allowed) return {};
  return illegal(call, buffer,
                 fmt::format("padding would make '{}' more than 64 times as large", buffer));
}

}  // namespace loopglass::schedule
