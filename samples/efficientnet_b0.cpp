// EfficientNet-B0 (Tan, Le, 2019): inverted residuals with squeeze and excitation, SiLU written as
// exporters do, x * sigmoid(x): 5,288,548 parameters.
#include "samples/architectures.h"
#include "samples/network.h"

#include <fmt/format.h>

namespace loopglass::samples {

namespace {

using Value = Network::Value;

class EfficientNet {
 public:
  explicit EfficientNet(Network& network) : network_(network) {}

  Value layer(Value x, const Network::Convolution& convolution, const std::string& name, bool activate = true,
              double gain = 1) {
    x = network_.batch_normalisation(network_.convolution(x, convolution, name), name + ".bn", gain);
    return activate ? silu(x, name) : x;
  }

  Value inverted_residual(Value x, std::int64_t expansion, std::int64_t channels, std::int64_t kernel,
                          std::int64_t stride, const std::string& name) {
    const std::int64_t inputs = network_.shape(x)[1], width = inputs * expansion;
    Value y = expansion == 1 ? x : layer(x, {.channels = width}, name + ".expand");
    y = layer(y, {.channels = width, .kernel = kernel, .stride = stride, .groups = width}, name + ".depthwise");
    y = squeeze_and_excite(y, std::max<std::int64_t>(1, inputs / 4), name + ".se");
    const bool residual = stride == 1 && inputs == channels;
    y = layer(y, {.channels = channels}, name + ".project", false, residual ? 0.5 : 1);
    return residual ? network_.add("Add", {y, x}, {}, name + ".add") : y;
  }

 private:
  Value silu(Value x, const std::string& name) {
    return network_.add("Mul", {x, network_.add("Sigmoid", {x}, {}, name + ".sigmoid")}, {}, name + ".silu");
  }

  Value squeeze_and_excite(Value x, std::int64_t squeezed, const std::string& name) {
    Value gate = network_.add("GlobalAveragePool", {x}, {}, name + ".pool");
    gate = silu(network_.convolution(gate, {.channels = squeezed, .bias = true}, name + ".reduce"), name + ".reduce");
    gate = network_.convolution(gate, {.channels = network_.shape(x)[1], .bias = true}, name + ".expand");
    return network_.add("Mul", {x, network_.add("Sigmoid", {gate}, {}, name + ".gate")}, {}, name + ".scale");
  }

  Network& network_;
};

}  // namespace

graph::Graph efficientnet_b0(std::int64_t image_size) {
  Network network("efficientnet_b0", 6);
  EfficientNet layers(network);
  const Value image = network.input("image", {1, 3, image_size, image_size});
  Value x = layers.layer(image, {.channels = 32, .kernel = 3, .stride = 2}, "stem");
  struct Stage {
    std::int64_t expansion, channels, repeats, stride, kernel;
  };
  constexpr Stage stages[]{{1, 16, 1, 1, 3},  {6, 24, 2, 2, 3},  {6, 40, 2, 2, 5}, {6, 80, 3, 2, 3},
                           {6, 112, 3, 1, 5}, {6, 192, 4, 2, 5}, {6, 320, 1, 1, 3}};
  int number = 1;
  for (const Stage& stage : stages)
    for (std::int64_t i = 0; i < stage.repeats; ++i)
      x = layers.inverted_residual(x, stage.expansion, stage.channels, stage.kernel, i == 0 ? stage.stride : 1,
                                   fmt::format("block{}", number++));
  x = layers.layer(x, {.channels = 1280}, "head");
  x = network.add("GlobalAveragePool", {x}, {}, "pool");
  return std::move(network).finish({network.dense(network.add("Flatten", {x}, {}, "flatten"), 1000, "fc")});
}

}  // namespace loopglass::samples
