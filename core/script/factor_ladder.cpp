#include "core/script/factor_ladder.h"

#include "core/loop/path.h"

#include <algorithm>
#include <bit>

namespace loopglass::schedule {
namespace {

// Of the loop that the line cuts in parts of given sizes; nullopt where it cuts none, or the extent
// is not constant.
std::optional<std::int64_t> extent_cut(const Replayer& before, const Instruction& instruction) {
  const auto call = before.call_of(instruction);
  if (!call || call->second.empty()) return std::nullopt;
  const std::vector<Parameter>& parameters = call->first->parameters;
  if (parameters.size() < 2 || parameters[0].kind != ParameterKind::Loop ||
      parameters[1].kind != ParameterKind::Integers)
    return std::nullopt;
  const auto* variable = std::get_if<std::string>(&call->second.front());
  if (!variable) return std::nullopt;
  const auto path = loop::find_loop(before.func(), *variable);
  return path ? expr::as_integer(path->loop().extent) : std::nullopt;
}

}  // namespace

std::vector<std::int64_t> factor_ladder(const Replayer& before, const Instruction& instruction) {
  const auto extent = extent_cut(before, instruction);
  std::vector<std::int64_t> ladder;
  for (std::int64_t factor = 1; factor <= std::min(extent.value_or(largest_factor), largest_factor);
       ++factor) {
    const auto bits = static_cast<std::uint64_t>(factor);
    const bool is_round =
        std::has_single_bit(bits) || (!extent && std::has_single_bit(bits / 3) && bits % 3 == 0);
    if (is_round || (extent && *extent % factor == 0)) ladder.push_back(factor);
  }
  return ladder;
}

std::int64_t rung(const std::vector<std::int64_t>& ladder, std::int64_t number, int steps) {
  if (ladder.empty()) return number;
  const auto at = std::lower_bound(ladder.begin(), ladder.end(), number);
  const bool between = at == ladder.end() || *at != number;
  // From between two rungs the first step up is to the next.
  const auto index = (at - ladder.begin()) + steps - (between && steps > 0 ? 1 : 0);
  const auto last = static_cast<std::ptrdiff_t>(ladder.size()) - 1;
  return steps == 0 ? number : ladder[static_cast<std::size_t>(std::clamp(index, 0L, last))];
}

}  // namespace loopglass::schedule
