// MobileNet-V1 (Howard et al.: "MobileNets: Efficient Convolutional Neural Networks for Mobile
// Vision Applications", 2017), width 1.0. 4,231,976 parameters.
#include "samples/architectures.h"
#include "samples/network.h"

#include <fmt/format.h>

namespace loopglass::samples {

namespace {

ValueId normalised_relu(Network& net, const std::string& name, ValueId x) {
  return net.relu(name + ".relu", net.batch_normalisation(name + ".bn", x));
}

// One channel at a time over space, then all channels at each place.
ValueId separable(Network& net, const std::string& name, ValueId x, std::int64_t channels,
                  std::int64_t stride) {
  const std::int64_t inputs = net.shape(x)[1];
  x = net.convolution(name + ".depthwise", x,
                      {.channels = inputs, .kernel = 3, .stride = stride, .groups = inputs});
  x = normalised_relu(net, name + ".depthwise", x);
  x = net.convolution(name + ".pointwise", x, {.channels = channels, .kernel = 1});
  return normalised_relu(net, name + ".pointwise", x);
}

}  // namespace

Result<graph::Graph> mobilenet_v1(std::int64_t image_size) {
  struct Block {
    std::int64_t channels, stride;
  };
  const Block blocks[] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                          {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  Network net("mobilenet_v1");
  ValueId x = net.input("image", {1, 3, image_size, image_size});
  x = normalised_relu(net, "conv0",
                      net.convolution("conv0", x, {.channels = 32, .kernel = 3, .stride = 2}));
  int number = 0;
  for (const auto& [channels, stride] : blocks)
    x = separable(net, fmt::format("block{}", ++number), x, channels, stride);
  x = net.dense("fc", net.pooled_features("avgpool", x), 1000, 1);
  return std::move(net).finish(
      {net.apply("probabilities", "Softmax", {x}, {{"axis", std::int64_t{-1}}})});
}

}  // namespace loopglass::samples
