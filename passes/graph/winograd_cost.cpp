#include "passes/graph/winograd_cost.h"

#include "core/ops/winograd.h"

#include <algorithm>

namespace loopglass::passes {

namespace {

// What the smallest cache that holds so much lets through.
double gigabytes_per_second(double bytes, const Machine& machine) {
  for (const Machine::Cache& cache : {machine.l2, machine.l3})
    if (bytes <= static_cast<double>(cache.bytes)) return cache.gigabytes_per_second;
  return machine.memory_gigabytes_per_second;
}

}  // namespace

std::vector<std::pair<std::string, double>> WinogradCost::numbers() const {
  return {{"convolution_ns", convolution}, {"product_ns", product}, {"transforms_ns", transforms}};
}

WinogradCost winograd_cost(const ops::Convolution& convolution, std::int64_t tile,
                           const Machine& machine) {
  constexpr double element = sizeof(float);
  const auto channels = static_cast<double>(convolution.group_channels),
             filters = static_cast<double>(convolution.group_filters);
  double pixels = static_cast<double>(convolution.output[0]), results = pixels, tiles = pixels;
  for (const ops::WindowAxis& axis : convolution.window) {
    pixels *= static_cast<double>(axis.input);
    results *= static_cast<double>(axis.output);
    tiles *= static_cast<double>((axis.output + tile - 1) / tile);
  }
  const auto points =
      static_cast<double>((tile + ops::winograd::kernel - 1) * (tile + ops::winograd::kernel - 1));
  constexpr double taps = ops::winograd::kernel * ops::winograd::kernel;
  const double between = points * tiles * (channels + filters) * element,
               weights = points * channels * filters * element,
               ends = (pixels * channels + results * filters) * element;
  WinogradCost cost;
  cost.convolution = 2 * taps * results * channels * filters / machine.peak_gflops;
  // What is read and written hides behind the arithmetic, or the other way round.
  cost.product = std::max(2 * points * tiles * channels * filters / machine.peak_gflops,
                          (between + weights) / gigabytes_per_second(between + weights, machine));
  // Channels that fill no vectors are transformed one by one.
  const std::int64_t lanes = machine.lanes(sizeof(float));
  const bool fills_vectors =
      convolution.group_channels % lanes == 0 && convolution.group_filters % lanes == 0;
  cost.transforms = (between + ends) / gigabytes_per_second(between + ends, machine) *
                        static_cast<double>(fills_vectors ? 1 : lanes) +
                    2e3 * machine.launch_microseconds;
  return cost;
}

}  // namespace loopglass::passes
