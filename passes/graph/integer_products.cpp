#include "passes/graph/integer_products.h"

#include "core/ops/quantisation.h"
#include "passes/graph/missed_rewrite.h"
#include "passes/graph/node_sum.h"
#include "passes/graph/rules/edits.h"

#include <fmt/format.h>
#include <cmath>
#include <numeric>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::NodeId;
using graph::ValueId;
using ops::WeightedSum;

// No axis: scales of blocks, of which a sum meets several.
constexpr std::size_t in_blocks = std::numeric_limits<std::size_t>::max();

// What DequantizeLinear makes a number of.
struct Dequantised {
  ValueId bytes, scale, zero_point;  // zero_point may be left out
  std::optional<std::size_t> axis;   // of scales and zero points; none: one for all
};

class Products {
 public:
  Products(const graph::Graph& graph, pass::Report& report)
      : graph_(graph), edits_(graph), report_(report) {}

  Result<graph::Graph> operator()() && {
    for (const graph::NodePtr& each : graph_.nodes()) {
      if (!report_.may_rewrite()) break;
      if (report_.cancellation.requested())
        return fail(Code::Cancelled, "multiplying whole numbers was cancelled");
      if (!ops::integer_form_of(*each->op, each->attributes)) continue;
      const Node node = edits_.graph().node(each->id);
      const auto data = dequantised(node.inputs[WeightedSum::data]);
      const auto weights = dequantised(node.inputs[WeightedSum::weights]);
      if (!data || !weights) continue;
      if (!is_of_bytes(*data) || !is_of_bytes(*weights)) {
        missed(node, {"NOT_BYTES", "its operands are dequantised from wider numbers than bytes"});
        continue;
      }
      const auto sum = weighted_sum_of(edits_.graph(), node);
      if (const auto refusal = refusal_of(*data, *weights, sum)) missed(node, *refusal);
      else rewrite(node, *data, *weights, *sum);
    }
    return std::move(edits_).finish();
  }

 private:
  const TensorType& type(ValueId id) const { return edits_.graph().value(id).type; }
  bool is_of_bytes(const Dequantised& number) const {
    const DataType of = type(number.bytes).type;
    return of == DataType::Int8 || of == DataType::UInt8;
  }

  void missed(const Node& node, const MissedRewrite& refusal) {
    report_.remark({pass::RemarkKind::Missed, refusal.code, node.name, refusal.numbers,
                    fmt::format("{} multiplies in float32: {}.", node.name, refusal.text)});
  }

  const Node* producer(ValueId id) const {
    const auto& value = edits_.graph().value(id);
    return value.producer ? &edits_.graph().node(value.producer) : nullptr;
  }

  // Nothing where it is not dequantised to float32.
  std::optional<Dequantised> dequantised(ValueId id) const {
    const Node* node = producer(id);
    if (node == nullptr || type(id).type != DataType::Float32) return std::nullopt;
    using Sharing = ops::ScaleSharing;
    const auto sharing = ops::dequantisation_of(*node->op, node->attributes, type(id).shape.size());
    if (!sharing || type(node->inputs[Sharing::scale]).type != DataType::Float32)
      return std::nullopt;
    Dequantised found{.bytes = node->inputs[Sharing::data],
                      .scale = node->inputs[Sharing::scale],
                      .zero_point = node->inputs.size() > Sharing::zero_point
                                        ? node->inputs[Sharing::zero_point]
                                        : ValueId{},
                      .axis = std::nullopt};
    const auto is_single = [&](ValueId parameter) {
      return !parameter || element_count(type(parameter).shape) == 1;
    };
    if (!is_single(found.scale) || !is_single(found.zero_point))
      found.axis = sharing->block != 0 ? in_blocks : sharing->axis;
    return found;
  }

  // Whether they are known before anything runs: constants, quantised or not yet.
  bool are_constant(ValueId bytes) const {
    const auto is_constant = [&](ValueId id) {
      return !id || edits_.graph().value(id).is_constant();
    };
    if (is_constant(bytes)) return true;
    const Node* node = producer(bytes);
    return node != nullptr && ops::is_quantisation(*node->op) &&
           std::ranges::all_of(node->inputs, is_constant);
  }

  // How many products each result sums.
  static std::int64_t terms_of(const WeightedSum& sum, const Shape& weights) {
    return element_count(weights) / std::max<std::int64_t>(1, sum.output_channels());
  }

  std::optional<MissedRewrite> refusal_of(const Dequantised& data, const Dequantised& weights,
                                          const std::optional<WeightedSum>& sum) const {
    if (!sum || !are_constant(weights.bytes))
      return MissedRewrite{"WEIGHTS_NOT_CONSTANT", "its second operand is no matrix of constants"};
    const std::size_t filters = sum->output_first ? 0 : type(weights.bytes).shape.size() - 1;
    if (data.axis || (weights.axis && *weights.axis != filters))
      return MissedRewrite{"SCALES_BY_TERM", "terms of one sum have scales of their own"};
    const std::int64_t terms = terms_of(*sum, type(weights.bytes).shape);
    const std::int64_t channels = sum->input_channels() / sum->groups;
    if (channels < 2)
      return MissedRewrite{"SINGLE_TERMS",
                           "each of its sums has one term a tap, and nothing to pair"};
    // Products of full range, and int32.
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / (255 * 255);
    if (terms > most)
      return MissedRewrite{"TOO_MANY_TERMS",
                           fmt::format("{} products may not fit into int32", terms),
                           {{"terms", static_cast<double>(terms)}}};
    if (!scales_multiply(data, weights))
      return MissedRewrite{"SCALES_OUT_OF_RANGE", "its scales have a product beyond float32"};
    return std::nullopt;
  }

  // Whether the products of scales, where these are known, are numbers with all their digits.
  bool scales_multiply(const Dequantised& data, const Dequantised& weights) const {
    const Tensor &s = edits_.graph().value(data.scale).constant,
                 &t = edits_.graph().value(weights.scale).constant;
    if (!s.defined() || !t.defined()) return true;
    for (std::int64_t i = 0; i < t.elements(); ++i)
      if (!std::isnormal(static_cast<float>(s.double_at(0) * t.double_at(i)))) return false;
    return true;
  }

  ValueId add(const std::string& name, ops::Operation operation, std::vector<ValueId> inputs,
              const Origin& origin) {
    return edits_.graph().output(
        edits_.add_node(name, std::move(operation), std::move(inputs), 1, origin));
  }
  ValueId add(const std::string& name, const char* op, std::vector<ValueId> inputs,
              const Origin& origin) {
    return add(name, ops::operation_named(op, {}), std::move(inputs), origin);
  }

  // One number a channel, beside a result of such rank.
  ValueId by_channel(const Node& node, ValueId values, std::size_t channel_axis,
                     const std::string& name) {
    const Shape& shape = type(values).shape;
    const std::size_t behind = type(node.outputs[0]).shape.size() - 1 - channel_axis;
    if (shape.size() != 1 || shape[0] == 1 || behind == 0) return values;
    Shape spread(behind + 1, 1);
    spread[0] = shape[0];
    return add(name, ops::reshape_to(spread), {values}, node.origin);
  }

  ValueId transposed(const Node& node, ValueId matrix, const char* attribute) {
    if (!node.attributes.has(attribute) || node.attributes.integer(attribute) == 0) return matrix;
    return add(fmt::format("{}_{}", node.name, attribute), ops::transposed_matrix(), {matrix},
               node.origin);
  }

  // Nothing is subtracted from numbers around 0.
  ValueId unless_zero(ValueId zero_point) const {
    if (!zero_point || !edits_.graph().value(zero_point).is_constant()) return zero_point;
    const std::vector<std::int64_t> numbers =
        edits_.graph().value(zero_point).constant.to_integers();
    const bool is_zero = std::ranges::all_of(numbers, [](std::int64_t each) { return each == 0; });
    return is_zero ? ValueId{} : zero_point;
  }

  // The sums, in int32.
  ValueId whole_sums(const Node& node, const Dequantised& data, const Dequantised& weights) {
    std::vector<ValueId> inputs{transposed(node, data.bytes, "transA"),
                                transposed(node, weights.bytes, "transB"),
                                unless_zero(data.zero_point), unless_zero(weights.zero_point)};
    while (!inputs.back()) inputs.pop_back();
    return add(node.name + "_sums", *ops::integer_form_of(*node.op, node.attributes),
               std::move(inputs), node.origin);
  }

  ValueId scaled(const Node& node, ValueId value, double factor, const std::string& name) {
    if (factor == 1) return value;
    return add(name, "Mul",
               {value, edits_.add_constant(name + "_factor",
                                           Tensor::of<float>({}, {static_cast<float>(factor)}))},
               node.origin);
  }

  void rewrite(const Node& node, const Dequantised& data, const Dequantised& weights,
               const WeightedSum& sum) {
    const ValueId sums = whole_sums(node, data, weights);
    const ValueId real =
        add(node.name + "_real", ops::conversion_to(DataType::Float32), {sums}, node.origin);
    ValueId unit = add(node.name + "_unit", "Mul", {data.scale, weights.scale}, node.origin);
    unit = scaled(node, unit, sum.product_factor, node.name + "_alpha");
    unit = by_channel(node, unit, sum.result_axis, node.name + "_units");
    ValueId result = add(node.name + "_scaled", "Mul", {real, unit}, node.origin);
    if (node.inputs.size() > WeightedSum::bias && node.inputs[WeightedSum::bias]) {
      ValueId bias =
          scaled(node, node.inputs[WeightedSum::bias], sum.bias_factor, node.name + "_beta");
      bias = by_channel(node, bias, sum.result_axis, node.name + "_bias");
      result = add(node.name + "_biased", ops::addition(), {result, bias}, node.origin);
    }
    const std::int64_t terms = terms_of(sum, type(weights.bytes).shape);
    const NodeId made = edits_.put_in_place(node, result);
    edits_.remove_unneeded(node.inputs[WeightedSum::weights]);
    edits_.remove_unneeded(node.inputs[WeightedSum::data]);
    report_.remark({pass::RemarkKind::Applied,
                    "WHOLE_NUMBERS",
                    node.name,
                    {{"terms", static_cast<double>(terms)}},
                    fmt::format("{} multiplies the bytes that its operands are dequantised from.",
                                node.name)});
    report_.rewrite({"integer-products",
                     {node.id.value},
                     {made.value},
                     fmt::format("{} sums whole numbers, and scales the sums", node.name)});
  }

  const graph::Graph& graph_;
  rules::Edits edits_;
  pass::Report& report_;
};

}  // namespace

Result<graph::Graph> integer_products(const graph::Graph& graph, pass::Report& report) {
  return Products(graph, report)();
}

pass::Words integer_products_words() {
  return {{pass::Word::Kind::Remark, "WHOLE_NUMBERS",
           "Bytes are multiplied as they are, and their sums scaled."},
          {pass::Word::Kind::Remark, "NOT_BYTES",
           "Products stay in float32: the operands stand for wider numbers than bytes."},
          {pass::Word::Kind::Remark, "WEIGHTS_NOT_CONSTANT",
           "Products stay in float32: neither operand is a matrix of constants."},
          {pass::Word::Kind::Remark, "SINGLE_TERMS",
           "Products stay in float32: each sum has one channel, and nothing to pair."},
          {pass::Word::Kind::Remark, "SCALES_BY_TERM",
           "Products stay in float32: the terms of a sum differ in their scales."},
          {pass::Word::Kind::Remark, "SCALES_OUT_OF_RANGE",
           "Products stay in float32: of both scales float32 could not hold the product."},
          {pass::Word::Kind::Remark, "TOO_MANY_TERMS",
           "Products stay in float32: so many of full range may not fit into int32."}};
}

}  // namespace loopglass::passes
