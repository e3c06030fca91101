#include "core/fusion/find_strategy.h"

#include "core/support/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopglass::fusion {

Result<const Strategy*> find_strategy(std::span<const Strategy> strategies, std::string_view name) {
  for (const Strategy& candidate : strategies)
    if (name.empty() || candidate.name == name) return &candidate;
  std::vector<std::string> names;
  for (const Strategy& candidate : strategies) names.push_back(candidate.name);
  return fail(Code::StrategyUnknown, fmt::format("there is no fusion strategy '{}'", name), {},
              did_you_mean(name, names, fmt::format("there are: {}", fmt::join(names, ", "))));
}

}  // namespace loopglass::fusion
