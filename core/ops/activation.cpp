// Activation functions: one tensor in, the same type and shape out. float16 is computed in float32
// and rounded once.
#include "core/ops/families.h"
#include "core/ops/support.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace loopglass::ops {

namespace {

using expr::UnaryOperator;

// A scalar of the formula's own element type, and the attributes as such.
struct Scalars {
  DataType type;
  const Attributes& attributes;

  Expr operator()(double value) const { return expr::constant(type, value); }
  Expr operator[](const std::string& attribute) const {
    return (*this)(attributes.real(attribute));
  }
};
using Formula = std::function<Expr(const Expr& x, const Scalars& scalar)>;

Expr log(Expr x) { return expr::unary(UnaryOperator::Log, std::move(x)); }
Expr tanh(Expr x) { return expr::unary(UnaryOperator::Tanh, std::move(x)); }
Expr erf(Expr x) { return expr::unary(UnaryOperator::Erf, std::move(x)); }

OpDef activation_of(std::string name, int since, std::string doc,
                    std::vector<AttributeSpec> attributes, Formula formula,
                    const TypeSet& types = float_types) {
  return {
      .name = name,
      .family = Family::Activation,
      .doc = std::move(doc),
      .inputs = {{"X"}},
      .outputs = {{"Y"}},
      .attributes = std::move(attributes),
      .infer = same_as_first(types),
      .compute = [formula](ComputeContext& c) -> Result<Computed> {
        const DataType type = c.outputs[0].type;
        return Computed{map(c.builder, c.name, c.input(0), [&](Expr x) {
          return expr::cast(type, formula(widened(x), {accumulator_type(type), c.attributes}));
        })};
      },
      .onnx = {{name, since}},
  };
}

// Before opset 7 a slope of several elements was one a channel, which is not how it broadcasts now.
Result<Attributes> adapt_early_slope(Attributes attributes, const InferContext& c) {
  if (c.has(0) && c.has(1) && c.input(0).shape.size() != 2 && element_count(c.input(1).shape) != 1)
    return unsupported_attribute(fmt::format("a slope {} for each channel of {} is not supported",
                                             to_string(c.input(1)), to_string(c.input(0))));
  attributes.erase("consumed_inputs");
  return attributes;
}

OpDef parametric_relu() {
  return {
      .name = "PRelu",
      .family = Family::Activation,
      .doc = "x where it is not negative, else slope * x; the slope broadcasts to x.",
      .inputs = {{"X"}, {"slope"}},
      .outputs = {{"Y"}},
      .attributes = {},
      .infer = [](const InferContext& c) -> Result<Types> {
        TRY_VOID(require_same_types(c));
        TRY_VOID(require_type(c, 0, number_types));
        TRY_VOID(require_broadcasts_to(c.input(1).shape, c.input(0).shape));
        return Types{c.input(0)};
      },
      .compute = [](ComputeContext& c) -> Result<Computed> {
        return Computed{c.builder.compute(c.name, c.input(0).shape, [&](const Indices& i) {
          const Expr x = c.input(0)(i);
          return expr::select(x < expr::constant(x.type(), 0), broadcast_read(c.input(1), i) * x,
                              x);
        })};
      },
      .onnx = {{.name = "PRelu", .until = 6, .adapt = adapt_early_slope}, {"PRelu", 7}},
  };
}

OpDef gelu() {
  OpDef op = activation_of(
      "Gelu", 20,
      "x times the standard normal distribution function of x, or its approximation by tanh.",
      {attribute("approximate", "none", "none or tanh")}, [](const Expr& x, const Scalars& s) {
        if (s.attributes.string("approximate") == "none")
          return s(0.5) * x * (s(1) + erf(x * s(std::numbers::sqrt2 / 2)));
        const Expr inner = s(std::sqrt(2 / std::numbers::pi)) * (x + s(0.044715) * x * x * x);
        return s(0.5) * x * (s(1) + tanh(inner));
      });
  op.infer = [](const InferContext& c) -> Result<Types> {
    TRY_VOID(require_choice(c.attributes, "approximate", {"none", "tanh"}));
    return same_as_first(float_types)(c);
  };
  op.onnx.push_back({.name = "Gelu", .domain = "com.microsoft"});
  return op;
}

Expr softplus(const Expr& x, const Scalars& s) {
  // log(1 + e^x) without overflow.
  return expr::max(x, s(0)) + log(s(1) + exponential(-absolute(x)));
}

Expr hard_sigmoid(const Expr& x, const Scalars& s, const Expr& alpha, const Expr& beta) {
  return expr::max(expr::min(alpha * x + beta, s(1)), s(0));
}

}  // namespace

std::vector<OpDef> activation() {
  const auto alpha = [](double value, std::string doc) {
    return attribute("alpha", value, std::move(doc));
  };
  return {
      activation_of(
          "Relu", 6, "max(x, 0).", {},
          [](const Expr& x, const Scalars& s) { return expr::max(x, s(0)); }, signed_number_types),
      activation_of("LeakyRelu", 6, "x where it is not negative, else alpha * x.",
                    {alpha(0.01, "slope below zero")},
                    [](const Expr& x, const Scalars& s) {
                      return expr::select(x < s(0), s["alpha"] * x, x);
                    }),
      parametric_relu(),
      activation_of("Elu", 6, "x where it is not negative, else alpha * (e^x - 1).",
                    {alpha(1, "limit below zero, negated")},
                    [](const Expr& x, const Scalars& s) {
                      return expr::select(x < s(0), s["alpha"] * (exponential(x) - s(1)), x);
                    }),
      activation_of("Selu", 6, "gamma * x where x is positive, else gamma * alpha * (e^x - 1).",
                    {alpha(1.67326319217681884765625, "scale below zero"),
                     attribute("gamma", 1.05070102214813232421875, "scale of both sides")},
                    [](const Expr& x, const Scalars& s) {
                      return s["gamma"] *
                             expr::select(x <= s(0), s["alpha"] * (exponential(x) - s(1)), x);
                    }),
      activation_of("Celu", 12, "max(x, 0) + min(0, alpha * (e^(x / alpha) - 1)).",
                    {alpha(1, "limit below zero, negated")},
                    [](const Expr& x, const Scalars& s) {
                      return expr::max(x, s(0)) +
                             expr::min(s(0), s["alpha"] * (exponential(x / s["alpha"]) - s(1)));
                    }),
      activation_of(
          "ThresholdedRelu", 10, "x where it is above alpha, else 0.", {alpha(1, "the threshold")},
          [](const Expr& x, const Scalars& s) { return expr::select(x > s["alpha"], x, s(0)); }),
      activation_of(
          "Sigmoid", 6, "1 / (1 + e^-x).", {},
          [](const Expr& x, const Scalars& s) { return s(1) / (s(1) + exponential(-x)); }),
      activation_of("HardSigmoid", 6, "alpha * x + beta, limited to [0, 1].",
                    {alpha(0.2, "slope"), attribute("beta", 0.5, "value at zero")},
                    [](const Expr& x, const Scalars& s) {
                      return hard_sigmoid(x, s, s["alpha"], s["beta"]);
                    }),
      activation_of("HardSwish", 14, "x times the hard sigmoid of slope 1/6.", {},
                    [](const Expr& x, const Scalars& s) {
                      return x * hard_sigmoid(x, s, s(1.0 / 6), s(0.5));
                    }),
      activation_of("Softplus", 1, "log(1 + e^x).", {}, softplus),
      activation_of("Softsign", 1, "x / (1 + |x|).", {},
                    [](const Expr& x, const Scalars& s) { return x / (s(1) + absolute(x)); }),
      activation_of("Tanh", 6, "The hyperbolic tangent.", {},
                    [](const Expr& x, const Scalars&) { return tanh(x); }),
      activation_of("Mish", 18, "x * tanh(log(1 + e^x)).", {},
                    [](const Expr& x, const Scalars& s) { return x * tanh(softplus(x, s)); }),
      activation_of(
          "Shrink", 9, "Moves x towards zero by bias where |x| is above lambd, else 0.",
          {attribute("bias", 0.0, "how far"), attribute("lambd", 0.5, "the threshold")},
          [](const Expr& x, const Scalars& s) {
            return expr::select(x < -s["lambd"], x + s["bias"],
                                expr::select(x > s["lambd"], x - s["bias"], s(0)));
          },
          float_types),
      gelu(),
  };
}

}  // namespace loopglass::ops
