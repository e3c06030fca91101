// EfficientNet-B0 (Tan and Le: "EfficientNet: Rethinking Model Scaling for Convolutional Neural
// Networks", 2019), padded evenly as frameworks other than TensorFlow do. 5,288,548 parameters.
// Swish is Sigmoid and Mul, as exporters write it.
#include "samples/architectures.h"
#include "samples/network.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::samples {

namespace {

// Swish lets less than half the variance through, so convolutions after it make up for more.
constexpr float swish_gain = 2.8f;

ValueId swish(Network& net, const std::string& name, ValueId x) {
  return net.apply(name + ".mul", "Mul", {x, net.apply(name + ".sigmoid", "Sigmoid", {x})});
}

ValueId normalised_swish(Network& net, const std::string& name, ValueId x) {
  return swish(net, name + ".swish", net.batch_normalisation(name + ".bn", x));
}

// Weighs each channel by what the whole image says (Hu et al., 2017).
ValueId squeeze_and_excite(Network& net, const std::string& name, ValueId x,
                           std::int64_t squeezed) {
  const std::int64_t channels = net.shape(x)[1];
  ValueId weight = net.apply(name + ".squeeze", "GlobalAveragePool", {x});
  weight = swish(
      net, name + ".swish",
      net.convolution(name + ".reduce", weight, {.channels = squeezed, .kernel = 1, .bias = true}));
  weight =
      net.convolution(name + ".expand", weight, {.channels = channels, .kernel = 1, .bias = true});
  return net.apply(name + ".scale", "Mul", {x, net.apply(name + ".sigmoid", "Sigmoid", {weight})});
}

struct Stage {
  std::int64_t expansion, kernel, stride, channels;
  int blocks;
};

// Mobile inverted bottleneck: expand, depthwise, squeeze and excite, project; a shortcut where
// shapes agree.
ValueId inverted_bottleneck(Network& net, const std::string& name, ValueId x, const Stage& stage,
                            std::int64_t stride) {
  const ValueId shortcut = x;
  if (net.shape(x).empty()) return {};
  const std::int64_t inputs = net.shape(x)[1], expanded = inputs * stage.expansion;
  if (stage.expansion != 1)
    x = normalised_swish(
        net, name + ".expand",
        net.convolution(name + ".expand", x, {.channels = expanded, .kernel = 1, .gain = 1}));
  x = net.convolution(name + ".depthwise", x,
                      {.channels = expanded,
                       .kernel = stage.kernel,
                       .stride = stride,
                       .groups = expanded,
                       .gain = swish_gain});
  x = normalised_swish(net, name + ".depthwise", x);
  x = squeeze_and_excite(net, name + ".se", x, std::max<std::int64_t>(1, inputs / 4));
  // The gates are about one half, a quarter of the variance.
  x = net.convolution(name + ".project", x,
                      {.channels = stage.channels, .kernel = 1, .gain = 4 * swish_gain});
  const bool residual = stride == 1 && inputs == stage.channels;
  x = net.batch_normalisation(name + ".project.bn", x, residual ? 0.3f : 1);
  return residual ? net.apply(name + ".add", "Add", {x, shortcut}) : x;
}

}  // namespace

Result<graph::Graph> efficientnet_b0(std::int64_t image_size) {
  const Stage stages[] = {{1, 3, 1, 16, 1},  {6, 3, 2, 24, 2},  {6, 5, 2, 40, 2}, {6, 3, 2, 80, 3},
                          {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4}, {6, 3, 1, 320, 1}};
  Network net("efficientnet_b0");
  ValueId x = net.input("image", {1, 3, image_size, image_size});
  x = normalised_swish(net, "stem",
                       net.convolution("stem", x, {.channels = 32, .kernel = 3, .stride = 2}));
  int number = 0;
  for (const Stage& stage : stages) {
    ++number;
    for (int block = 0; block < stage.blocks; ++block)
      x = inverted_bottleneck(net, fmt::format("stage{}.{}", number, block), x, stage,
                              block == 0 ? stage.stride : 1);
  }
  x = normalised_swish(net, "head", net.convolution("head", x, {.channels = 1280, .kernel = 1}));
  return std::move(net).finish(
      {net.dense("classifier", net.pooled_features("avgpool", x), 1000, 1)});
}

}  // namespace loopglass::samples
