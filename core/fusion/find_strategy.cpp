#include "core/fusion/find_strategy.h"

#include <fmt/format.h>

namespace loopglass::fusion {

Result<const Strategy*> find_strategy(std::span<const Strategy> strategies, std::string_view name) {
  for (const Strategy& candidate : strategies)
    if (name.empty() || candidate.name == name) return &candidate;
  std::string known;
  for (const Strategy& candidate : strategies)
    known += (known.empty() ? "" : ", ") + candidate.name;
  return fail(Code::StrategyUnknown, fmt::format("there is no fusion strategy '{}'", name), {},
              "there are: " + known);
}

}  // namespace loopglass::fusion
