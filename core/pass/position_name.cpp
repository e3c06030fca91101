#include "core/pass/position_name.h"

namespace loopglass::pass {

std::string position_name(const Position& position, const GraphHistory& history) {
  StopAfter place{history.steps[position.step].pass.name};
  place.rewrites = position.rewrites;
  place.occurrence = 0;
  for (std::size_t step = 0; step <= position.step; ++step)
    place.occurrence += history.steps[step].pass.name == place.pass;
  return to_text(place);
}

}  // namespace loopglass::pass
