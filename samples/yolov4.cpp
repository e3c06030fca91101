// YOLO-V4 (Bochkovskiy, Wang, Liao, 2020) for the 80 classes of COCO, after the authors' published
// configuration: CSPDarknet-53 with Mish, spatial pyramid pooling, path aggregation, three heads;
// 110 convolutions, 64,363,101 parameters. Mish is written as exporters do: x * tanh(softplus(x)).
#include "samples/architectures.h"
#include "samples/network.h"

#include <fmt/format.h>

namespace loopglass::samples {

namespace {

using Value = Network::Value;

class Yolo {
 public:
  explicit Yolo(Network& network) : network_(network) {}

  Value mish(Value x, std::int64_t channels, std::int64_t kernel = 1, std::int64_t stride = 1, double gain = 1) {
    const std::string name = next_name();
    x = normalised(x, channels, kernel, stride, name, gain);
    const Value gate = network_.add("Tanh", {network_.add("Softplus", {x}, {}, name + ".softplus")}, {}, name + ".tanh");
    return network_.add("Mul", {x, gate}, {}, name + ".mish");
  }

  Value leaky(Value x, std::int64_t channels, std::int64_t kernel = 1, std::int64_t stride = 1) {
    const std::string name = next_name();
    return network_.add("LeakyRelu", {normalised(x, channels, kernel, stride, name, 1)}, {{"alpha", 0.1}}, name + ".leaky");
  }

  // Cross-stage partial block: half of the channels go through the residual units, half pass by.
  Value stage(Value x, std::int64_t channels, int residuals, bool first) {
    const std::int64_t half = first ? channels : channels / 2;
    const Value down = mish(x, channels, 3, 2);
    const Value bypass = mish(down, half);
    Value y = mish(down, half);
    for (int i = 0; i < residuals; ++i) {
      const Value inner = mish(y, first ? half / 2 : half);
      y = network_.add("Add", {y, mish(inner, half, 3, 1, 0.5)}, {}, fmt::format("residual{}", ++residuals_));
    }
    return mish(concat({mish(y, half), bypass}), channels);
  }

  Value pyramid_pooling(Value x) {
    const auto pooled = [&](std::int64_t kernel) { return network_.max_pool(x, kernel, 1, kernel / 2); };
    return concat({pooled(13), pooled(9), pooled(5), x});
  }

  // 1x1 and 3x3 convolutions in turn, ending on the narrow one.
  Value squeeze(Value x, std::int64_t channels, int pairs) {
    for (int i = 0; i < pairs; ++i) x = leaky(leaky(x, channels), 2 * channels, 3);
    return leaky(x, channels);
  }

  Value upsample(Value x) {
    return network_.add("Resize", {x},
                        {{"mode", std::string("nearest")}, {"coordinate_transformation_mode", std::string("asymmetric")},
                         {"nearest_mode", std::string("floor")}, {"scales", std::vector<double>{1, 1, 2, 2}}},
                        fmt::format("upsample{}", ++upsamples_));
  }

  Value concat(std::vector<Value> parts) {
    return network_.add("Concat", std::move(parts), {{"axis", std::int64_t{1}}}, fmt::format("concat{}", ++concats_));
  }

  Value head(Value x, std::int64_t channels) {
    // Three anchors of four coordinates, objectness and 80 classes each.
    return network_.convolution(leaky(x, channels, 3), {.channels = 3 * (4 + 1 + 80), .bias = true}, next_name());
  }

 private:
  Value normalised(Value x, std::int64_t channels, std::int64_t kernel, std::int64_t stride, const std::string& name,
                   double gain) {
    x = network_.convolution(x, {.channels = channels, .kernel = kernel, .stride = stride}, name);
    return network_.batch_normalisation(x, name + ".bn", gain);
  }

  std::string next_name() { return fmt::format("conv{}", ++convolutions_); }

  Network& network_;
  int convolutions_ = 0, residuals_ = 0, concats_ = 0, upsamples_ = 0;
};

}  // namespace

graph::Graph yolov4(std::int64_t image_size) {
  Network network("yolov4", 7);
  Yolo yolo(network);
  const Value image = network.input("image", {1, 3, image_size, image_size});

  Value x = yolo.mish(image, 32, 3);
  x = yolo.stage(x, 64, 1, true);
  x = yolo.stage(x, 128, 2, false);
  const Value eighth = yolo.stage(x, 256, 8, false);
  const Value sixteenth = yolo.stage(eighth, 512, 8, false);
  const Value thirty_second = yolo.stage(sixteenth, 1024, 4, false);

  x = yolo.pyramid_pooling(yolo.squeeze(thirty_second, 512, 1));
  const Value deep = yolo.squeeze(x, 512, 1);
  x = yolo.upsample(yolo.leaky(deep, 256));
  const Value middle = yolo.squeeze(yolo.concat({yolo.leaky(sixteenth, 256), x}), 256, 2);
  x = yolo.upsample(yolo.leaky(middle, 128));
  const Value shallow = yolo.squeeze(yolo.concat({yolo.leaky(eighth, 128), x}), 128, 2);

  const Value large_map = yolo.head(shallow, 256);
  const Value aggregated_middle = yolo.squeeze(yolo.concat({yolo.leaky(shallow, 256, 3, 2), middle}), 256, 2);
  const Value middle_map = yolo.head(aggregated_middle, 512);
  const Value aggregated_deep = yolo.squeeze(yolo.concat({yolo.leaky(aggregated_middle, 512, 3, 2), deep}), 512, 2);
  return std::move(network).finish({large_map, middle_map, yolo.head(aggregated_deep, 1024)});
}

}  // namespace loopglass::samples
