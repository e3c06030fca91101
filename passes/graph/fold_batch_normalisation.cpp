#include "passes/graph/fold_batch_normalisation.h"

#include <cmath>
#include <fmt/format.h>

namespace loopglass::passes {

namespace {

struct Match {
  graph::Node normalisation, convolution;
  Tensor weight, bias;                    // of the convolution; bias may be undefined
  Tensor scale, shift, mean, variance;    // gamma, beta, mu, sigma squared
};

struct Folded {
  Tensor weight, bias;
};

template <class T>
Folded fold(const Match& match) {
  const auto gamma = match.scale.as<T>(), beta = match.shift.as<T>(), mean = match.mean.as<T>(),
             variance = match.variance.as<T>();
  const double epsilon = match.normalisation.attributes.real("epsilon");
  const std::int64_t channels = match.weight.shape()[0];
  const std::size_t per_channel = static_cast<std::size_t>(match.weight.elements() / std::max<std::int64_t>(channels, 1));
  Folded folded{Tensor(match.weight.type()), Tensor({match.weight.data_type(), {channels}})};
  const auto weight = match.weight.as<T>();
  const auto new_weight = folded.weight.template as<T>(), new_bias = folded.bias.template as<T>();
  for (std::size_t k = 0; k < static_cast<std::size_t>(channels); ++k) {
    const double factor = static_cast<double>(gamma[k]) / std::sqrt(static_cast<double>(variance[k]) + epsilon);
    for (std::size_t i = k * per_channel; i < (k + 1) * per_channel; ++i)
      new_weight[i] = static_cast<T>(static_cast<double>(weight[i]) * factor);
    const double old_bias = match.bias.defined() ? match.bias.double_at(static_cast<std::int64_t>(k)) : 0.0;
    new_bias[k] = static_cast<T>((old_bias - static_cast<double>(mean[k])) * factor + static_cast<double>(beta[k]));
  }
  return folded;
}

void missed(pass::Report& report, const graph::Node& node, std::string code, std::string text) {
  report.remark({pass::RemarkKind::Missed, std::move(code), node.name, {}, std::move(text)});
}

std::optional<Match> match(const graph::GraphBuilder& builder, const graph::Graph& graph, const graph::Node& node,
                           pass::Report& report) {
  if (node.op->name != "BatchNormalization" || node.outputs.size() != 1) return std::nullopt;
  if (const ops::AttributeValue* training = node.attributes.find("training_mode");
      training != nullptr && std::get<std::int64_t>(*training) != 0) {
    missed(report, node, "STATISTICS_OF_THE_BATCH",
           fmt::format("{} normalises by the batch it is given, not by stored statistics.", node.name));
    return std::nullopt;
  }
  const graph::Value& input = builder.value(node.inputs[0]);
  const graph::Node* producer = input.producer ? builder.find(input.producer) : nullptr;
  if (producer == nullptr || producer->op->name != "Conv") {
    missed(report, node, "NO_CONVOLUTION_BEFORE", fmt::format("{} does not follow a convolution.", node.name));
    return std::nullopt;
  }
  if (graph.uses(input.id).size() != 1 || graph.is_output(input.id)) {
    missed(report, node, "INTERMEDIATE_STILL_USED", fmt::format("{} is also used without the normalisation.", producer->name));
    return std::nullopt;
  }
  Match found{node, *producer, {}, {}, {}, {}, {}, {}};
  const auto constant = [&](graph::ValueId id, Tensor& into) {
    into = builder.value(id).constant;
    return into.defined() && into.data_type() == input.type.type;
  };
  const bool constants = constant(producer->inputs[1], found.weight) && constant(node.inputs[1], found.scale) &&
                         constant(node.inputs[2], found.shift) && constant(node.inputs[3], found.mean) &&
                         constant(node.inputs[4], found.variance) &&
                         (producer->inputs.size() < 3 || !producer->inputs[2] || constant(producer->inputs[2], found.bias));
  if (!constants || (input.type.type != DataType::Float32 && input.type.type != DataType::Float64)) {
    missed(report, node, "PARAMETERS_NOT_CONSTANT",
           fmt::format("{} or {} has parameters that are not constants of the data's type.", producer->name, node.name));
    return std::nullopt;
  }
  return found;
}

}  // namespace

Result<graph::Graph> fold_batch_normalisation(const graph::Graph& graph, pass::Report& report) {
  graph::GraphBuilder builder(graph);
  for (const graph::NodePtr& original : graph.nodes()) {
    if (!report.may_rewrite()) break;
    const auto found = match(builder, graph, builder.node(original->id), report);
    if (!found) continue;
    const graph::Node &convolution = found->convolution, &normalisation = found->normalisation;
    Folded folded = found->weight.data_type() == DataType::Float32 ? fold<float>(*found) : fold<double>(*found);
    Origin origin = convolution.origin;
    origin.merge(normalisation.origin);
    const graph::ValueId weight = builder.add_constant(convolution.name + "_folded_weight", std::move(folded.weight));
    const graph::ValueId bias = builder.add_constant(convolution.name + "_folded_bias", std::move(folded.bias));
    const graph::NodeId made = TRY(builder.add_node(convolution.name, *convolution.op, {convolution.inputs[0], weight, bias},
                                                    convolution.attributes, 1, std::move(origin)));
    const std::string result = builder.value(normalisation.outputs[0]).name;
    builder.replace_uses(normalisation.outputs[0], builder.output(made));
    builder.remove_node(normalisation.id);
    builder.remove_node(convolution.id);
    builder.rename(made, convolution.name);
    builder.rename(builder.output(made), result);
    report.rewrite({"batch-norm-into-conv", {convolution.id.value, normalisation.id.value}, {made.value},
                    fmt::format("{} scaled into the weights of {}", normalisation.name, convolution.name)});
  }
  builder.remove_unused_constants();
  return std::move(builder).finish();
}

}  // namespace loopglass::passes
