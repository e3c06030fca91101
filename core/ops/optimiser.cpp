// The optimisers of ai.onnx.preview.training: one step of Adagrad, Adam or Momentum on any number
// of tensors. Their operands come in groups: all tensors, all gradients, all states.
#include "core/ops/families.h"
#include "core/ops/support.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

constexpr std::size_t learning_rate = 0, step_count = 1, first_tensor = 2;

Expr power(double base, const Expr& exponent) {
  return expr::binary(expr::BinaryOperator::Pow, constant_like(exponent, base), exponent);
}

// `groups` operands a tensor come in, and all of them but the gradient come out.
Result<Types> infer_optimiser(const InferContext& context, std::size_t groups) {
  const std::size_t count = (context.inputs.size() - first_tensor) / groups;
  if (count * groups + first_tensor != context.inputs.size() ||
      context.output_count != count * (groups - 1))
    return misused(fmt::format("{} operands and {} results do not make groups of {}",
                               context.inputs.size(), context.output_count, groups));
  TRY_VOID(require_type(context, learning_rate, float32_or_float64));
  if (context.input(step_count).type != DataType::Int64) return misused("T is not int64");
  for (const std::size_t scalar : {learning_rate, step_count})
    if (element_count(context.input(scalar).shape) != 1)
      return misused("R and T are single values");
  for (std::size_t k = first_tensor; k < context.inputs.size(); ++k) {
    TRY_VOID(require_type(context, k, float32_or_float64));
    if (context.input(k) != context.input(first_tensor + (k - first_tensor) % count))
      return misused(fmt::format("operand {} is {}, not like the tensor it belongs to", k,
                                 to_string(context.input(k))));
  }
  Types types;
  for (std::size_t group = 0; group < groups; ++group)
    for (std::size_t k = 0; k < count && group != 1; ++k)
      types.push_back(context.input(first_tensor + group * count + k));
  return types;
}

// One element of one tensor: the tensor's value x, its regularised gradient g, its states, and what
// all have in common.
struct Element {
  const Attributes& attributes;
  Expr rate, step, x, g;
  std::vector<Expr> states;

  Expr attribute(const std::string& name) const { return constant_like(x, attributes.real(name)); }
};
// The new value of x, then those of the states.
using Update = std::function<std::vector<Expr>(const Element&)>;

Result<Computed> compute_optimiser(ComputeContext& context, std::size_t groups,
                                   const Update& update) {
  const std::size_t count = (context.inputs.size() - first_tensor) / groups;
  Computed outputs(context.outputs.size());
  for (std::size_t which = 0; which + 1 < groups; ++which)
    for (std::size_t k = 0; k < count; ++k) {
      const auto operand = [&](std::size_t group) {
        return context.input(first_tensor + group * count + k);
      };
      outputs[which * count + k] = context.builder.compute(
          fmt::format("{}_{}", context.name, which * count + k), operand(0).shape,
          [&](const Indices& i) {
            const te::Tensor &rate = context.input(learning_rate),
                             &step = context.input(step_count);
            Element element{context.attributes,
                            rate(Indices(rate.rank(), 0)),
                            step(Indices(step.rank(), 0)),
                            operand(0)(i),
                            operand(1)(i),
                            {}};
            element.rate = expr::cast(element.x.type(), element.rate);
            element.g = element.attribute("norm_coefficient") * element.x + element.g;
            for (std::size_t state = 2; state < groups; ++state)
              element.states.push_back(operand(state)(i));
            return update(element)[which];
          });
    }
  return outputs;
}

std::vector<Expr> adagrad(const Element& e) {
  const Expr squares = e.states[0] + e.g * e.g;
  const Expr rate = e.rate / (constant_like(e.x, 1) +
                              expr::cast(e.x.type(), e.step) * e.attribute("decay_factor"));
  return {e.x - rate * e.g / (square_root(squares) + e.attribute("epsilon")), squares};
}

std::vector<Expr> adam(const Element& e) {
  const double alpha = e.attributes.real("alpha"), beta = e.attributes.real("beta");
  const Expr mean = constant_like(e.x, alpha) * e.states[0] + constant_like(e.x, 1 - alpha) * e.g;
  const Expr squares =
      constant_like(e.x, beta) * e.states[1] + constant_like(e.x, 1 - beta) * e.g * e.g;
  // The states begin at 0; this undoes their bias towards it.
  const Expr time = expr::cast(e.x.type(), e.step), one = constant_like(e.x, 1);
  const Expr unbiased = e.rate * square_root(one - power(beta, time)) / (one - power(alpha, time));
  const Expr rate = expr::select(e.step > Expr(0), unbiased, e.rate);
  const Expr updated = e.x - rate * mean / (square_root(squares) + e.attribute("epsilon"));
  return {constant_like(e.x, 1 - e.attributes.real("norm_coefficient_post")) * updated, mean,
          squares};
}

std::vector<Expr> momentum(const Element& e) {
  const Expr alpha = e.attribute("alpha");
  // The first step takes the gradient as it is.
  const Expr beta = expr::select(e.step > Expr(0), e.attribute("beta"), constant_like(e.x, 1));
  const Expr velocity = alpha * e.states[0] + beta * e.g;
  const Expr direction =
      e.attributes.string("mode") == "nesterov" ? e.g + alpha * velocity : velocity;
  return {e.x - e.rate * direction, velocity};
}

// ONNX says 1e-6 where epsilon is left out, and expects results of 1e-2 in its own tests.
Result<Attributes> with_epsilon(Attributes attributes, const InferContext&) {
  if (!attributes.has("epsilon"))
    return unsupported_attribute("epsilon is left out, and what it then is, is disputed");
  return attributes;
}

OpDef define(const std::string& name, const std::string& doc, std::size_t groups,
             std::vector<AttributeSpec> attributes, const Update& update) {
  return {
      .name = name,
      .family = Family::Loss,
      .doc = doc,
      .inputs = {{"R", Arity::Required, "learning rate"},
                 {"T", Arity::Required, "steps taken so far"},
                 {"operands", Arity::Variadic, "all tensors, then all gradients, then all states"}},
      .outputs = {{"results", Arity::Variadic, "all tensors, then all states"}},
      .attributes = std::move(attributes),
      .infer = [groups](const InferContext& context) { return infer_optimiser(context, groups); },
      .compute =
          [groups, update](ComputeContext& context) {
            return compute_optimiser(context, groups, update);
          },
      .onnx = {{.name = name, .domain = "ai.onnx.preview.training"}}};
}

}  // namespace

std::vector<OpDef> optimiser() {
  const AttributeSpec decay =
      attribute("norm_coefficient", 0.0, "weight decay, added to the gradient");
  const AttributeSpec epsilon = attribute("epsilon", 1e-6, "keeps the divisor from 0");
  OpDef momentum_step =
      define("Momentum", "A step of gradient descent with momentum.", 3,
             {required_attribute("alpha", AttributeKind::Float, "the weight of the past"),
              required_attribute("beta", AttributeKind::Float, "the weight of the gradient"),
              required_attribute("mode", AttributeKind::String, "standard or nesterov"),
              required_attribute("norm_coefficient", AttributeKind::Float, decay.doc)},
             momentum);
  momentum_step.infer = [](const InferContext& context) -> Result<Types> {
    TRY_VOID(require_choice(context.attributes, "mode", {"standard", "nesterov"}));
    return infer_optimiser(context, 3);
  };
  OpDef adam_step = define(
      "Adam", "A step of gradient descent by running means of gradients and of their squares.", 4,
      {attribute("alpha", 0.9, "the weight of past gradients"),
       attribute("beta", 0.999, "the weight of past squares"), epsilon, decay,
       attribute("norm_coefficient_post", 0.0, "weight decay of the result")},
      adam);
  adam_step.onnx[0].adapt = with_epsilon;
  return {define("Adagrad",
                 "A step of gradient descent, scaled by the squares of all gradients so far.", 3,
                 {attribute("decay_factor", 0.0, "how the learning rate falls with time"), epsilon,
                  decay},
                 adagrad),
          adam_step, momentum_step};
}

}  // namespace loopglass::ops
