// MobileNet-V1, width 1.0 (Howard et al., 2017): depthwise and pointwise convolutions in turn,
// 4,231,976 parameters.
#include "samples/architectures.h"
#include "samples/network.h"

#include <fmt/format.h>

namespace loopglass::samples {

graph::Graph mobilenet_v1(std::int64_t image_size) {
  Network network("mobilenet_v1", 4);
  using Value = Network::Value;
  const auto layer = [&](Value x, const Network::Convolution& convolution, const std::string& name) {
    x = network.batch_normalisation(network.convolution(x, convolution, name), name + ".bn");
    return network.add("Relu", {x}, {}, name + ".relu");
  };
  const Value image = network.input("image", {1, 3, image_size, image_size});
  Value x = layer(image, {.channels = 32, .kernel = 3, .stride = 2}, "conv1");
  struct Block {
    std::int64_t channels, stride;
  };
  constexpr Block blocks[]{{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                           {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  int number = 2;
  for (const Block& block : blocks) {
    const std::int64_t channels = network.shape(x)[1];
    x = layer(x, {.channels = channels, .kernel = 3, .stride = block.stride, .groups = channels}, fmt::format("depthwise{}", number));
    x = layer(x, {.channels = block.channels}, fmt::format("pointwise{}", number++));
  }
  x = network.add("GlobalAveragePool", {x}, {}, "pool");
  x = network.dense(network.add("Flatten", {x}, {}, "flatten"), 1000, "fc");
  return std::move(network).finish({network.add("Softmax", {x}, {{"axis", std::int64_t{1}}}, "probabilities")});
}

}  // namespace loopglass::samples
