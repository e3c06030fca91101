#include "app/common/kernel_choice.h"

#include "app/common/operator_choice.h"
#include "core/support/suggestion.h"

#include <fmt/format.h>
#include <algorithm>
#include <charconv>

namespace loopglass::app {

namespace {

using Groups = std::vector<const fusion::Group*>;

Groups called(const fusion::Plan& plan, const std::string& wanted) {
  Groups chosen;
  std::size_t number = plan.groups.size();
  std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  for (std::size_t i = 0; i < plan.groups.size(); ++i)
    if (wanted.empty() || plan.groups[i].name == wanted ||
        (number == i && wanted == fmt::format("{}", i)))
      chosen.push_back(&plan.groups[i]);
  return chosen;
}

// Those that compute an operator of that name, or what became of it.
Groups computing(const fusion::Plan& plan, Session& session, const std::string& wanted) {
  Groups chosen;
  const auto found = choose_operator(session, wanted, "--kernel");
  if (!found) return chosen;
  if (!found->became.empty()) fmt::print(stderr, "note: {}\n", found->became);
  for (const graph::NodeId node : found->nodes)
    if (const fusion::Group* group = &plan.group(plan.group_of(node));
        std::ranges::find(chosen, group) == chosen.end())
      chosen.push_back(group);
  return chosen;
}

}  // namespace

Result<Groups> choose_kernels(Session& session, const std::string& wanted,
                              const std::string& option) {
  const auto plan = TRY(session.plan());
  if (plan->groups.empty())
    return fail(Code::GraphEntityUnknown, "the network has no kernels", {},
                "all its outputs are inputs or constants, so nothing runs");
  Groups chosen = called(*plan, wanted);
  if (chosen.empty()) chosen = computing(*plan, session, wanted);
  if (!chosen.empty()) return chosen;
  std::vector<std::string> names;
  for (const fusion::Group& group : plan->groups) names.push_back(group.name);
  return fail(
      Code::GraphEntityUnknown, fmt::format("there is no kernel '{}'", wanted), option,
      did_you_mean(wanted, names,
                   fmt::format("kernels have the names that 'fuse' lists, numbers from 0 to "
                               "{}, or those of the operators that they compute",
                               plan->groups.size() - 1)));
}

Result<const fusion::Group*> choose_kernel(Session& session, const std::string& wanted,
                                           const std::string& option) {
  const Groups chosen = TRY(choose_kernels(session, wanted, option));
  if (chosen.size() == 1) return chosen.front();
  const auto plan = TRY(session.plan());
  return fail(Code::UsageInvalid,
              wanted.empty()
                  ? fmt::format("the network has {} kernels, and one is wanted", chosen.size())
                  : fmt::format("{} kernels are called '{}'", chosen.size(), wanted),
              option,
              fmt::format("name it as 'fuse' does, or by its number from 0 to {}",
                          plan->groups.size() - 1));
}

}  // namespace loopglass::app
