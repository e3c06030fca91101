// Operators that make tensors from attributes and shapes alone.
#include "core/ops/families.h"
#include "core/ops/support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace loopglass::ops {

namespace {

// --- Constants ---------------------------------------------------------------------------------

// A constant as an operator is written out as selects; beyond this it belongs in the graph's
// values.
constexpr std::int64_t most_constant_elements = 4096;

OpDef constant() {
  return {
      .name = "Constant",
      .family = Family::Generator,
      .doc = "A constant tensor.",
      .inputs = {},
      .outputs = {{"output"}},
      .attributes = {required_attribute("value", AttributeKind::Tensor, "the tensor")},
      .infer = [](const InferContext& c) -> Result<Types> {
        return Types{c.attributes.tensor("value").type()};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const Tensor& value = c.attributes.tensor("value");
        if (value.elements() > most_constant_elements)
          return unsupported_attribute(
              fmt::format("{} elements are too many to compute", value.elements()));
        return Computed{c.builder.compute(
            c.name, te::extents(value.shape()),
            [&](const Indices& i) { return lookup(value, linear_index(i, value.shape())); })};
      },
      .onnx = {{"Constant", 1}},
  };
}

OpDef constant_of_shape() {
  return {
      .name = "ConstantOfShape",
      .family = Family::Generator,
      .doc = "A tensor of some shape with the same value everywhere.",
      .inputs = {},
      .outputs = {{"output"}},
      .attributes = {required_attribute("shape", AttributeKind::Ints, "the extents"),
                     attribute("value", Tensor::of<float>({1}, {0.0f}), "one element")},
      .infer = [](const InferContext& c) -> Result<Types> {
        const Tensor& value = c.attributes.tensor("value");
        if (value.elements() != 1)
          return misused(
              fmt::format("the value {} must have one element", to_string(value.type())));
        return Types{{value.data_type(), c.attributes.integers("shape")}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        return Computed{c.builder.compute(
            c.name, te::extents(c.outputs[0].shape),
            [&](const Indices&) { return lookup(c.attributes.tensor("value"), 0); })};
      },
      .onnx = {{.name = "ConstantOfShape", .since = 9, .bound = {{0, "shape"}}}},
  };
}

// Where a constant is not zero, in row-major order: the positions, each an index of every
// dimension.
Integers places_not_zero(const Tensor& value) {
  const Integers strides = row_major_strides(value.shape());
  Integers places;
  for (std::int64_t at = 0; at < value.elements(); ++at)
    if (value.double_at(at) != 0) places.push_back(at);
  Integers indices;
  for (std::size_t d = 0; d < strides.size(); ++d)
    for (const std::int64_t at : places) indices.push_back(at / strides[d] % value.shape()[d]);
  return indices;
}

OpDef non_zero() {
  return {
      .name = "NonZero",
      .family = Family::Generator,
      .doc = "The indices of the elements of a constant that are not zero, one column an element.",
      .inputs = {},
      .outputs = {{"Y"}},
      .attributes = {required_attribute("X", AttributeKind::Tensor,
                                        "the constant: it decides the result's shape")},
      .infer = [](const InferContext& c) -> Result<Types> {
        const Tensor& value = c.attributes.tensor("X");
        const auto rank = static_cast<std::int64_t>(value.shape().size());
        if (rank == 0) return misused("a scalar has no indices");
        return Types{{DataType::Int64,
                      {rank, static_cast<std::int64_t>(places_not_zero(value).size()) / rank}}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const Shape& shape = c.outputs[0].shape;
        if (element_count(shape) > most_constant_elements)
          return unsupported_attribute(
              fmt::format("{} indices are too many to write out", element_count(shape)));
        const Tensor indices =
            Tensor::of<std::int64_t>(shape, places_not_zero(c.attributes.tensor("X")));
        return Computed{c.builder.compute(c.name, te::extents(shape), [&](const Indices& i) {
          return lookup(indices, linear_index(i, shape));
        })};
      },
      .onnx = {{.name = "NonZero", .since = 9, .bound = {{0, "X"}}}},
  };
}

// --- From another tensor's type ----------------------------------------------------------------

// The extents that Shape gives: from start to end, both counted from the end when negative and cut
// off at the rank.
Shape part_of_shape(const Attributes& attributes, const Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto place = [&](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const std::int64_t start = place(attributes.integer("start"));
  const std::int64_t end = attributes.has("end") ? place(attributes.integer("end")) : rank;
  return start < end ? Shape(shape.begin() + start, shape.begin() + end) : Shape{};
}

OpDef shape() {
  return {
      .name = "Shape",
      .family = Family::Generator,
      .doc = "The extents of a tensor.",
      .inputs = {{"data", Arity::Required, "only its shape matters"}},
      .outputs = {{"shape"}},
      .attributes = {attribute("start", 0, "first dimension"),
                     optional_attribute("end", AttributeKind::Int,
                                        "one past the last dimension; all when left out")},
      .infer = [](const InferContext& c) -> Result<Types> {
        const Shape part = part_of_shape(c.attributes, c.input(0).shape);
        return Types{{DataType::Int64, {static_cast<std::int64_t>(part.size())}}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const Shape part = part_of_shape(c.attributes, shape_of(c.input(0)));
        const Tensor value =
            Tensor::of<std::int64_t>({static_cast<std::int64_t>(part.size())}, part);
        return Computed{c.builder.compute(c.name, te::extents(value.shape()),
                                          [&](const Indices& i) { return lookup(value, i[0]); })};
      },
      .onnx = {{"Shape", 1}},
  };
}

OpDef size() {
  return {
      .name = "Size",
      .family = Family::Generator,
      .doc = "The number of elements of a tensor.",
      .inputs = {{"data", Arity::Required, "only its shape matters"}},
      .outputs = {{"size"}},
      .attributes = {},
      .infer = [](const InferContext&) -> Result<Types> {
        return Types{{DataType::Int64, {}}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        return Computed{c.builder.compute(
            c.name, {}, [&](const Indices&) { return Expr(element_count(shape_of(c.input(0)))); })};
      },
      .onnx = {{"Size", 1}},
  };
}

OpDef eye_like() {
  return {
      .name = "EyeLike",
      .family = Family::Generator,
      .doc = "Ones on a diagonal of a matrix of a tensor's shape, else zeros.",
      .inputs = {{"input", Arity::Required, "only its type and shape matter"}},
      .outputs = {{"output"}},
      .attributes = {optional_attribute("dtype", AttributeKind::String,
                                        "the element type; the input's when left out"),
                     attribute("k", 0, "the diagonal, counted upwards from the main one")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_rank(c, 0, 2));
        const DataType type = c.attributes.has("dtype") ? TRY(type_attribute(c.attributes, "dtype"))
                                                        : c.input(0).type;
        return Types{{type, c.input(0).shape}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const Shape& extents = c.outputs[0].shape;
        // Diagonals beyond the corners are all alike; this keeps row + k from overflowing.
        const std::int64_t k = std::clamp(c.attributes.integer("k"), -extents[0], extents[1]);
        return Computed{c.builder.compute(c.name, te::extents(extents), [&](const Indices& i) {
          return expr::cast(c.outputs[0].type, expr::equal(i[0] + k, i[1]));
        })};
      },
      .onnx = {{.name = "EyeLike",
                .since = 9,
                .adapt = name_type("dtype"),
                .restore = number_type("dtype")}},
  };
}

// --- Range and window functions ----------------------------------------------------------------

// How many elements lie in [start, limit) by steps of delta.
Result<std::int64_t> range_count(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  if (is_integer(start.data_type())) {
    const auto distance = static_cast<__int128>(limit.integer_at(0)) - start.integer_at(0);
    const __int128 step = delta.integer_at(0);
    const __int128 count = (distance + step + (step > 0 ? -1 : 1)) / step;
    if (count > Tensor::maximum_bytes)
      return fail(Code::ModelTooLarge, "the range has too many elements");
    return count > 0 ? static_cast<std::int64_t>(count) : 0;
  }
  const double count = std::ceil((limit.double_at(0) - start.double_at(0)) / delta.double_at(0));
  if (!(count < static_cast<double>(Tensor::maximum_bytes)))
    return fail(Code::ModelTooLarge, "the range has too many elements");
  return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

OpDef range() {
  return {
      .name = "Range",
      .family = Family::Generator,
      .doc = "start, start + delta, ... up to, not including, limit.",
      .inputs = {},
      .outputs = {{"output"}},
      .attributes = {required_attribute("start", AttributeKind::Tensor, "one element"),
                     required_attribute("limit", AttributeKind::Tensor, "one element"),
                     required_attribute("delta", AttributeKind::Tensor, "one element, not 0")},
      .infer = [](const InferContext& c) -> Result<Types> {
        const Tensor& start = c.attributes.tensor("start");
        for (const char* name : {"start", "limit", "delta"}) {
          const Tensor& value = c.attributes.tensor(name);
          if (value.elements() != 1 || value.data_type() != start.data_type() ||
              value.data_type() == DataType::Bool)
            return misused(fmt::format(
                "'{}' is {}; start, limit and delta are one number each of the same type", name,
                to_string(value.type())));
        }
        const Tensor& delta = c.attributes.tensor("delta");
        if (delta.double_at(0) == 0) return misused("the step is 0");
        return Types{
            {start.data_type(), {TRY(range_count(start, c.attributes.tensor("limit"), delta))}}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const DataType type = c.outputs[0].type;
        const Expr start = lookup(c.attributes.tensor("start"), 0),
                   delta = lookup(c.attributes.tensor("delta"), 0);
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              const DataType wide = accumulator_type(type);
              return expr::cast(type, widened(start) + expr::cast(wide, i[0]) * widened(delta));
            })};
      },
      .onnx = {{.name = "Range", .since = 11, .bound = {{0, "start"}, {1, "limit"}, {2, "delta"}}}},
  };
}

// first + second * cos(2 pi n / N) + third * cos(4 pi n / N), for n in [0, size).
OpDef window(std::string name, std::string doc, double first, double second, double third) {
  return {
      .name = name,
      .family = Family::Generator,
      .doc = std::move(doc),
      .inputs = {},
      .outputs = {{"output"}},
      .attributes = {required_attribute("size", AttributeKind::Int, "how many elements"),
                     attribute("periodic", 1, "0: symmetric, the last element equals the first"),
                     attribute("output_datatype", "float32", "the element type")},
      .infer = [](const InferContext& c) -> Result<Types> {
        const DataType type = TRY(type_attribute(c.attributes, "output_datatype"));
        if (type == DataType::Bool) return fail(Code::TypeUnsupported, "a window of bool");
        return Types{{type, {c.attributes.integer("size")}}};
      },
      .compute = [=](ComputeContext& c) -> Result<Computed> {
        const DataType type = c.outputs[0].type,
                       wide = is_float(type) ? accumulator_type(type) : DataType::Float32;
        const std::int64_t size = c.attributes.integer("size");
        const std::int64_t period =
            std::max<std::int64_t>(size - (c.attributes.integer("periodic") == 0), 1);
        const auto real = [wide](double value) { return expr::constant(wide, value); };
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              const Expr angle =
                  expr::cast(wide, i[0]) * real(2 * std::numbers::pi / static_cast<double>(period));
              const auto wave = [&](double times) {
                return expr::unary(expr::UnaryOperator::Cos, angle * real(times));
              };
              const Expr value = real(first) + real(second) * wave(1);
              return expr::cast(type, third == 0 ? value : value + real(third) * wave(2));
            })};
      },
      .onnx = {{.name = name,
                .since = 17,
                .bound = {{0, "size"}},
                .adapt = name_type("output_datatype"),
                .restore = number_type("output_datatype")}},
  };
}

}  // namespace

std::vector<OpDef> generator() {
  return {
      constant(),
      constant_of_shape(),
      non_zero(),
      shape(),
      size(),
      eye_like(),
      range(),
      window("HannWindow", "The raised cosine window of Hann.", 0.5, -0.5, 0),
      window("HammingWindow", "The raised cosine window of Hamming, in ONNX's coefficients.",
             25.0 / 46, -21.0 / 46, 0),
      window("BlackmanWindow", "The window of Blackman, a sum of two cosines.", 0.42, -0.5, 0.08),
  };
}

}  // namespace loopglass::ops
