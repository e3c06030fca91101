#include "passes/graph/horizontal_cost.h"

#include <algorithm>

namespace loopglass::passes {

namespace {

constexpr double least_gain = 5000, least_share = 0.05;

double idle_flops(const HorizontalWork& work, std::int64_t columns, std::int64_t lanes) {
  if (!work.columns_in_vectors) return 0;
  const std::int64_t idle = (lanes - columns % lanes) % lanes;
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
                               std::span<const HorizontalBranch> branches, const Machine& machine) {
  const int lanes = std::max(1, machine.lanes(work.element_bytes));
  const double flops_per_ns =
      machine.peak_gflops * machine.matrix_efficiency * lanes / machine.lanes(sizeof(float));
  const double launch = 1e3 * machine.launch_microseconds;
  HorizontalCost cost;
  std::int64_t columns = 0;
  for (const HorizontalBranch& branch : branches) {
    columns += branch.columns;
    cost.flops += 2.0 * static_cast<double>(work.rows) * static_cast<double>(work.inner) *
                  static_cast<double>(branch.columns);
    cost.idle_before += idle_flops(work, branch.columns, lanes);
    if (!branch.copied_anyway) cost.slice_bytes += 2 * static_cast<double>(branch.result_bytes);
  }
  cost.idle_after = idle_flops(work, columns, lanes);
  const auto others = static_cast<double>(branches.size() - 1);
  cost.input_bytes = others * static_cast<double>(work.input_bytes);
  cost.time = static_cast<double>(branches.size()) * launch +
              (cost.flops + cost.idle_before) / flops_per_ns;
  // The input is read again from a near cache, while arithmetic goes on.
  cost.gained = others * launch + cost.input_bytes / machine.l2.gigabytes_per_second +
                (cost.idle_before - cost.idle_after) / flops_per_ns;
  // To a far cache and back.
  cost.lost = cost.slice_bytes / (machine.l3.gigabytes_per_second / 2);
  return cost;
}

}  // namespace loopglass::passes
