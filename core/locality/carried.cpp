#include "core/locality/carried.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

namespace loopglass::locality {

std::string_view name(Dependence kind) {
  switch (kind) {
    case Dependence::Flow: return "flow";
    case Dependence::Anti: return "anti";
    case Dependence::Output: return "output";
  }
  __builtin_unreachable();
}

CarriedDependences::CarriedDependences(const Iterations& iterations) {
  struct Last {
    std::optional<std::size_t> stored, loaded;  // since it was stored
  };
  std::map<std::pair<std::uint32_t, std::int64_t>, Last> elements;
  const auto is_summed = [&](std::uint32_t buffer) {
    return iterations.summed_into == iterations.buffers[buffer].name;
  };
  for (std::size_t step = 0; step < iterations.steps.size(); ++step)
    for (const Touch& touch : iterations.steps[step].touches) {
      Last& last = elements[{touch.buffer, touch.element}];
      const auto carry = [&](std::optional<std::size_t> from, Dependence kind) {
        if (from && *from != step)
          all_.push_back({*from, step, kind, touch.buffer, touch.element, is_summed(touch.buffer)});
      };
      if (!touch.stores) {
        // A second load of the same says nothing new.
        if (last.loaded != step) carry(last.stored, Dependence::Flow);
        last.loaded = step;
        continue;
      }
      // What the iteration has read before has brought it behind the last store already.
      if (last.loaded) carry(last.loaded, Dependence::Anti);
      else carry(last.stored, Dependence::Output);
      last = {step, {}};
    }
}

std::span<const Carried> CarriedDependences::into(std::size_t step) const {
  const auto range = std::ranges::equal_range(all_, step, {}, &Carried::to);
  return {range.begin(), range.end()};
}

std::string words_of(const Carried& carried, const Iterations& iterations) {
  const Iterations::TouchedBuffer& buffer = iterations.buffers[carried.buffer];
  return fmt::format("after {}, which {} {}[{}]{}", carried.from + 1,
                     carried.kind == Dependence::Anti ? "reads" : "stores", buffer.name,
                     fmt::join(indices_of(carried.element, buffer.shape), ", "),
                     carried.of_sum ? ", a term of the same sum" : "");
}

}  // namespace loopglass::locality
