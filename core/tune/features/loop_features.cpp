#include "core/tune/features/features.h"
#include "core/tune/features/logarithmic.h"

#include <algorithm>

namespace loopglass::tune {

namespace {

constexpr std::size_t loop_buffers = 4;

const StoreFact* busiest(std::span<const StoreFact> facts) {
  const auto busy = std::ranges::max_element(
      facts, {}, [](const StoreFact& fact) { return fact.runs() * (1 + fact.floats.sum()); });
  return busy == facts.end() ? nullptr : &*busy;
}

}  // namespace

Features loop_features(std::span<const StoreFact> facts) {
  Features features{loop_feature_width, std::vector<float>(loop_feature_width, 0)};
  const StoreFact* store = busiest(facts);
  if (!store) return features;
  double below = 1;
  for (std::size_t i = 0; i < std::min(store->loops.size(), loop_feature_loops); ++i) {
    const std::size_t at = store->loops.size() - 1 - i;
    const LoopFact& loop = store->loops[at];
    double above = 1;
    for (std::size_t outer = 0; outer < at; ++outer) above *= store->loops[outer].extent;
    below *= loop.extent;
    float* row = features.values.data() + i * (loop_feature_width / loop_feature_loops);
    *row++ = logarithmic(loop.extent);
    *row++ = static_cast<float>(at);
    *row++ = logarithmic(above);
    *row++ = logarithmic(below);
    for (const loop::ForKind kind : {loop::ForKind::Serial, loop::ForKind::Vectorized,
                                     loop::ForKind::Unrolled, loop::ForKind::Parallel})
      *row++ = loop.kind == kind ? 1 : 0;
    *row++ = logarithmic(store->floats.additions + store->floats.multiply_adds);
    *row++ = logarithmic(store->floats.multiplications + store->floats.multiply_adds);
    *row++ = logarithmic(store->floats.divisions);
    for (std::size_t b = 0; b < loop_buffers; ++b, row += 3) {
      if (b >= store->accesses.size()) continue;
      const AccessFact& access = store->accesses[b];
      const double touched = access.touched_elements(at);
      row[0] = logarithmic(access.strides[at]);
      row[1] = logarithmic(touched);
      row[2] = logarithmic(below / touched);
    }
  }
  return features;
}

}  // namespace loopglass::tune
