// A multi-layer perceptron for 28 x 28 digits: 784 - 256 - 128 - 10, 235,146 parameters.
#include "samples/architectures.h"
#include "samples/network.h"

namespace loopglass::samples {

Result<graph::Graph> mlp(std::int64_t) {
  Network net("mlp");
  ValueId x = net.input("image", {1, 784});
  x = net.relu("relu1", net.dense("fc1", x, 256));
  x = net.relu("relu2", net.dense("fc2", x, 128));
  x = net.apply("probabilities", "Softmax", {net.dense("fc3", x, 10)},
                {{"axis", std::int64_t{-1}}});
  return std::move(net).finish({x});
}

}  // namespace loopglass::samples
