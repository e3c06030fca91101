#include "views/tuning/hindrances.h"

#include "core/script/sampling.h"
#include "core/tune/steering.h"

namespace loopglass::views {

std::optional<std::string> hindrance_of(const std::vector<tune::KnobRule>& rules,
                                        const ShownRun& run) {
  tune::Space space{run.settings.space, {}};
  for (const ShownSketch& sketch : *run.sketches)
    space.sketches.push_back({sketch.name, {}, sketch.knobs, {}});
  const auto steered = tune::SteeredSpace::make(space, rules);
  if (steered) return std::nullopt;
  return steered.error().what + ": " + steered.error().where;
}

std::optional<std::string> hindrance_of(const std::string& script, const loop::Func& nest) {
  const auto trace = schedule::parse_script(script);
  const auto legal = trace ? schedule::settled(nest, *trace) : std::unexpected(trace.error());
  if (legal) return std::nullopt;
  const std::string& where = legal.error().where;
  return legal.error().what + (where.empty() ? "" : " (" + where.substr(0, where.find('\n')) + ")");
}

}  // namespace loopglass::views
