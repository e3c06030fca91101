// ResNet-50 (He, Zhang, Ren, Sun, 2015) in the v1.5 form, the stride in the 3x3 convolutions:
// 25,557,032 parameters.
#include "samples/architectures.h"
#include "samples/network.h"

#include <fmt/format.h>

namespace loopglass::samples {

namespace {

using Value = Network::Value;

Value bottleneck(Network& network, Value x, std::int64_t width, std::int64_t stride, const std::string& name) {
  const auto layer = [&](Value in, const Network::Convolution& convolution, const std::string& part, double gain = 1) {
    return network.batch_normalisation(network.convolution(in, convolution, name + ".conv" + part), name + ".bn" + part, gain);
  };
  const auto relu = [&](Value in, const std::string& part) { return network.add("Relu", {in}, {}, name + ".relu" + part); };
  Value y = relu(layer(x, {.channels = width}, "1"), "1");
  y = relu(layer(y, {.channels = width, .kernel = 3, .stride = stride}, "2"), "2");
  y = layer(y, {.channels = 4 * width}, "3", 0.3);
  const bool projects = stride != 1 || network.shape(x)[1] != 4 * width;
  const Value shortcut = projects ? layer(x, {.channels = 4 * width, .stride = stride}, "_shortcut") : x;
  return relu(network.add("Add", {y, shortcut}, {}, name + ".add"), "3");
}

}  // namespace

graph::Graph resnet50(std::int64_t image_size) {
  Network network("resnet50", 3);
  const Value image = network.input("image", {1, 3, image_size, image_size});
  Value x = network.convolution(image, {.channels = 64, .kernel = 7, .stride = 2}, "conv1");
  x = network.add("Relu", {network.batch_normalisation(x, "bn1")}, {}, "relu1");
  x = network.max_pool(x, 3, 2, 1);
  constexpr std::int64_t blocks[]{3, 4, 6, 3};
  for (std::int64_t stage = 0; stage < 4; ++stage)
    for (std::int64_t block = 0; block < blocks[stage]; ++block)
      x = bottleneck(network, x, std::int64_t{64} << stage, stage > 0 && block == 0 ? 2 : 1,
                     fmt::format("layer{}.{}", stage + 1, block));
  x = network.add("GlobalAveragePool", {x}, {}, "pool");
  x = network.add("Flatten", {x}, {}, "flatten");
  return std::move(network).finish({network.dense(x, 1000, "fc")});
}

}  // namespace loopglass::samples
