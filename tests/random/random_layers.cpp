#include "tests/random/random_layers.h"

#include <algorithm>

namespace loopglass::test {

namespace {

using Integers = std::vector<std::int64_t>;

class Draw {
 public:
  explicit Draw(std::mt19937& random) : random_(random) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  bool one_in(int times) { return between(1, times) == 1; }
  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + between(0, std::ssize(choices) - 1));
  }
  Tensor reals(DataType type, Shape shape, double low, double high) {
    Tensor tensor({type, std::move(shape)});
    visit_type(type, [&](auto zero) {
      for (auto& element : tensor.as<decltype(zero)>())
        element = static_cast<decltype(zero)>(real(low, high));
    });
    return tensor;
  }
  Tensor integers(DataType type, Shape shape, std::int64_t low, std::int64_t high) {
    Tensor tensor({type, std::move(shape)});
    visit_type(type, [&](auto zero) {
      for (auto& element : tensor.as<decltype(zero)>())
        element = static_cast<decltype(zero)>(between(low, high));
    });
    return tensor;
  }
  // Small enough that sums stay far from the ends of 32 bits, and of both signs where there are.
  Tensor bytes(DataType type, Shape shape) {
    return type == DataType::UInt8 ? integers(type, std::move(shape), 0, 255)
                                   : integers(type, std::move(shape), -128, 127);
  }
  DataType byte_type() { return one_of({DataType::UInt8, DataType::Int8}); }
  // One, or one for every index of an axis.
  Shape parameters(std::int64_t extent) { return one_in(2) ? Shape{} : Shape{extent}; }

 private:
  std::mt19937& random_;
};

constexpr std::optional<Tensor> data;
const std::optional<Tensor> left_out = Tensor();

// --- recurrent layers ---------------------------------------------------------------------------

// Affine and ScaledTanh are of operators that ONNX no longer has: their defaults are anybody's
// guess.
struct Activation {
  const char* name;
  bool alpha, beta, defaults = true;
};
// The last jumps at alpha.
constexpr Activation activations[]{
    {"Tanh", false, false},          {"Sigmoid", false, false},
    {"Relu", false, false},          {"Affine", true, true, false},
    {"LeakyRelu", true, false},      {"ScaledTanh", true, true, false},
    {"HardSigmoid", true, true},     {"Elu", true, false},
    {"Softsign", false, false},      {"Softplus", false, false},
    {"ThresholdedRelu", true, false}};

void draw_activations(Draw& draw, std::int64_t count, bool jumps, ops::Attributes& attributes) {
  std::vector<std::string> names;
  std::vector<double> alphas, betas;
  bool defaults = true;
  for (std::int64_t k = 0; k < count; ++k) {
    const Activation& drawn =
        activations[draw.between(0, std::ssize(activations) - (jumps ? 1 : 2))];
    names.push_back(drawn.name);
    defaults = defaults && drawn.defaults;
    // What float32 holds, as ONNX stores it.
    if (drawn.alpha) alphas.push_back(static_cast<double>(draw.between(1, 8)) / 8);
    if (drawn.beta) betas.push_back(static_cast<double>(draw.between(1, 8)) / 8);
  }
  attributes.set("activations", names);
  if (!alphas.empty() && !(defaults && draw.one_in(3))) attributes.set("activation_alpha", alphas);
  if (!betas.empty() && !(defaults && draw.one_in(3))) attributes.set("activation_beta", betas);
}

}  // namespace

Layer random_recurrent(std::mt19937& random, const TensorType& x, bool jumps) {
  Draw draw(random);
  Layer layer{draw.one_of({"RNN", "GRU", "LSTM"}), {}};
  const bool lstm = layer.op == "LSTM", batch_first = draw.one_in(4);
  const std::int64_t gates = lstm                ? 4
                             : layer.op == "GRU" ? 3
                                                 : 1,
                     functions = lstm                ? 3
                                 : layer.op == "GRU" ? 2
                                                     : 1;
  const auto direction = draw.one_of({"forward", "reverse", "bidirectional"});
  const std::int64_t directions = direction == std::string("bidirectional") ? 2 : 1,
                     hidden = draw.between(1, 3), batch = x.shape[batch_first ? 0 : 1],
                     steps = x.shape[batch_first ? 1 : 0];
  layer.attributes = {{"direction", direction}, {"layout", std::int64_t{batch_first}}};
  if (draw.one_in(3)) draw_activations(draw, functions * directions, jumps, layer.attributes);
  if (draw.one_in(3)) layer.attributes.set("clip", static_cast<double>(draw.between(1, 12)) / 4);
  if (!draw.one_in(8)) layer.attributes.set("hidden_size", hidden);
  if (layer.op == "GRU") layer.attributes.set("linear_before_reset", draw.between(0, 1));
  if (lstm && draw.one_in(3)) layer.attributes.set("input_forget", std::int64_t{1});

  const auto weights = [&](Shape shape) { return draw.reals(x.type, std::move(shape), -1, 1); };
  const auto perhaps = [&](Shape shape) { return draw.one_in(2) ? weights(shape) : left_out; };
  const Shape state =
      batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  layer.inputs = {data, weights({directions, gates * hidden, x.shape[2]}),
                  weights({directions, gates * hidden, hidden}),
                  perhaps({directions, 2 * gates * hidden})};
  layer.inputs.push_back(draw.one_in(2) ? draw.integers(DataType::Int32, {batch}, 1, steps)
                                        : left_out);
  layer.inputs.push_back(perhaps(state));
  if (lstm) {
    layer.inputs.push_back(perhaps(state));
    layer.inputs.push_back(perhaps({directions, 3 * hidden}));
  }
  layer.outputs = static_cast<std::size_t>(draw.between(1, lstm ? 3 : 2));
  return layer;
}

// --- sampled images -----------------------------------------------------------------------------

Layer random_grid_sample(std::mt19937& random, const TensorType& image, bool own_grid, bool jumps) {
  Draw draw(random);
  Layer layer{"GridSample", {data}};
  const std::int64_t axes = std::ssize(image.shape) - 2;
  Shape grid{image.shape[0]};
  for (std::int64_t axis = 0; axis < axes; ++axis) grid.push_back(draw.between(1, 4));
  grid.push_back(axes);
  layer.inputs.push_back(own_grid ? draw.reals(image.type, grid, -1.5, 1.5) : data);
  layer.attributes = {{"mode", jumps ? draw.one_of({"linear", "nearest", "cubic"})
                                     : draw.one_of({"linear", "cubic"})},
                      {"padding_mode", draw.one_of({"zeros", "border", "reflection"})},
                      {"align_corners", draw.between(0, 1)}};
  return layer;
}

// Positions are decided before anything runs, so no rounding of values makes them jump.
Layer random_resize(std::mt19937& random, const TensorType& image) {
  Draw draw(random);
  Layer layer{"Resize", {data}};
  Integers axes, sizes;
  std::vector<double> scales, starts, ends;
  for (std::int64_t axis = 2; axis < std::ssize(image.shape); ++axis) {
    axes.push_back(axis);
    sizes.push_back(draw.between(1, 7));
    scales.push_back(draw.one_of({0.5, 0.75, 1.0, 1.5, 2.0}));
    starts.push_back(static_cast<double>(draw.between(-1, 2)) / 4);
    ends.push_back(static_cast<double>(draw.between(2, 5)) / 4);
  }
  const std::string rule =
      draw.one_of({"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                   "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"});
  // Of all axes where that leaves the others alone.
  const bool all = rule != "tf_half_pixel_for_nn" && draw.one_in(2);
  if (all) {
    sizes.insert(sizes.begin(), image.shape.begin(), image.shape.begin() + 2);
    scales.insert(scales.begin(), 2, 1.0);
    starts.insert(starts.begin(), 2, 0.0);
    ends.insert(ends.begin(), 2, 1.0);
  }
  starts.insert(starts.end(), ends.begin(), ends.end());
  layer.attributes = {
      {"mode", draw.one_of({"nearest", "linear", "cubic"})},
      {"coordinate_transformation_mode", rule},
      {"nearest_mode", draw.one_of({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})}};
  if (!all) layer.attributes.set("axes", axes);
  if (draw.one_in(2)) layer.attributes.set("sizes", sizes);
  else layer.attributes.set("scales", scales);
  if (rule == "tf_crop_and_resize") layer.attributes.set("roi", starts);
  if (layer.attributes.string("mode") == "cubic" && rule != "tf_crop_and_resize")
    layer.attributes.set("exclude_outside", draw.between(0, 1));
  return layer;
}

// --- quantised tensors --------------------------------------------------------------------------

namespace {

Tensor scales(Draw& draw, Shape shape) {
  return draw.reals(DataType::Float32, std::move(shape), 0.01, 0.1);
}

Layer quantised_convolution(Draw& draw, const TensorType& x) {
  const std::int64_t channels = x.shape[1], group = draw.one_in(3) ? channels : 1,
                     filters = group == 1 ? draw.between(1, 4) : channels,
                     kernel = draw.one_of<std::int64_t>({1, 2, 3});
  const DataType type = draw.byte_type();
  const Tensor w = draw.bytes(type, {filters, channels / group, kernel, kernel});
  Layer layer{"ConvInteger", {}};
  layer.attributes = {{"group", group},
                      {"strides", Integers(2, draw.between(1, 2))},
                      {"dilations", Integers(2, draw.one_in(4) ? 2 : 1)}};
  if (draw.one_in(3))
    layer.attributes.set("auto_pad", draw.one_of({"SAME_UPPER", "SAME_LOWER", "VALID"}));
  else
    layer.attributes.set("pads", Integers{draw.between(0, 1), draw.between(0, 2),
                                          draw.between(0, 1), draw.between(0, 2)});
  if (draw.one_in(2)) {
    layer.inputs = {data, w, draw.one_in(3) ? left_out : draw.bytes(x.type, {})};
    if (draw.one_in(2)) layer.inputs.push_back(draw.bytes(type, draw.parameters(filters)));
    return layer;
  }
  layer.op = "QLinearConv";
  const Shape each = draw.parameters(filters);
  layer.inputs = {data,
                  scales(draw, {}),
                  draw.bytes(x.type, {}),
                  w,
                  scales(draw, each),
                  draw.bytes(type, each),
                  draw.reals(DataType::Float32, {}, 0.5, 4),
                  draw.bytes(x.type, {})};
  if (draw.one_in(2))
    layer.inputs.push_back(draw.integers(DataType::Int32, {filters}, -2000, 2000));
  return layer;
}

Layer quantised_product(Draw& draw, const TensorType& a) {
  const std::int64_t depth = a.shape.back(), columns = draw.between(1, 4);
  const DataType type = draw.byte_type();
  const Tensor b = draw.bytes(type, {depth, columns});
  if (draw.one_in(2)) {
    Layer layer{"MatMulInteger", {data, b, draw.one_in(3) ? left_out : draw.bytes(a.type, {})}};
    if (draw.one_in(2)) layer.inputs.push_back(draw.bytes(type, draw.parameters(columns)));
    return layer;
  }
  const Shape each = draw.parameters(columns);
  return {
      "QLinearMatMul",
      {data, scales(draw, {}), draw.bytes(a.type, {}), b, scales(draw, each),
       draw.bytes(type, each), draw.reals(DataType::Float32, {}, 0.5, 4), draw.bytes(a.type, {})}};
}

// Input by input along one axis, or all by one.
Layer by_scales(Draw& draw, const char* op, const TensorType& x, DataType zero_type) {
  const std::int64_t axis = x.shape.empty() ? 1 : draw.between(0, std::ssize(x.shape) - 1);
  const Shape each =
      x.shape.empty() ? Shape{} : draw.parameters(x.shape[static_cast<std::size_t>(axis)]);
  Layer layer{op, {data, scales(draw, each)}, {{"axis", axis}}};
  if (zero_type == DataType::Int32)
    layer.inputs.push_back(left_out);  // 0 is the only zero point there may be
  else layer.inputs.push_back(draw.one_in(4) ? left_out : draw.bytes(zero_type, each));
  return layer;
}

}  // namespace

Layer random_quantised(std::mt19937& random, const TensorType& bytes) {
  Draw draw(random);
  return bytes.shape.size() == 4 && !draw.one_in(4) ? quantised_convolution(draw, bytes)
                                                    : quantised_product(draw, bytes);
}

Layer random_quantisation(std::mt19937& random, const TensorType& x) {
  Draw draw(random);
  return by_scales(draw, "QuantizeLinear", x, draw.byte_type());
}

Layer random_dequantisation(std::mt19937& random, const TensorType& x) {
  Draw draw(random);
  return by_scales(draw, "DequantizeLinear", x, x.type);
}

}  // namespace loopglass::test
