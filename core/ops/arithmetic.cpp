// Operators on two and more broadcast inputs: Add ... Mod, Pow, shifts and bits, Sum, Mean, Max,
// Min.
#include "core/ops/families.h"
#include "core/ops/support.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

using expr::BinaryOperator;
using Combine = std::function<Expr(Expr, Expr)>;

Result<Types> infer_broadcast(const InferContext& c, const TypeSet& types) {
  TRY_VOID(require_same_types(c));
  TRY_VOID(require_type(c, 0, types));
  return Types{{c.input(0).type, TRY(broadcast_inputs(c))}};
}

Computed broadcast_map(ComputeContext& c, const Combine& combine) {
  return {c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
    return combine(broadcast_read(c.input(0), i), broadcast_read(c.input(1), i));
  })};
}

// Before opset 7 the second operand was laid along consecutive axes of the first, from `axis` or at
// the end. Only at the end is that numpy's broadcasting.
Result<Attributes> adapt_early_broadcast(Attributes attributes, const InferContext& c) {
  if (attributes.has("axis") && c.has(0) && c.has(1)) {
    const auto first = static_cast<std::int64_t>(c.input(0).shape.size()),
               second = static_cast<std::int64_t>(c.input(1).shape.size());
    const std::int64_t axis = attributes.integer("axis");
    if ((axis < 0 ? axis + first : axis) + second != first)
      return unsupported_attribute(
          fmt::format("broadcasting {} along axis {} of {} is not supported", to_string(c.input(1)),
                      axis, to_string(c.input(0))));
  }
  for (const char* early : {"axis", "broadcast", "consumed_inputs"}) attributes.erase(early);
  return attributes;
}

std::vector<OnnxMapping> since_early_broadcast(const std::string& name) {
  return {{.name = name, .until = 6, .adapt = adapt_early_broadcast}, {name, 7}};
}

OpDef binary(std::string name, BinaryOperator op, const TypeSet& types, int since,
             std::string doc) {
  const bool commutative = op == BinaryOperator::Add || op == BinaryOperator::Mul ||
                           op == BinaryOperator::BitAnd || op == BinaryOperator::BitOr ||
                           op == BinaryOperator::BitXor;
  return {
      .name = name,
      .family = Family::Elementwise,
      .doc = std::move(doc),
      .inputs = {{"A"}, {"B"}},
      .outputs = {{"C"}},
      .attributes = {},
      .infer = [types](const InferContext& c) { return infer_broadcast(c, types); },
      .compute = [op](ComputeContext& c) -> Result<Computed> {
        return broadcast_map(c, [op](Expr a, Expr b) { return expr::binary(op, a, b); });
      },
      .onnx = since == 7 ? since_early_broadcast(name) : std::vector<OnnxMapping>{{name, since}},
      .commutative = commutative,
  };
}

// Operands of different types are raised in the wider of them, as numpy does: float64 where an
// integer meets a float, int64 where two integers differ.
DataType power_type(DataType base, DataType exponent) {
  if (base == exponent) return base;
  if (is_integer(base) && is_integer(exponent)) return DataType::Int64;
  if (is_float(base) && is_integer(exponent)) return accumulator_type(base);
  return DataType::Float64;
}

OpDef pow() {
  return {
      .name = "Pow",
      .family = Family::Elementwise,
      .doc = "The first operand to the power of the second, in the first one's element type.",
      .inputs = {{"X", Arity::Required, "base"}, {"Y", Arity::Required, "exponent"}},
      .outputs = {{"Z"}},
      .attributes = {},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_type(c, 0, number_types));
        TRY_VOID(require_type(c, 1, number_types));
        return Types{{c.input(0).type, TRY(broadcast_inputs(c))}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const DataType type = c.outputs[0].type, wide = power_type(type, c.input(1).type);
        return broadcast_map(c, [&](Expr base, Expr exponent) {
          return expr::cast(type, expr::binary(BinaryOperator::Pow, expr::cast(wide, base),
                                               expr::cast(wide, exponent)));
        });
      },
      .onnx = since_early_broadcast("Pow"),
  };
}

OpDef mod() {
  return {
      .name = "Mod",
      .family = Family::Elementwise,
      .doc =
          "The remainder of a division, with the divisor's sign, or with the dividend's as C's "
          "fmod has it.",
      .inputs = {{"A"}, {"B"}},
      .outputs = {{"C"}},
      .attributes = {attribute("fmod", 0, "1: the dividend's sign; floats need it")},
      .infer = [](const InferContext& c) -> Result<Types> {
        if (c.attributes.integer("fmod") == 0 && is_float(c.input(0).type))
          return misused("floating-point operands need fmod = 1");
        return infer_broadcast(c, number_types);
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const auto op =
            c.attributes.integer("fmod") == 0 ? BinaryOperator::FloorMod : BinaryOperator::Mod;
        return broadcast_map(c, [op](Expr a, Expr b) { return expr::binary(op, a, b); });
      },
      .onnx = {{"Mod", 10}},
  };
}

OpDef bit_shift() {
  return {
      .name = "BitShift",
      .family = Family::Elementwise,
      .doc = "Shifts the bits of X by Y places; what is shifted out is lost.",
      .inputs = {{"X"}, {"Y"}},
      .outputs = {{"Z"}},
      .attributes = {required_attribute("direction", AttributeKind::String, "LEFT or RIGHT")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_choice(c.attributes, "direction", {"LEFT", "RIGHT"}));
        return infer_broadcast(c, {"unsigned integer", is_unsigned_integer});
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const auto op = c.attributes.string("direction") == "LEFT" ? BinaryOperator::ShiftLeft
                                                                   : BinaryOperator::ShiftRight;
        return broadcast_map(c, [op](Expr a, Expr b) { return expr::binary(op, a, b); });
      },
      .onnx = {{"BitShift", 11}},
  };
}

// One element from all inputs, left to right.
OpDef variadic(std::string name, const TypeSet& types, bool commutative, std::string doc,
               Combine combine, std::function<Expr(Expr, std::size_t count)> finish = {}) {
  return {
      .name = name,
      .family = Family::Elementwise,
      .doc = std::move(doc),
      .inputs = {{"data", Arity::Variadic}},
      .outputs = {{"result"}},
      .attributes = {},
      .infer = [types](const InferContext& c) { return infer_broadcast(c, types); },
      .compute = [combine, finish](ComputeContext& c) -> Result<Computed> {
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              Expr result = broadcast_read(c.input(0), i);
              for (std::size_t k = 1; k < c.inputs.size(); ++k)
                result = combine(result, broadcast_read(c.input(k), i));
              return finish ? finish(result, c.inputs.size()) : result;
            })};
      },
      .onnx = {{name, 6}},
      .commutative = commutative,
  };
}

}  // namespace

std::vector<OpDef> arithmetic() {
  using enum BinaryOperator;
  return {
      binary("Add", Add, number_types, 7, "The sum of two tensors, which broadcast."),
      binary("Sub", Sub, number_types, 7, "The difference of two tensors, which broadcast."),
      binary("Mul", Mul, number_types, 7, "The product of two tensors, which broadcast."),
      binary("Div", Div, number_types, 7,
             "The quotient of two tensors, which broadcast; integers round towards zero."),
      binary("BitwiseAnd", BitAnd, integer_types, 18, "The bits set in both operands."),
      binary("BitwiseOr", BitOr, integer_types, 18, "The bits set in either operand."),
      binary("BitwiseXor", BitXor, integer_types, 18, "The bits set in one of the operands only."),
      pow(),
      mod(),
      bit_shift(),
      // Rounding depends on the order of more than two terms, so sums may not exchange operands.
      variadic("Sum", float_types, false, "The sum of all inputs, which broadcast.",
               [](Expr a, Expr b) { return a + b; }),
      variadic(
          "Mean", float_types, false, "The mean of all inputs, which broadcast.",
          [](Expr a, Expr b) { return a + b; },
          [](Expr sum, std::size_t count) {
            return sum / expr::constant(sum.type(), static_cast<double>(count));
          }),
      variadic("Max", number_types, true, "The greatest of all inputs, which broadcast.",
               [](Expr a, Expr b) { return expr::max(a, b); }),
      variadic("Min", number_types, true, "The least of all inputs, which broadcast.",
               [](Expr a, Expr b) { return expr::min(a, b); }),
  };
}

}  // namespace loopglass::ops
