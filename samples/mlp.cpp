// A multi-layer perceptron for 28 x 28 digits: 784 - 256 - 128 - 10, 235,146 parameters.
#include "samples/architectures.h"
#include "samples/network.h"

namespace loopglass::samples {

graph::Graph mlp() {
  Network network("mlp", 1);
  const auto image = network.input("image", {1, 784});
  auto x = network.add("Relu", {network.dense(image, 256, "fc1")}, {}, "relu1");
  x = network.add("Relu", {network.dense(x, 128, "fc2")}, {}, "relu2");
  x = network.dense(x, 10, "fc3");
  return std::move(network).finish({network.add("Softmax", {x}, {{"axis", std::int64_t{1}}}, "probabilities")});
}

}  // namespace loopglass::samples
