// Operators that read each input at the output's own place: math, trigonometry, casts, Clip, Where.
#include "core/ops/families.h"
#include "core/ops/support.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

using expr::UnaryOperator;

OpDef unary(std::string name, UnaryOperator op, const TypeSet& types, int since, std::string doc) {
  return {
      .name = name,
      .family = Family::Elementwise,
      .doc = std::move(doc),
      .inputs = {{"X"}},
      .outputs = {{"Y"}},
      .attributes = {},
      .infer = same_as_first(types),
      .compute = [op](ComputeContext& c) -> Result<Computed> {
        return Computed{
            map(c.builder, c.name, c.input(0), [op](Expr x) { return expr::unary(op, x); })};
      },
      .onnx = {{name, since}},
  };
}

Result<Types> infer_bool_like_first(const InferContext& c) {
  TRY_VOID(require_type(c, 0, float_types));
  return Types{{DataType::Bool, c.input(0).shape}};
}

OpDef is_nan() {
  return {
      .name = "IsNaN",
      .family = Family::Elementwise,
      .doc = "True where the element is not a number.",
      .inputs = {{"X"}},
      .outputs = {{"Y"}},
      .attributes = {},
      .infer = infer_bool_like_first,
      .compute = [](ComputeContext& c) -> Result<Computed> {
        return Computed{map(c.builder, c.name, c.input(0),
                            [](Expr x) { return expr::unary(UnaryOperator::IsNan, x); })};
      },
      .onnx = {{"IsNaN", 9}},
  };
}

OpDef is_inf() {
  return {
      .name = "IsInf",
      .family = Family::Elementwise,
      .doc = "True where the element is infinite, of the signs asked for.",
      .inputs = {{"X"}},
      .outputs = {{"Y"}},
      .attributes = {attribute("detect_negative", 1, "whether minus infinity counts"),
                     attribute("detect_positive", 1, "whether plus infinity counts")},
      .infer = infer_bool_like_first,
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const bool negative = c.attributes.integer("detect_negative") != 0;
        const bool positive = c.attributes.integer("detect_positive") != 0;
        return Computed{map(c.builder, c.name, c.input(0), [&](Expr x) {
          const Expr zero = expr::constant(x.type(), 0);
          const Expr infinite = expr::unary(UnaryOperator::IsInf, x);
          return infinite &&
                 ((expr::boolean(negative) && x < zero) || (expr::boolean(positive) && x > zero));
        })};
      },
      .onnx = {{"IsInf", 10}},
  };
}

OpDef cast() {
  return {
      .name = "Cast",
      .family = Family::Elementwise,
      .doc =
          "Converts to another element type; floats are truncated towards zero, and not-zero is "
          "true.",
      .inputs = {{"X"}},
      .outputs = {{"Y"}},
      .attributes = {required_attribute("to", AttributeKind::String,
                                        "the element type, e.g. \"float16\""),
                     attribute("saturate", 1,
                               "only matters for 8-bit floats, which are not supported")},
      .infer = [](const InferContext& c) -> Result<Types> {
        return Types{{TRY(type_attribute(c.attributes, "to")), c.input(0).shape}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const DataType to = c.outputs[0].type;
        return Computed{
            map(c.builder, c.name, c.input(0), [to](Expr x) { return expr::cast(to, x); })};
      },
      .onnx =
          {{.name = "Cast", .since = 6, .adapt = name_type("to"), .restore = number_type("to")}},
  };
}

OpDef cast_like() {
  return {
      .name = "CastLike",
      .family = Family::Elementwise,
      .doc = "Converts to the element type of another tensor.",
      .inputs = {{"X"}, {"like", Arity::Required, "only its element type matters"}},
      .outputs = {{"Y"}},
      .attributes = {attribute("saturate", 1,
                               "only matters for 8-bit floats, which are not supported")},
      .infer = [](const InferContext& c) -> Result<Types> {
        return Types{{c.input(1).type, c.input(0).shape}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const DataType to = c.outputs[0].type;
        return Computed{
            map(c.builder, c.name, c.input(0), [to](Expr x) { return expr::cast(to, x); })};
      },
      .onnx = {{"CastLike", 15}},
  };
}

// A bound of Clip: an input of one element, or (before opset 11) an attribute, or none.
Expr clip_bound(const ComputeContext& c, std::size_t input, const std::string& name) {
  if (c.has(input)) return c.input(input)(Indices(c.input(input).rank(), Expr(0)));
  if (c.attributes.has(name)) return expr::constant(c.input(0).type, c.attributes.real(name));
  return {};
}

OpDef clip() {
  return {
      .name = "Clip",
      .family = Family::Elementwise,
      .doc = "Limits elements to [min, max]; where min is above max, the result is max.",
      .inputs = {{"X"},
                 {"min", Arity::Optional, "one element"},
                 {"max", Arity::Optional, "one element"}},
      .outputs = {{"Y"}},
      .attributes = {optional_attribute("min", AttributeKind::Float,
                                        "the lower bound, where the input is left out"),
                     optional_attribute("max", AttributeKind::Float,
                                        "the upper bound, where the input is left out")},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_type(c, 0, number_types));
        TRY_VOID(require_same_types(c));
        for (const std::size_t bound : {1, 2})
          if (c.has(bound) && element_count(c.input(bound).shape) != 1)
            return misused(fmt::format("input {} is {}; a bound has one element", bound,
                                       to_string(c.input(bound))));
        return Types{c.input(0)};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        const Expr low = clip_bound(c, 1, "min"), high = clip_bound(c, 2, "max");
        return Computed{map(c.builder, c.name, c.input(0), [&](Expr x) {
          if (low.defined()) x = expr::max(x, low);
          if (high.defined()) x = expr::min(x, high);
          return x;
        })};
      },
      .onnx = {{"Clip", 6, 10}, {"Clip", 11}},
  };
}

OpDef where() {
  return {
      .name = "Where",
      .family = Family::Elementwise,
      .doc = "The element of X where the condition holds, else that of Y; all three broadcast.",
      .inputs = {{"condition"}, {"X"}, {"Y"}},
      .outputs = {{"output"}},
      .attributes = {},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_type(c, 0, boolean_type));
        if (c.input(1).type != c.input(2).type)
          return misused("X and Y have different element types");
        return Types{{c.input(1).type, TRY(broadcast_inputs(c))}};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        return Computed{
            c.builder.compute(c.name, te::extents(c.outputs[0].shape), [&](const Indices& i) {
              return expr::select(broadcast_read(c.input(0), i), broadcast_read(c.input(1), i),
                                  broadcast_read(c.input(2), i));
            })};
      },
      .onnx = {{"Where", 9}},
  };
}

}  // namespace

std::vector<OpDef> elementwise() {
  using enum UnaryOperator;
  return {
      unary("Abs", Abs, number_types, 6, "The absolute value."),
      unary("Neg", Negate, signed_number_types, 6, "The negated element."),
      unary("Sign", Sign, number_types, 9, "-1, 0 or 1 by sign."),
      unary("Exp", Exp, float_types, 6, "e to the power of the element."),
      unary("Log", Log, float_types, 6, "The natural logarithm."),
      unary("Sqrt", Sqrt, float_types, 6, "The square root."),
      unary("Reciprocal", Reciprocal, float_types, 6, "One over the element."),
      unary("Erf", Erf, float_types, 9, "The error function."),
      unary("Floor", Floor, float_types, 6, "Rounds down."),
      unary("Ceil", Ceil, float_types, 6, "Rounds up."),
      unary("Round", RoundEven, float_types, 11, "Rounds to the nearest integer, halves to even."),
      unary("Sin", Sin, float_types, 7, "The sine of an angle in radians."),
      unary("Cos", Cos, float_types, 7, "The cosine of an angle in radians."),
      unary("Tan", Tan, float_types, 7, "The tangent of an angle in radians."),
      unary("Asin", Asin, float_types, 7, "The inverse of the sine."),
      unary("Acos", Acos, float_types, 7, "The inverse of the cosine."),
      unary("Atan", Atan, float_types, 7, "The inverse of the tangent."),
      unary("Sinh", Sinh, float_types, 9, "The hyperbolic sine."),
      unary("Cosh", Cosh, float_types, 9, "The hyperbolic cosine."),
      unary("Asinh", Asinh, float_types, 9, "The inverse of the hyperbolic sine."),
      unary("Acosh", Acosh, float_types, 9, "The inverse of the hyperbolic cosine."),
      unary("Atanh", Atanh, float_types, 9, "The inverse of the hyperbolic tangent."),
      unary("BitwiseNot", BitNot, integer_types, 18, "Every bit flipped."),
      is_nan(),
      is_inf(),
      cast(),
      cast_like(),
      clip(),
      where(),
  };
}

}  // namespace loopglass::ops
