#include "tests/random/random_kernel.h"

#include "tests/random/random_builder.h"

#include <algorithm>
#include <numeric>

namespace loopglass::test {

namespace {

using graph::ValueId;
using Integers = std::vector<std::int64_t>;

constexpr std::int64_t longest = 11;  // an axis, before one of them is scaled
constexpr DataType type = DataType::Float32;

class KernelGenerator : public RandomBuilder {
  static constexpr std::int64_t most_elements = 1 << 24;  // of a tensor

 public:
  KernelGenerator(std::uint32_t seed, std::int64_t scale)
      : RandomBuilder(seed, "kernel", most_elements), scale_(scale) {}

  graph::Graph make() {
    const bool before = one_in(3), after = one_in(3);
    form_ = between(0, forms - 1);
    draw_shape(form_ < images ? 4 : static_cast<std::size_t>(between(2, 4)));
    values_ = {builder_.add_input("x", {type, extents_})};
    if (before) add(one_of({"Neg", "Sigmoid", "Relu"}), {values_.back()});
    grow(1);
    std::vector<ValueId> ends = results(1 << 20);
    if (after && add("Tanh", {ends.front()})) ends.front() = values_.back();
    return finish(std::move(ends));
  }

 private:
  // Operators on images come first.
  static constexpr std::int64_t images = 9, forms = 34;

  void draw_shape(std::size_t rank) {
    for (std::size_t d = 0; d < rank; ++d) extents_.push_back(between(2, longest));
    extents_[static_cast<std::size_t>(between(0, std::ssize(extents_) - 1))] *= scale_;
  }

  std::int64_t rank() const { return std::ssize(extents_); }
  std::int64_t axis() { return between(0, rank() - 1); }
  std::int64_t extent(std::int64_t axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  ValueId weights(Shape shape) { return constant({type, std::move(shape)}, 3); }
  ValueId indices(Shape shape, std::int64_t below) {
    Tensor data({DataType::Int64, std::move(shape)});
    for (std::int64_t& index : data.as<std::int64_t>()) index = between(0, below - 1);
    return builder_.add_constant("i", std::move(data));
  }

  bool add_operator(int) override {
    const ValueId x = values_.back();
    return form_ < images ? on_image(x) : form_ < 20 ? along_axes(x) : moving(x);
  }

  bool on_image(ValueId x) {
    const std::int64_t kernel = between(1, 3), channels = extent(1);
    const ops::Attributes window{{"kernel_shape", Integers{kernel, between(1, 3)}},
                                 {"strides", Integers{between(1, 2), between(1, 3)}},
                                 {"pads", Integers{kernel / 2, 0, kernel / 2, 0}}};
    switch (form_) {
      case 0: return add("MaxPool", {x}, window);
      case 1: return add(one_of({"AveragePool", "LpPool"}), {x}, window);
      case 2: return add(one_of({"GlobalAveragePool", "GlobalMaxPool"}), {x});
      case 3: return convolution(x, channels, 1);
      case 4: return convolution(x, channels, channels);
      case 5:
        return add("ConvTranspose", {x, weights({channels, between(1, 5), kernel, 3})},
                   {{"strides", Integers{between(1, 2), 2}}});
      case 6: return add("LRN", {x}, {{"size", between(1, 5)}});
      case 7: return add("InstanceNormalization", {x, weights({channels}), weights({channels})});
      default: return resize(x);
    }
  }

  bool convolution(ValueId x, std::int64_t channels, std::int64_t group) {
    const std::int64_t kernel = 2 * between(0, 2) + 1,
                       filters = group == 1 ? between(1, 40) : group * between(1, 2);
    return add("Conv",
               {x, weights({filters, channels / group, kernel, kernel}), weights({filters})},
               {{"group", group},
                {"strides", Integers(2, between(1, 2))},
                {"pads", Integers(4, kernel / 2)}});
  }

  bool resize(ValueId x) {
    const std::string mode = one_of({"nearest", "linear", "cubic"});
    return add("Resize", {x},
               {{"mode", mode},
                {"sizes", Integers{extent(0), extent(1), 2 * extent(2) - 1, extent(3) + 3}}});
  }

  bool along_axes(ValueId x) {
    const std::int64_t along = axis();
    switch (form_) {
      case 9: return add(one_of({"Softmax", "LogSoftmax"}), {x}, {{"axis", along}});
      case 10:
      case 11: return add("Hardmax", {x}, {{"axis", along}});
      case 12:
        return add(one_of({"ArgMax", "ArgMin"}), {x},
                   {{"axis", along}, {"select_last_index", between(0, 1)}});
      case 13:
        return add("TopK", {x},
                   {{"axis", along}, {"k", between(1, std::min(extent(along), longest))}}, 2);
      case 14:
        return add("CumSum", {x},
                   {{"axis", along}, {"exclusive", between(0, 1)}, {"reverse", between(0, 1)}});
      case 15: return reduce(x);
      case 16:
        return add("LayerNormalization", {x, weights({extents_.back()})},
                   {{"axis", std::int64_t{-1}}});
      case 17: return add("LpNormalization", {x}, {{"axis", along}, {"p", between(1, 2)}});
      case 18: return add("MatMul", {x, weights({extents_.back(), between(1, 40)})});
      default: return recurrent(x);
    }
  }

  bool reduce(ValueId x) {
    Integers axes{axis()};
    for (std::int64_t d = 0; d < rank(); ++d)
      if (d != axes.front() && one_in(3)) axes.push_back(d);
    return add(one_of({"ReduceMax", "ReduceMean", "ReduceL2", "ReduceLogSumExp", "ReduceProd"}),
               {x}, {{"axes", axes}, {"keepdims", between(0, 1)}});
  }

  // Unrolled over time, so time is not what grows.
  bool recurrent(ValueId x) {
    const std::int64_t hidden = between(1, 9), inputs = extents_.back();
    if (rank() != 3 || extent(0) > longest) return add("MatMul", {x, weights({inputs, 7})});
    const auto [op, gates] = one_in(2) ? std::pair{"GRU", 3} : std::pair{"LSTM", 4};
    return add(op, {x, weights({1, gates * hidden, inputs}), weights({1, gates * hidden, hidden})},
               {{"hidden_size", hidden}}, 2);
  }

  bool moving(ValueId x) {
    const std::int64_t along = axis(), middle = between(1, extent(along));
    Shape other = extents_;
    switch (form_) {
      case 20: return add(one_of({"Erf", "Exp", "Gelu", "Softplus", "Round", "Sqrt"}), {x});
      case 21:
        other[static_cast<std::size_t>(along)] = 1;
        return add(one_of({"Add", "Mul", "Pow", "PRelu"}), {x, weights(other)});
      case 22: return transpose(x);
      case 23:
        return add("Slice", {x},
                   {{"starts", Integers{middle - 1}},
                    {"ends", Integers{extent(along)}},
                    {"axes", Integers{along}},
                    {"steps", Integers{between(1, 3)}}});
      case 24: return pad(x);
      case 25: return tile(x);
      case 26:
        other[static_cast<std::size_t>(along)] = between(1, longest);
        return add("Concat", {x, weights(other), x}, {{"axis", along}});
      case 27:
        return add("Split", {x},
                   {{"axis", along}, {"split", Integers{middle, extent(along) - middle}}}, 2);
      case 28:
        return add("Gather", {x, indices({between(1, longest)}, extent(along))}, {{"axis", along}});
      case 29:
        return add("GatherElements", {x, indices(extents_, extent(along))}, {{"axis", along}});
      case 30:
        return add("ScatterElements", {x, indices(extents_, extent(along)), weights(extents_)},
                   {{"axis", along}, {"reduction", one_of({"none", "add"})}});
      case 31: return one_hot(x);
      case 32: return add("Trilu", {x}, {{"upper", between(0, 1)}, {"k", between(-2, 2)}});
      default:
        return add("Less", {x, weights({})}) &&
               add("Where", {values_.back(), x, weights(extents_)});
    }
  }

  bool transpose(ValueId x) {
    Integers axes(extents_.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random_);
    return add("Transpose", {x}, {{"perm", axes}});
  }

  bool pad(ValueId x) {
    Integers pads(2 * extents_.size());
    for (std::int64_t& width : pads) width = between(0, 1);
    return add("Pad", {x}, {{"pads", pads}, {"mode", one_of({"constant", "reflect", "edge"})}});
  }

  bool tile(ValueId x) {
    Integers repeats(extents_.size());
    for (std::int64_t& times : repeats) times = between(1, 3);
    return add("Tile", {x}, {{"repeats", repeats}});
  }

  bool one_hot(ValueId x) {
    if (rank() > 3) return add("Neg", {x});
    return add("OneHot", {x, weights({2})}, {{"depth", between(2, longest)}, {"axis", axis()}});
  }

  const std::int64_t scale_;
  std::int64_t form_ = 0;
  Shape extents_;
};

}  // namespace

graph::Graph random_kernel(std::uint32_t seed, std::int64_t scale) {
  return KernelGenerator(seed, scale).make();
}

}  // namespace loopglass::test
