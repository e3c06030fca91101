#include "core/roofline/ceilings.h"

#include <algorithm>

namespace loopglass::roofline {

double bytes_of(const Traffic& traffic, Bound level) {
  switch (level) {
    case Bound::L1: return traffic.l1;
    case Bound::L2: return traffic.l2;
    case Bound::L3: return traffic.l3;
    default: return traffic.memory;
  }
}

std::vector<Ceiling> ceilings_of(const Traffic& traffic, const Roofs& roofs, double took) {
  std::vector<Ceiling> ceilings;
  const auto add = [&](Bound bound, double milliseconds) {
    if (milliseconds > 0)
      ceilings.push_back({bound, milliseconds, took > 0 ? milliseconds / took : 0});
  };
  if (const double peak = roofs.gflops(traffic.type); peak > 0)
    add(Bound::Compute, traffic.flops / peak * 1e-6);
  for (std::size_t l = 0; l < levels.size(); ++l)
    add(levels[l], bytes_of(traffic, levels[l]) / roofs.levels[l].gigabytes_per_second * 1e-6);
  // Beside what it takes by itself, where nobody calls it anew.
  const double calling = roofs.launch_microseconds * 1e-3;
  if (took > 0) ceilings.push_back({Bound::Launch, calling, calling / (took + calling)});
  std::ranges::stable_sort(ceilings, std::greater(), &Ceiling::milliseconds);
  return ceilings;
}

}  // namespace loopglass::roofline
