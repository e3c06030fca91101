// YOLO-V4 (Bochkovskiy, Wang and Liao: "YOLOv4: Optimal Speed and Accuracy of Object Detection",
// 2020) for 80 classes, up to its three raw outputs: a CSPDarknet53 backbone with Mish, spatial
// pyramid pooling, and a path aggregation neck with leaky ReLU. 110 convolutions, 64.36 million
// parameters. Mish is Softplus, Tanh and Mul, as exporters write it.
#include "samples/architectures.h"
#include "samples/network.h"

#include <fmt/format.h>

namespace loopglass::samples {

namespace {

enum class Activation : std::uint8_t { Mish, Leaky };

// Numbers its layers, as the original description does.
class Yolo {
 public:
  explicit Yolo(std::int64_t image_size)
      : net_("yolov4"), image_(net_.input("image", {1, 3, image_size, image_size})) {}

  Result<graph::Graph> build() && {
    ValueId x = layer(image_, 32, 3, 1, Activation::Mish);
    x = stage(x, 64, 1, true);
    x = stage(x, 128, 2);
    const ValueId fine = x = stage(x, 256, 8);
    const ValueId middle = x = stage(x, 512, 8);
    x = stage(x, 1024, 4);

    const ValueId p5 = pyramid_pooling(x);
    const ValueId p4 = five(join(lateral(middle, 256), upsampled(p5, 256)), 256);
    const ValueId p3 = five(join(lateral(fine, 128), upsampled(p4, 128)), 128);
    const ValueId n4 = five(join(layer(p3, 256, 3, 2), p4), 256);
    const ValueId n5 = five(join(layer(n4, 512, 3, 2), p5), 512);
    const std::vector<ValueId> outputs{head("small", p3, 256), head("medium", n4, 512),
                                       head("large", n5, 1024)};
    return std::move(net_).finish(outputs);
  }

 private:
  std::string next(std::string_view kind) { return fmt::format("{}{}", kind, ++number_); }

  ValueId activated(const std::string& name, ValueId x, Activation activation) {
    if (activation == Activation::Leaky)
      return net_.apply(name + ".leaky", "LeakyRelu", {x}, {{"alpha", 0.1}});
    const ValueId softplus = net_.apply(name + ".softplus", "Softplus", {x});
    return net_.apply(name + ".mish", "Mul", {x, net_.apply(name + ".tanh", "Tanh", {softplus})});
  }

  // `scale` is the batch normalisation's: small at the end of a residual branch, as after training.
  ValueId layer(ValueId x, std::int64_t channels, std::int64_t kernel, std::int64_t stride = 1,
                Activation activation = Activation::Leaky, float scale = 1) {
    const std::string name = next("conv");
    x = net_.convolution(name, x, {.channels = channels, .kernel = kernel, .stride = stride});
    return activated(name, net_.batch_normalisation(name + ".bn", x, scale), activation);
  }

  ValueId join(ValueId a, ValueId b) {
    return net_.apply(next("concat"), "Concat", {a, b}, {{"axis", std::int64_t{1}}});
  }

  // Halves the image, then a cross-stage-partial stage (Wang et al.: "CSPNet", 2019): one half of
  // the channels passes by, the other goes through residual blocks.
  ValueId stage(ValueId x, std::int64_t channels, int blocks, bool first = false) {
    const Activation mish = Activation::Mish;
    const std::int64_t half = first ? channels : channels / 2;
    x = layer(x, channels, 3, 2, mish);
    const ValueId bypass = layer(x, half, 1, 1, mish);
    x = layer(x, half, 1, 1, mish);
    for (int i = 0; i < blocks; ++i) {
      const ValueId inner = layer(x, channels / 2, 1, 1, mish);
      x = net_.apply(next("shortcut"), "Add", {x, layer(inner, half, 3, 1, mish, 0.3f)});
    }
    return layer(join(layer(x, half, 1, 1, mish), bypass), channels, 1, 1, mish);
  }

  ValueId three(ValueId x) { return layer(layer(layer(x, 512, 1), 1024, 3), 512, 1); }

  // The maximum around each place at three scales (He et al., 2014).
  ValueId pyramid_pooling(ValueId x) {
    x = three(x);
    std::vector<ValueId> scales;
    for (const std::int64_t kernel : {13, 9, 5})
      scales.push_back(net_.max_pool(next("pool"), x, kernel, 1, kernel / 2));
    scales.push_back(x);
    return three(net_.apply(next("concat"), "Concat", scales, {{"axis", std::int64_t{1}}}));
  }

  ValueId lateral(ValueId x, std::int64_t channels) { return layer(x, channels, 1); }

  ValueId upsampled(ValueId x, std::int64_t channels) {
    return net_.apply(next("upsample"), "Resize", {layer(x, channels, 1)},
                      {{"scales", std::vector<double>{1, 1, 2, 2}},
                       {"mode", std::string("nearest")},
                       {"coordinate_transformation_mode", std::string("asymmetric")},
                       {"nearest_mode", std::string("floor")}});
  }

  ValueId five(ValueId x, std::int64_t channels) {
    for (int i = 0; i < 2; ++i) x = layer(layer(x, channels, 1), 2 * channels, 3);
    return layer(x, channels, 1);
  }

  // 3 boxes a place, each with 4 coordinates, objectness and 80 classes.
  ValueId head(const std::string& name, ValueId x, std::int64_t channels) {
    return net_.convolution(name, layer(x, channels, 3),
                            {.channels = 255, .kernel = 1, .bias = true, .gain = 1});
  }

  Network net_;
  ValueId image_;
  int number_ = 0;
};

}  // namespace

Result<graph::Graph> yolov4(std::int64_t image_size) { return Yolo(image_size).build(); }

}  // namespace loopglass::samples
