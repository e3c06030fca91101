// DenseNet-121 (Huang, Liu, van der Maaten and Weinberger: "Densely Connected Convolutional
// Networks", 2016): every layer reads what all layers before it in its block made, side by side.
#pragma once

#include "samples/network.h"

#include <fmt/format.h>
#include <stdexcept>

namespace loopglass::test {

inline graph::Graph densenet121(std::int64_t image_size) {
  using samples::Network;
  using samples::ValueId;
  constexpr std::int64_t growth = 32;
  const auto both = [](std::int64_t n) { return std::vector<std::int64_t>{n, n}; };
  Network net("densenet121");
  const auto normalised = [&](const std::string& name, ValueId x) {
    return net.relu(name + ".relu", net.batch_normalisation(name + ".norm", x));
  };
  ValueId x = net.input("image", {1, 3, image_size, image_size});
  x = normalised("stem", net.convolution("conv0", x, {.channels = 64, .kernel = 7, .stride = 2}));
  x = net.max_pool("pool0", x, 3, 2, 1);
  const std::int64_t layers[] = {6, 12, 24, 16};
  for (std::size_t block = 0; block < 4; ++block) {
    for (std::int64_t layer = 0; layer < layers[block]; ++layer) {
      const std::string name = fmt::format("block{}.layer{}", block + 1, layer + 1);
      ValueId y = normalised(name + ".1", x);
      y = net.convolution(name + ".conv1", y, {.channels = 4 * growth, .kernel = 1});
      y = normalised(name + ".2", y);
      y = net.convolution(name + ".conv2", y, {.channels = growth, .kernel = 3});
      x = net.apply(name + ".concat", "Concat", {x, y}, {{"axis", std::int64_t{1}}});
    }
    if (block == 3) break;
    const std::string name = fmt::format("transition{}", block + 1);
    x = net.convolution(name + ".conv", normalised(name, x),
                        {.channels = net.shape(x)[1] / 2, .kernel = 1});
    x = net.apply(name + ".pool", "AveragePool", {x},
                  {{"kernel_shape", both(2)}, {"strides", both(2)}});
  }
  x = net.dense("classifier", net.pooled_features("pool", normalised("final", x)), 1000, 1);
  auto graph = std::move(net).finish({x});
  if (!graph) throw std::logic_error(to_string(graph.error()));
  return *std::move(graph);
}

}  // namespace loopglass::test
