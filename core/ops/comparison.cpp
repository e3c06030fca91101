// Comparisons and logic: two broadcast inputs, a bool result.
#include "core/ops/families.h"
#include "core/ops/support.h"

namespace loopglass::ops {

namespace {

using expr::BinaryOperator;

OpDef relation(std::string name, BinaryOperator op, const TypeSet& types, int since,
               std::string doc) {
  const bool symmetric = op == BinaryOperator::And || op == BinaryOperator::Or ||
                         op == BinaryOperator::Equal || op == BinaryOperator::NotEqual;
  return {
      .name = name,
      .family = Family::Comparison,
      .doc = std::move(doc),
      .inputs = {{"A"}, {"B"}},
      .outputs = {{"C"}},
      .attributes = {},
      .infer = [types](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_same_types(c));
        TRY_VOID(require_type(c, 0, types));
        return Types{{DataType::Bool, TRY(broadcast_inputs(c))}};
      },
      .compute = [op](ComputeContext& c) -> Result<Computed> {
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              return expr::binary(op, broadcast_read(c.input(0), i), broadcast_read(c.input(1), i));
            })};
      },
      .onnx = {{name, since}},
      .commutative = symmetric,
  };
}

OpDef logical_not() {
  return {
      .name = "Not",
      .family = Family::Comparison,
      .doc = "True where the element is false.",
      .inputs = {{"X"}},
      .outputs = {{"Y"}},
      .attributes = {},
      .infer = same_as_first(boolean_type),
      .compute = [](ComputeContext& c) -> Result<Computed> {
        return Computed{map(c.builder, c.name, c.input(0),
                            [](Expr x) { return expr::unary(expr::UnaryOperator::Not, x); })};
      },
      .onnx = {{"Not", 1}},
  };
}

}  // namespace

std::vector<OpDef> comparison() {
  return {
      relation("Equal", BinaryOperator::Equal, any_type, 7, "True where the operands are equal."),
      relation("Less", BinaryOperator::Less, number_types, 7,
               "True where the first operand is less."),
      relation("LessOrEqual", BinaryOperator::LessEqual, number_types, 12,
               "True where the first operand is not greater."),
      relation("Greater", BinaryOperator::Greater, number_types, 7,
               "True where the first operand is greater."),
      relation("GreaterOrEqual", BinaryOperator::GreaterEqual, number_types, 12,
               "True where the first operand is not less."),
      relation("And", BinaryOperator::And, boolean_type, 7, "True where both operands are."),
      relation("Or", BinaryOperator::Or, boolean_type, 7, "True where either operand is."),
      relation("Xor", BinaryOperator::NotEqual, boolean_type, 7,
               "True where exactly one operand is."),
      logical_not(),
  };
}

}  // namespace loopglass::ops
