#include "app/common/kernel_choice.h"

#include "core/support/suggestion.h"

#include <fmt/format.h>
#include <charconv>

namespace loopglass::app {

Result<std::vector<const fusion::Group*>> choose_kernels(const fusion::Plan& plan,
                                                         const std::string& wanted) {
  std::vector<const fusion::Group*> chosen;
  std::size_t number = plan.groups.size();
  std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  for (std::size_t i = 0; i < plan.groups.size(); ++i)
    if (wanted.empty() || plan.groups[i].name == wanted ||
        (number == i && wanted == fmt::format("{}", i)))
      chosen.push_back(&plan.groups[i]);
  if (plan.groups.empty())
    return fail(Code::GraphEntityUnknown, "the network has no kernels", {},
                "all its outputs are inputs or constants, so nothing runs");
  std::vector<std::string> names;
  for (const fusion::Group& group : plan.groups) names.push_back(group.name);
  if (chosen.empty())
    return fail(Code::GraphEntityUnknown, fmt::format("there is no kernel '{}'", wanted),
                "--kernel",
                did_you_mean(wanted, names,
                             fmt::format("kernels have the names that 'fuse' lists, or numbers "
                                         "from 0 to {}",
                                         plan.groups.size() - 1)));
  return chosen;
}

Result<const fusion::Group*> choose_kernel(const fusion::Plan& plan, const std::string& wanted,
                                           const std::string& option) {
  const std::vector<const fusion::Group*> chosen = TRY(choose_kernels(plan, wanted));
  if (chosen.size() == 1) return chosen.front();
  return fail(
      Code::UsageInvalid,
      wanted.empty() ? fmt::format("the network has {} kernels, and one is wanted", chosen.size())
                     : fmt::format("{} kernels are called '{}'", chosen.size(), wanted),
      option,
      fmt::format("name it as 'fuse' does, or by its number from 0 to {}", plan.groups.size() - 1));
}

}  // namespace loopglass::app
