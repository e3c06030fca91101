#include "passes/graph/horizontal_cost.h"

#include <algorithm>

namespace loopglass::passes {

namespace {

constexpr double launch = 200;                // ns to start a kernel
constexpr double flops_per_lane_and_ns = 12;  // two multiply-adds a cycle at 3 GHz
constexpr double reread_bytes_per_ns = 100;   // from a near cache, while arithmetic goes on
constexpr double slice_bytes_per_ns = 10;     // to a far cache and back
constexpr double least_gain = 5000, least_share = 0.05;

double idle_flops(const HorizontalWork& work, std::int64_t columns) {
  if (!work.columns_in_vectors) return 0;
  const std::int64_t idle = (work.lanes - columns % work.lanes) % work.lanes;
  return 2.0 * static_cast<double>(work.rows) * static_cast<double>(work.inner) *
         static_cast<double>(idle);
}

}  // namespace

bool HorizontalCost::pays() const {
  return gained - lost > std::max(least_gain, least_share * time);
}

std::vector<std::pair<std::string, double>> HorizontalCost::numbers() const {
  return {{"flops", flops},
          {"idle_flops_before", idle_before},
          {"idle_flops_after", idle_after},
          {"input_bytes_saved", input_bytes},
          {"slice_bytes", slice_bytes},
          {"time_before_ns", time},
          {"gained_ns", gained},
          {"lost_ns", lost}};
}

HorizontalCost horizontal_cost(const HorizontalWork& work,
                               std::span<const HorizontalBranch> branches) {
  const double flops_per_ns = flops_per_lane_and_ns * static_cast<double>(work.lanes);
  HorizontalCost cost;
  std::int64_t columns = 0;
  for (const HorizontalBranch& branch : branches) {
    columns += branch.columns;
    cost.flops += 2.0 * static_cast<double>(work.rows) * static_cast<double>(work.inner) *
                  static_cast<double>(branch.columns);
    cost.idle_before += idle_flops(work, branch.columns);
    if (!branch.copied_anyway) cost.slice_bytes += 2 * static_cast<double>(branch.result_bytes);
  }
  cost.idle_after = idle_flops(work, columns);
  const auto others = static_cast<double>(branches.size() - 1);
  cost.input_bytes = others * static_cast<double>(work.input_bytes);
  cost.time = static_cast<double>(branches.size()) * launch +
              (cost.flops + cost.idle_before) / flops_per_ns;
  cost.gained = others * launch + cost.input_bytes / reread_bytes_per_ns +
                (cost.idle_before - cost.idle_after) / flops_per_ns;
  cost.lost = cost.slice_bytes / slice_bytes_per_ns;
  return cost;
}

}  // namespace loopglass::passes
