// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss: the cost of the class that was right.
#include "core/ops/families.h"
#include "core/ops/normalisation.h"
#include "core/ops/precision.h"

#include <fmt/format.h>

namespace loopglass::ops {

namespace {

constexpr std::size_t class_axis = 1;

Result<Types> infer_loss(const InferContext& context) {
  TRY_VOID(require_type(context, 0, float_types));
  TRY_VOID(require_type(context, 1, index_types));
  TRY_VOID(require_choice(context.attributes, "reduction", {"none", "sum", "mean"}));
  const TensorType &scores = context.input(0), &target = context.input(1);
  if (scores.shape.size() < 2 || scores.shape[class_axis] < 1 ||
      te::concrete(erased(te::extents(scores.shape), class_axis)) != target.shape)
    return misused(fmt::format("targets {} for scores {}", to_string(target), to_string(scores)));
  if (context.has(2) && context.input(2) != TensorType{scores.type, {scores.shape[class_axis]}})
    return misused(
        fmt::format("weights {} for scores {}", to_string(context.input(2)), to_string(scores)));
  Types types{
      {scores.type, context.attributes.string("reduction") == "none" ? target.shape : Shape{}},
      scores};
  types.resize(context.output_count);
  return types;
}

// What one target costs and how much it weighs; ignored targets do neither.
struct Costs {
  ComputeContext& context;
  const te::Tensor& log_probabilities;

  Expr weight(const Indices& i) const {
    const DataType wide = accumulator_type(log_probabilities.type);
    const Expr full =
        context.has(2) ? widened(context.input(2)({target(i)})) : expr::constant(wide, 1);
    return context.attributes.has("ignore_index")
               ? expr::select(ignored(i), expr::constant(wide, 0), full)
               : full;
  }
  Expr cost(const Indices& i) const {
    const Expr full = -widened(log_probabilities(inserted(i, class_axis, target(i))));
    const Expr weighted = context.has(2) ? full * weight(i) : full;
    return context.attributes.has("ignore_index")
               ? expr::select(ignored(i), expr::constant(full.type(), 0), weighted)
               : weighted;
  }

 private:
  Expr raw_target(const Indices& i) const {
    return expr::cast(DataType::Int64, context.input(1)(i));
  }
  // Held within the classes, since an ignored target may be any number.
  Expr target(const Indices& i) const {
    return clamp_index(raw_target(i), *expr::as_integer(log_probabilities.shape[class_axis]));
  }
  Expr ignored(const Indices& i) const {
    return expr::equal(raw_target(i), context.attributes.integer("ignore_index"));
  }
};

te::Tensor reduced_loss(ComputeContext& context, const te::Tensor& log_probabilities) {
  const Costs costs{context, log_probabilities};
  const std::vector<Expr>& shape = context.input(1).shape;
  const std::string& reduction = context.attributes.string("reduction");
  const DataType type = context.outputs[0].type;
  if (reduction == "none")
    return context.builder.compute(
        context.name, shape, [&](const Indices& i) { return expr::cast(type, costs.cost(i)); });
  const auto total = [&](const std::string& suffix, const auto& term) {
    return context.builder.reduce(context.name + suffix, {}, shape, te::Reducer::Sum,
                                  [&](const Indices&, const Indices& r) { return term(r); });
  };
  const te::Tensor sum = total("_sum", [&](const Indices& i) { return costs.cost(i); });
  if (reduction == "sum")
    return context.builder.compute(context.name, {},
                                   [&](const Indices&) { return expr::cast(type, sum({})); });
  const te::Tensor weight = total("_weight", [&](const Indices& i) { return costs.weight(i); });
  return context.builder.compute(
      context.name, {}, [&](const Indices&) { return expr::cast(type, sum({}) / weight({})); });
}

Result<Computed> compute_log_likelihood(ComputeContext& context) {
  return Computed{reduced_loss(context, context.input(0))};
}

Result<Computed> compute_cross_entropy(ComputeContext& context) {
  const te::Tensor log_probabilities =
      log_softmax(context.builder, context.input(0), class_axis, class_axis + 1,
                  context.name + "_log_probabilities");
  Computed outputs{reduced_loss(context, log_probabilities)};
  if (context.outputs.size() > 1) outputs.push_back(log_probabilities);
  return outputs;
}

}  // namespace

std::vector<OpDef> loss() {
  OpDef log_likelihood{
      .name = "NegativeLogLikelihoodLoss",
      .family = Family::Loss,
      .doc = "Minus the log-probability of each target's class, weighted by class.",
      .inputs = {{"input", Arity::Required, "N x C x ...: log-probabilities"},
                 {"target", Arity::Required, "N x ...: classes"},
                 {"weight", Arity::Optional, "C"}},
      .outputs = {{"loss", Arity::Required, "a scalar, or one a target"}},
      .attributes = {optional_attribute("ignore_index", AttributeKind::Int,
                                        "targets of this value cost nothing"),
                     attribute("reduction", "mean", "none, sum, or mean by weight")},
      .infer = infer_loss,
      .compute = compute_log_likelihood,
      .onnx = {{.name = "NegativeLogLikelihoodLoss", .since = 12}},
      .relay_kind = PatternKind::OutElementwiseFusable};
  OpDef cross_entropy = log_likelihood;
  cross_entropy.name = "SoftmaxCrossEntropyLoss";
  cross_entropy.doc = "Minus the log-softmax of each target's class, weighted by class.";
  cross_entropy.inputs[0] = {"scores", Arity::Required, "N x C x ...: before softmax"};
  cross_entropy.outputs[0].name = "output";
  cross_entropy.outputs.push_back({"log_prob", Arity::Optional, "the log-softmax"});
  cross_entropy.compute = compute_cross_entropy;
  cross_entropy.onnx[0].name = cross_entropy.name;
  cross_entropy.relay_kind.reset();  // several operators there
  return {log_likelihood, cross_entropy};
}

}  // namespace loopglass::ops
