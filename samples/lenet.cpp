// LeNet-5 (LeCun, Bottou, Bengio and Haffner: "Gradient-Based Learning Applied to Document
// Recognition", 1998) as it is taught today, with ReLU and max pooling. 61,706 parameters.
#include "samples/architectures.h"
#include "samples/network.h"

namespace loopglass::samples {

Result<graph::Graph> lenet(std::int64_t) {
  Network net("lenet");
  ValueId x = net.input("image", {1, 1, 28, 28});
  x = net.relu("relu1", net.convolution("conv1", x, {.channels = 6, .kernel = 5, .bias = true}));
  x = net.max_pool("pool1", x, 2, 2);
  x = net.relu(
      "relu2",
      net.convolution("conv2", x, {.channels = 16, .kernel = 5, .bias = true, .padded = false}));
  x = net.max_pool("pool2", x, 2, 2);
  x = net.apply("flatten", "Flatten", {x}, {{"axis", std::int64_t{1}}});
  x = net.relu("relu3", net.dense("fc1", x, 120));
  x = net.relu("relu4", net.dense("fc2", x, 84));
  x = net.apply("probabilities", "Softmax", {net.dense("fc3", x, 10)},
                {{"axis", std::int64_t{-1}}});
  return std::move(net).finish({x});
}

}  // namespace loopglass::samples
