#include "core/tune/winner.h"

#include <cmath>
#include <utility>

namespace loopglass::tune {

std::optional<std::size_t> winner(std::span<const FinalTime> times) {
  std::optional<std::size_t> best, usual;
  const auto take_faster = [&](std::optional<std::size_t>& known, std::size_t place) {
    const auto key = [&](std::size_t of) {
      return std::pair(times[of].milliseconds, times[of].trial);
    };
    if (!known || key(place) < key(*known)) known = place;
  };
  for (std::size_t place = 0; place < times.size(); ++place) {
    if (!std::isfinite(times[place].milliseconds)) continue;
    take_faster(best, place);
    if (times[place].trial == 0) take_faster(usual, place);
  }
  if (usual && times[*best].milliseconds > worth_it * times[*usual].milliseconds) return usual;
  return best;
}

}  // namespace loopglass::tune
