// What the operator files share: attribute and type checks for infer, index maps for compute.
// Messages made here and in the operator files leave out the operator's name; ops::infer and
// program_of put it in front.
#pragma once

#include "core/ops/op_def.h"

namespace loopglass::ops {

using expr::Expr;
using Indices = te::Builder::Indices;
using Integers = std::vector<std::int64_t>;
using Types = std::vector<TensorType>;     // what infer returns
using Computed = std::vector<te::Tensor>;  // what compute returns

// Attributes: with a default, optional without one, and required.
AttributeSpec attribute(std::string name, AttributeValue fallback, std::string doc);
AttributeSpec optional_attribute(std::string name, AttributeKind kind, std::string doc);
AttributeSpec required_attribute(std::string name, AttributeKind kind, std::string doc);
std::unexpected<Diagnostic> misused(std::string what);                // OperatorMisused
std::unexpected<Diagnostic> unsupported_attribute(std::string what);  // AttributeUnsupported
// Refuses an attribute whose string is none of these.
Result<void> require_choice(const Attributes& attributes, const std::string& name,
                            std::initializer_list<std::string_view> choices);

// Element types in attributes: named ("float16") in ours, numbered in ONNX's; to one and back, for
// OnnxMapping::adapt and ::restore. An absent attribute stays absent.
Result<DataType> type_attribute(const Attributes& attributes, const std::string& name);
std::optional<DataType> numbered_type(std::int64_t onnx_number);
std::function<Result<Attributes>(Attributes, const InferContext&)> name_type(std::string attribute);
std::function<Attributes(Attributes)> number_type(std::string attribute);

// Sets of element types that ONNX's type constraints are made of.
struct TypeSet {
  std::string_view words;  // "floating-point"
  bool (*contains)(DataType);
};
extern const TypeSet any_type, boolean_type, float_types, integer_types,
    index_types /* int32, int64 */, number_types /* all but Bool */, signed_number_types,
    float32_or_float64;
Result<void> require_type(const InferContext& context, std::size_t input, const TypeSet& types);
Result<void> require_rank(const InferContext& context, std::size_t input, std::size_t rank);
// Every input that is there has the element type of the first.
Result<void> require_same_types(const InferContext& context);

// The axis counted from the front, or OperatorMisused; `rank` is that of the tensor it indexes.
Result<std::int64_t> normalise_axis(std::int64_t axis, std::size_t rank);
// Several, in ascending order; a repeated axis is refused.
Result<Integers> normalise_axes(const Integers& axes, std::size_t rank);
// The same after infer has accepted it.
std::size_t axis_of(const Attributes& attributes, std::size_t rank,
                    const std::string& name = "axis");

// numpy's broadcasting, both ways.
Result<Shape> broadcast(const Shape& a, const Shape& b);
Result<Shape> broadcast_inputs(const InferContext& context);
// `to` itself when `from` broadcasts to it without widening it, else OperatorMisused.
Result<void> require_broadcasts_to(const Shape& from, const Shape& to);
// The element of `tensor` that broadcasts to these output indices: the last indices, 0 where the
// tensor's extent is 1.
Expr broadcast_read(const te::Tensor& tensor, const Indices& indices);

// Position in row-major order, and back.
Expr linear_index(const Indices& indices, const Shape& shape);
Indices indices_at(Expr linear, const Shape& shape);
inline Expr to_index(Expr value) { return expr::cast(DataType::Int64, std::move(value)); }
// An index that may count from the end, as Gather takes it: int64, negative moved up by `extent`.
Expr wrap_index(Expr index, std::int64_t extent);
// An index clamped into [0, extent), so that whatever the data says, the load stays inside.
Expr clamp_index(Expr index, std::int64_t extent);
// indices with `value` put in before position `axis`; indices without position `axis`.
Indices inserted(Indices indices, std::size_t axis, Expr value);
Indices erased(Indices indices, std::size_t axis);
Indices replaced(Indices indices, std::size_t axis, Expr value);

// All of these conditions; true where there are none.
Expr all_hold(const std::vector<Expr>& conditions);

// A constant of the type of `like`.
Expr constant_like(const Expr& like, double value);

Shape shape_of(const te::Tensor& tensor);
// float16 sums are accumulated in float32; other types in themselves.
DataType accumulator_type(DataType type);
Expr widened(Expr value);
// Builder::reduce whose result is cast to `type` where the accumulator is wider: one stage, or
// name + "_wide" and name.
te::Tensor reduce_as(te::Builder& builder, const std::string& name, DataType type,
                     std::vector<Expr> shape, std::vector<Expr> reduce_extents, te::Reducer reducer,
                     const std::function<Expr(const Indices& i, const Indices& r)>& body);
// A tensor read at its own indices and transformed.
te::Tensor map(te::Builder& builder, const std::string& name, const te::Tensor& input,
               const std::function<Expr(Expr)>& body);
// Never of a whole number.
Expr is_nan(const Expr& x);
// The element of a small constant tensor at a position in row-major order: a balanced tree of
// selects. For attributes; large constants are values of the graph.
Expr lookup(const Tensor& values, Expr position);

// infer for one output like the first input, whose type must be in `types`.
std::function<Result<Types>(const InferContext&)> same_as_first(const TypeSet& types);

}  // namespace loopglass::ops
