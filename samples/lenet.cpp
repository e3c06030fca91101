// LeNet-5 (LeCun, Bottou, Bengio, Haffner, 1998) as it is taught today, with ReLU and max pooling:
// 61,706 parameters.
#include "samples/architectures.h"
#include "samples/network.h"

#include <cmath>

namespace loopglass::samples {

graph::Graph lenet() {
  Network network("lenet", 2);
  const auto image = network.input("image", {1, 1, 28, 28});
  auto x = network.convolution(image, {.channels = 6, .kernel = 5, .bias = true}, "conv1");
  x = network.max_pool(network.add("Relu", {x}, {}, "relu1"), 2, 2);
  // Unpadded, unlike the first.
  const auto weight = network.parameter("conv2.weight", {16, 6, 5, 5}, std::sqrt(6.0 / 150));
  const auto bias = network.parameter("conv2.bias", {16}, 0.05);
  x = network.add("Conv", {x, weight, bias}, {{"kernel_shape", std::vector<std::int64_t>{5, 5}}}, "conv2");
  x = network.max_pool(network.add("Relu", {x}, {}, "relu2"), 2, 2);
  x = network.add("Flatten", {x}, {}, "flatten");
  x = network.add("Relu", {network.dense(x, 120, "fc1")}, {}, "relu3");
  x = network.add("Relu", {network.dense(x, 84, "fc2")}, {}, "relu4");
  x = network.dense(x, 10, "fc3");
  return std::move(network).finish({network.add("Softmax", {x}, {{"axis", std::int64_t{1}}}, "probabilities")});
}

}  // namespace loopglass::samples
