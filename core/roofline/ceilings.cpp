#include "core/roofline/ceilings.h"

#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"

#include <fmt/format.h>

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

std::string roof_words(const Ceiling& ceiling, const Traffic& traffic, const Roofs& roofs,
                       double milliseconds) {
  const double percent = 100 * ceiling.share;
  if (ceiling.bound == Bound::Compute)
    return fmt::format("{} of {} at most: {:.0f} % of the peak",
                       readable_speed(traffic.flops / milliseconds * 1e-6),
                       readable_speed(roofs.gflops(traffic.type)), percent);
  const std::string took = readable_time(Milliseconds(milliseconds));
  if (ceiling.bound == Bound::Launch)
    return fmt::format("it takes {}, and to call a kernel {} more", took,
                       readable_time(Milliseconds(ceiling.milliseconds)));
  const auto level =
      static_cast<std::size_t>(std::ranges::find(levels, ceiling.bound) - levels.begin());
  return fmt::format("{} from {} in {}: {:.0f} % of its {:.0f} GB/s",
                     readable_bytes(static_cast<std::int64_t>(bytes_of(traffic, ceiling.bound))),
                     roofs.levels[level].name, took, percent,
                     roofs.levels[level].gigabytes_per_second);
}

std::string above_words(const Ceiling& ceiling) {
  constexpr double beyond_measuring = 1.03;
  if (ceiling.share <= beyond_measuring) return "";
  const bool is_of_code = ceiling.bound == Bound::Compute || ceiling.bound == Bound::L1;
  return fmt::format("it takes {:.0f} % of what its roof asks for: {}", 100 / ceiling.share,
                     is_of_code
                         ? "its machine code does not do all that stands in the nest, or the roof "
                           "was measured too low, as on a busy machine"
                         : "a part of its data was still nearer than is counted, or the "
                           "roof was measured too low, as on a busy machine");
}

}  // namespace loopglass::roofline
