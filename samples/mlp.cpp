// The 784-300-100-10 perceptron for handwritten digits of LeCun, Bottou, Bengio and Haffner:
// "Gradient-Based Learning Applied to Document Recognition", 1998. 266,610 parameters.
#include "samples/architectures.h"
#include "samples/network.h"

namespace loopglass::samples {

Result<graph::Graph> mlp(std::int64_t) {
  Network net("mlp");
  ValueId x = net.input("digits", {1, 784});
  x = net.relu("relu1", net.dense("fc1", x, 300));
  x = net.relu("relu2", net.dense("fc2", x, 100));
  x = net.apply("probabilities", "Softmax", {net.dense("fc3", x, 10)}, {{"axis", std::int64_t{-1}}});
  return std::move(net).finish({x});
}

}  // namespace loopglass::samples
