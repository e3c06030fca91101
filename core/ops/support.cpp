#include "core/ops/support.h"

#include "core/ops/onnx_number.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace loopglass::ops {

AttributeSpec attribute(std::string name, AttributeValue fallback, std::string doc) {
  const AttributeKind of = kind(fallback);
  return {std::move(name), of, std::move(fallback), std::move(doc)};
}
AttributeSpec optional_attribute(std::string name, AttributeKind kind, std::string doc) {
  return {std::move(name), kind, std::nullopt, std::move(doc)};
}
AttributeSpec required_attribute(std::string name, AttributeKind kind, std::string doc) {
  return {std::move(name), kind, std::nullopt, std::move(doc), true};
}

std::unexpected<Diagnostic> misused(std::string what) {
  return fail(Code::OperatorMisused, std::move(what));
}
std::unexpected<Diagnostic> unsupported_attribute(std::string what) {
  return fail(Code::AttributeUnsupported, std::move(what));
}

Result<void> require_choice(const Attributes& attributes, const std::string& name,
                            std::initializer_list<std::string_view> choices) {
  const std::string& value = attributes.string(name);
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return {};
  return unsupported_attribute(
      fmt::format("attribute '{}' is '{}', not one of {}", name, value, fmt::join(choices, ", ")));
}

namespace {
// TensorProto.DataType of the ONNX format.
constexpr std::pair<std::int64_t, DataType> numbered_types[] = {
    {1, DataType::Float32},  {2, DataType::UInt8},   {3, DataType::Int8},
    {4, DataType::UInt16},   {5, DataType::Int16},   {6, DataType::Int32},
    {7, DataType::Int64},    {9, DataType::Bool},    {10, DataType::Float16},
    {11, DataType::Float64}, {12, DataType::UInt32}, {13, DataType::UInt64},
};
}  // namespace

Result<DataType> type_attribute(const Attributes& attributes, const std::string& name) {
  const auto type = data_type_named(attributes.string(name));
  if (type) return *type;
  return unsupported_attribute(
      fmt::format("attribute '{}' is '{}', not an element type", name, attributes.string(name)));
}

std::optional<DataType> numbered_type(std::int64_t onnx_number) {
  for (const auto& [number, type] : numbered_types)
    if (number == onnx_number) return type;
  return std::nullopt;
}

std::int64_t onnx_number(DataType wanted) {
  for (const auto& [number, type] : numbered_types)
    if (type == wanted) return number;
  std::unreachable();
}

std::function<Result<Attributes>(Attributes, const InferContext&)> name_type(
    std::string attribute) {
  return [attribute](Attributes attributes, const InferContext&) -> Result<Attributes> {
    const AttributeValue* value = attributes.find(attribute);
    if (value == nullptr) return attributes;
    const auto* number = std::get_if<std::int64_t>(value);
    if (number == nullptr)
      return misused(fmt::format("attribute '{}' is not an element type", attribute));
    const auto type = numbered_type(*number);
    if (!type)
      return fail(Code::TypeUnsupported,
                  fmt::format("ONNX's element type {} is not supported", *number));
    attributes.set(attribute, std::string(name(*type)));
    return attributes;
  };
}

std::function<Attributes(Attributes)> number_type(std::string attribute) {
  return [attribute](Attributes attributes) {
    const AttributeValue* value = attributes.find(attribute);
    if (value == nullptr) return attributes;
    if (const auto type = data_type_named(std::get<std::string>(*value)))
      attributes.set(attribute, onnx_number(*type));
    return attributes;
  };
}

const TypeSet any_type{"any", [](DataType) { return true; }};
const TypeSet boolean_type{"bool", [](DataType type) { return type == DataType::Bool; }};
const TypeSet float_types{"floating-point", is_float};
const TypeSet integer_types{"integer", is_integer};
const TypeSet index_types{"int32 or int64", [](DataType type) {
                            return type == DataType::Int32 || type == DataType::Int64;
                          }};
const TypeSet number_types{"number", [](DataType type) { return type != DataType::Bool; }};
const TypeSet signed_number_types{
    "signed number", [](DataType type) { return is_float(type) || is_signed_integer(type); }};
const TypeSet float32_or_float64{"float32 or float64", [](DataType type) {
                                   return type == DataType::Float32 || type == DataType::Float64;
                                 }};

Result<void> require_type(const InferContext& context, std::size_t input, const TypeSet& types) {
  if (!context.has(input) || types.contains(context.input(input).type)) return {};
  return fail(Code::TypeUnsupported,
              fmt::format("input {} is {}; its element type must be {}", input,
                          to_string(context.input(input)), types.words));
}

Result<void> require_rank(const InferContext& context, std::size_t input, std::size_t rank) {
  if (!context.has(input) || context.input(input).shape.size() == rank) return {};
  return misused(fmt::format("input {} is {}; its rank must be {}", input,
                             to_string(context.input(input)), rank));
}

Result<void> require_same_types(const InferContext& context) {
  const TensorType* first = nullptr;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    const TensorType* input = context.inputs[i];
    if (input == nullptr) continue;
    if (first == nullptr) first = input;
    if (input->type != first->type)
      return misused(
          fmt::format("input {} is {}, but the first is {}; they must have the same element type",
                      i, to_string(*input), to_string(*first)));
  }
  return {};
}

Result<std::int64_t> normalise_axis(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank)
    return misused(fmt::format("axis {} does not exist in a tensor of rank {}", axis, rank));
  return axis < 0 ? axis + signed_rank : axis;
}

Result<Integers> normalise_axes(const Integers& axes, std::size_t rank) {
  Integers result;
  for (const std::int64_t axis : axes) result.push_back(TRY(normalise_axis(axis, rank)));
  std::sort(result.begin(), result.end());
  if (const auto twice = std::adjacent_find(result.begin(), result.end()); twice != result.end())
    return misused(fmt::format("axis {} is named twice", *twice));
  return result;
}

std::size_t axis_of(const Attributes& attributes, std::size_t rank, const std::string& name) {
  const auto axis = normalise_axis(attributes.integer(name), rank);
  CHECK(axis.has_value(), "an axis that infer should have refused");
  return static_cast<std::size_t>(*axis);
}

Result<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (std::size_t back = 1; back <= result.size(); ++back) {
    const std::int64_t left = back <= a.size() ? a[a.size() - back] : 1;
    const std::int64_t right = back <= b.size() ? b[b.size() - back] : 1;
    if (left != right && left != 1 && right != 1)
      return misused(fmt::format("shapes {} and {} do not broadcast: {} against {}", to_string(a),
                                 to_string(b), left, right));
    result[result.size() - back] = left == 1 ? right : left;
  }
  return result;
}

Result<Shape> broadcast_inputs(const InferContext& context) {
  Shape result;
  for (const TensorType* input : context.inputs)
    if (input != nullptr) result = TRY(broadcast(result, input->shape));
  return result;
}

Result<void> require_broadcasts_to(const Shape& from, const Shape& to) {
  if (TRY(broadcast(from, to)) == to) return {};
  return misused(fmt::format("shape {} does not broadcast to {}", to_string(from), to_string(to)));
}

Expr broadcast_read(const te::Tensor& tensor, const Indices& indices) {
  CHECK(tensor.rank() <= indices.size(), "a broadcast operand of higher rank than the result");
  Indices own(indices.end() - static_cast<std::ptrdiff_t>(tensor.rank()), indices.end());
  for (std::size_t d = 0; d < own.size(); ++d)
    if (expr::as_integer(tensor.shape[d]) == 1) own[d] = 0;
  return tensor(std::move(own));
}

Expr linear_index(const Indices& indices, const Shape& shape) {
  const auto strides = row_major_strides(shape);
  Expr position = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) position = position + indices[d] * strides[d];
  return position;
}

Indices indices_at(Expr linear, const Shape& shape) {
  const auto strides = row_major_strides(shape);
  Indices indices;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] <= 1) {
      indices.emplace_back(0);
      continue;
    }
    Expr index = strides[d] == 1 ? linear : expr::floor_div(linear, strides[d]);
    const bool outermost =
        std::all_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(d),
                    [](std::int64_t extent) { return extent == 1; });
    indices.push_back(outermost ? index : expr::floor_mod(index, shape[d]));
  }
  return indices;
}

Expr wrap_index(Expr index, std::int64_t extent) {
  index = expr::cast(DataType::Int64, std::move(index));
  return expr::select(index < 0, index + extent, index);
}

Expr clamp_index(Expr index, std::int64_t extent) {
  return expr::max(expr::min(std::move(index), extent - 1), 0);
}

Indices inserted(Indices indices, std::size_t axis, Expr value) {
  indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(axis), std::move(value));
  return indices;
}
Indices erased(Indices indices, std::size_t axis) {
  indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(axis));
  return indices;
}
Indices replaced(Indices indices, std::size_t axis, Expr value) {
  indices[axis] = std::move(value);
  return indices;
}

Expr all_hold(const std::vector<Expr>& conditions) {
  if (conditions.empty()) return expr::boolean(true);
  Expr all = conditions.front();
  for (std::size_t k = 1; k < conditions.size(); ++k) all = all && conditions[k];
  return all;
}

Shape shape_of(const te::Tensor& tensor) { return te::concrete(tensor.shape); }

DataType accumulator_type(DataType type) {
  return type == DataType::Float16 ? DataType::Float32 : type;
}
Expr constant_like(const Expr& like, double value) { return expr::constant(like.type(), value); }

Expr widened(Expr value) {
  const DataType type = accumulator_type(value.type());
  return expr::cast(type, std::move(value));
}

te::Tensor reduce_as(te::Builder& builder, const std::string& name, DataType type,
                     std::vector<Expr> shape, std::vector<Expr> reduce_extents, te::Reducer reducer,
                     const std::function<Expr(const Indices& i, const Indices& r)>& body) {
  const auto wide_body = [&](const Indices& i, const Indices& r) { return widened(body(i, r)); };
  if (accumulator_type(type) == type)
    return builder.reduce(name, std::move(shape), std::move(reduce_extents), reducer, wide_body);
  const te::Tensor wide = builder.reduce(name + "_wide", std::move(shape),
                                         std::move(reduce_extents), reducer, wide_body);
  return map(builder, name, wide, [type](Expr value) { return expr::cast(type, value); });
}

te::Tensor map(te::Builder& builder, const std::string& name, const te::Tensor& input,
               const std::function<Expr(Expr)>& body) {
  return builder.compute(name, input.shape, [&](const Indices& i) { return body(input(i)); });
}

namespace {
Expr lookup_between(const Tensor& values, const Expr& position, std::int64_t first,
                    std::int64_t last) {
  if (last - first == 1)
    return is_float(values.data_type())
               ? expr::floating(values.data_type(), values.double_at(first))
               : expr::integer(values.data_type(), values.integer_at(first));
  const std::int64_t middle = first + (last - first) / 2;
  return expr::select(position < middle, lookup_between(values, position, first, middle),
                      lookup_between(values, position, middle, last));
}
}  // namespace

Expr is_nan(const Expr& x) {
  return is_float(x.type()) ? expr::unary(expr::UnaryOperator::IsNan, x) : expr::boolean(false);
}

Expr lookup(const Tensor& values, Expr position) {
  // No element of an empty tensor is ever read, but the body wants a value.
  if (values.elements() == 0) return expr::constant(values.data_type(), 0);
  return lookup_between(values, position, 0, values.elements());
}

std::function<Result<Types>(const InferContext&)> same_as_first(const TypeSet& types) {
  return [types](const InferContext& context) -> Result<Types> {
    TRY_VOID(require_type(context, 0, types));
    return Types{context.input(0)};
  };
}

}  // namespace loopglass::ops
