// Seeded random networks of images with channels for several blocks, which every layout can take:
// convolutions, batch normalisations, activations, scales, biases, residual sums, pooling,
// concatenation. The images are tiny, so that all loops can be run through.
#pragma once

#include "core/ops/registry.h"
#include "samples/network.h"

#include <fmt/format.h>
#include <random>
#include <set>
#include <stdexcept>

namespace loopglass::test {

inline graph::Graph image_network(std::uint32_t seed, int operators) {
  using samples::ValueId;
  constexpr std::int64_t channels = 64, extent = 2;
  std::mt19937 random(seed);
  const auto pick = [&](std::size_t count) { return random() % count; };
  samples::Network net("images");
  // A first convolution, so that the layout is chosen inside.
  std::vector<ValueId> values{net.convolution(
      "first", net.input("x", {1, channels, extent, extent}), {.channels = channels, .kernel = 1})};
  std::set<std::size_t> read;
  for (int i = 0; i < operators; ++i) {
    const auto recent = [&] {
      const std::size_t k = values.size() - 1 - std::min(pick(values.size()), pick(values.size()));
      read.insert(k);
      return values[k];
    };
    const std::string name = fmt::format("n{}", i);
    const ValueId x = recent();
    ValueId made;
    switch (pick(10)) {
      case 0:
      case 1:
        made = net.convolution(name, x, {.channels = channels, .kernel = pick(2) ? 1 : 3});
        break;
      case 2:
      case 3: made = net.batch_normalisation(name, x); break;
      case 4: made = net.relu(name, x); break;
      case 5: made = net.apply(name, "Add", {x, recent()}); break;
      case 6:
        made = net.apply(name, pick(2) ? "Mul" : "Add",
                         {x, net.weights(name + ".w", {1, channels, 1, 1}, 0.5f, 1)});
        break;
      case 7:
        made = net.apply(name, "PRelu", {x, net.weights(name + ".slope", {channels, 1, 1}, 0.5f)});
        break;
      case 8: made = net.max_pool(name, x, 3, 1, 1); break;
      case 9: made = net.apply(name, "Sigmoid", {x}); break;
    }
    values.push_back(made);
  }
  std::vector<ValueId> results;  // what nobody reads
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!read.contains(k)) results.push_back(values[k]);
  auto graph = std::move(net).finish(results);
  if (!graph) throw std::logic_error(to_string(graph.error()));
  return *std::move(graph);
}

}  // namespace loopglass::test
