// LeNet-5 (LeCun, Bottou, Bengio and Haffner, 1998) as it is usually rebuilt: every feature map sees
// all maps before it, and the last layer is dense. 61,706 parameters.
#include "samples/architectures.h"
#include "samples/network.h"

namespace loopglass::samples {

namespace {

ValueId convolve(Network& net, const std::string& name, ValueId x, std::int64_t channels, std::int64_t pad) {
  const std::int64_t inputs = net.shape(x)[1];
  return net.apply(name, "Conv",
                   {x, net.weights(name + ".weight", {channels, inputs, 5, 5}, 0.25f), net.weights(name + ".bias", {channels}, 0.05f)},
                   {{"kernel_shape", Integers{5, 5}}, {"pads", Integers{pad, pad, pad, pad}}, {"strides", Integers{1, 1}}});
}

ValueId subsample(Network& net, const std::string& name, ValueId x) {
  return net.apply(name, "AveragePool", {x}, {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}});
}

}  // namespace

Result<graph::Graph> lenet(std::int64_t image_size) {
  Network net("lenet");
  ValueId x = net.input("image", {1, 1, image_size, image_size});
  x = subsample(net, "pool1", net.apply("tanh1", "Tanh", {convolve(net, "conv1", x, 6, 2)}));
  x = subsample(net, "pool2", net.apply("tanh2", "Tanh", {convolve(net, "conv2", x, 16, 0)}));
  x = net.apply("flatten", "Flatten", {x}, {{"axis", std::int64_t{1}}});
  x = net.apply("tanh3", "Tanh", {net.dense("fc1", x, 120)});
  x = net.apply("tanh4", "Tanh", {net.dense("fc2", x, 84)});
  x = net.apply("probabilities", "Softmax", {net.dense("fc3", x, 10)}, {{"axis", std::int64_t{-1}}});
  return std::move(net).finish({x});
}

}  // namespace loopglass::samples
