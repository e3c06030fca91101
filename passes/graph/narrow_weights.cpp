#include "passes/graph/narrow_weights.h"

#include "core/ops/few_bit_products.h"
#include "core/ops/movement.h"
#include "core/support/counted.h"
#include "passes/graph/missed_rewrite.h"
#include "passes/graph/node_sum.h"
#include "passes/graph/rules/edits.h"

#include <fmt/format.h>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::NodeId;
using graph::ValueId;
using ops::FewBitProduct;
using ops::WeightedSum;
using rules::Edits;

// A product of 2,048 terms and 4,096 columns with AVX2 (Zen 3, one thread, medians), bytes beside
// floats: of one row 0.62 and 2.1 ms, of four 1.8 and 2.8, of eight 4.1 and 2.9.
constexpr std::int64_t most_rows = 4;

std::string taken_by(std::int64_t rows) {
  return fmt::format("{} {}", counted(rows, "row"), rows == 1 ? "takes" : "take");
}

class NarrowWeights {
 public:
  NarrowWeights(const graph::Graph& graph, pass::Report& report)
      : graph_(graph), edits_(graph), report_(report) {}

  Result<graph::Graph> operator()() && {
    for (const graph::NodePtr& each : graph_.nodes()) {
      if (!report_.may_rewrite()) break;
      if (report_.cancellation.requested())
        return fail(Code::Cancelled, "choosing how wide weights are was cancelled");
      if (each->op->family != ops::Family::MatrixProduct) continue;
      const Node node = edits_.graph().node(each->id);
      if (const auto product = ops::few_bit_product_of(*node.op, node.attributes))
        widen(node, *product);
      else if (const auto sum = weighted_sum_of(edits_.graph(), node)) narrow(node, *sum);
    }
    return std::move(edits_).finish();
  }

 private:
  const TensorType& type(ValueId id) const { return edits_.type(id); }
  Tensor constant(ValueId id) const { return edits_.constant(id); }
  const Node* producer(ValueId id) const {
    const auto& value = edits_.graph().value(id);
    return value.producer ? &edits_.graph().node(value.producer) : nullptr;
  }
  // How often each weight is taken.
  std::int64_t rows_of(const Node& node) const {
    const Shape& data = type(node.inputs[WeightedSum::data]).shape;
    return element_count(data) / std::max<std::int64_t>(1, data.back());
  }

  void missed(const Node& node, const MissedRewrite& refusal) {
    report_.remark({pass::RemarkKind::Missed, refusal.code, node.name, refusal.numbers,
                    fmt::format("{}: {}.", node.name, refusal.text)});
  }
  void applied(const Node& node, NodeId made, const char* code, std::int64_t rows,
               const std::string& what) {
    report_.remark({pass::RemarkKind::Applied,
                    code,
                    node.name,
                    {{"rows", static_cast<double>(rows)}},
                    fmt::format("{} {}.", node.name, what)});
    report_.rewrite(
        {"narrow-weights", {node.id.value}, {made.value}, fmt::format("{} {}", node.name, what)});
  }

  ValueId add(const std::string& name, ops::Operation operation, std::vector<ValueId> inputs,
              const Origin& origin) {
    return edits_.graph().output(
        edits_.add_node(name, std::move(operation), std::move(inputs), 1, origin));
  }

  // `result` in the place of the node's.
  NodeId replace(const Node& node, ValueId result) {
    const NodeId made = edits_.put_in_place(node, result);
    edits_.remove_unneeded(node.inputs[WeightedSum::weights]);
    return made;
  }

  // --- bytes of floats --------------------------------------------------------------------------

  // Where the product's matrix of weights is dequantised, and whether it lies there as columns x
  // rows.
  std::pair<const Node*, bool> dequantisation_of(const Node& node, const WeightedSum& sum) const {
    bool is_turned = sum.output_first;
    const ValueId weights = node.inputs[WeightedSum::weights];
    if (type(weights).type != DataType::Float32 || type(weights).shape.size() != 2)
      return {nullptr, false};
    const Node* source = producer(weights);
    if (source != nullptr && ops::is_transpose(*source->op)) {
      if (ops::permutation(source->attributes, 2) == ops::Integers{1, 0}) is_turned = !is_turned;
      source = producer(source->inputs[0]);
    }
    if (source == nullptr || !ops::dequantisation_of(*source->op, source->attributes, 2))
      return {nullptr, false};
    if (type(source->inputs[ops::ScaleSharing::scale]).type != DataType::Float32)
      return {nullptr, false};
    const DataType stored = type(source->inputs[ops::ScaleSharing::data]).type;
    return {stored == DataType::Int8 || stored == DataType::UInt8 ? source : nullptr, is_turned};
  }

  void narrow(const Node& node, const WeightedSum& sum) {
    using Sharing = ops::ScaleSharing;
    const auto [source, is_turned] = dequantisation_of(node, sum);
    if (source == nullptr) return;
    const ValueId zero = Edits::input(*source, Sharing::zero_point);
    const Tensor bytes = constant(source->inputs[Sharing::data]),
                 scale = constant(source->inputs[Sharing::scale]), zeros = constant(zero);
    if (!bytes.defined() || !scale.defined() || (zero && !zeros.defined()))
      return missed(node, {"WEIGHTS_NOT_CONSTANT", "its weights are known only when it runs"});
    const Shape& data = type(node.inputs[WeightedSum::data]).shape;
    if (sum.data_axis + 1 != data.size() || sum.product_factor != 1 || sum.bias_factor != 1)
      return missed(node, {"NOT_PLAIN", "it transposes its first operand, or scales what it sums"});
    const std::int64_t rows = rows_of(node);
    if (rows > most_rows)
      return missed(node, {"MANY_ROWS",
                           fmt::format("each of its weights is taken {} times, once a row", rows),
                           {{"rows", static_cast<double>(rows)}, {"limit", most_rows}}});
    const auto bits =
        ops::in_few_bits(bytes, scale, zero ? &zeros : nullptr,
                         *ops::dequantisation_of(*source->op, source->attributes, 2), is_turned);
    if (!bits)
      return missed(node, {"SCALES_OF_OTHER_PARTS",
                           "its scales are neither of columns nor of blocks of one"});
    const std::string name = edits_.graph().value(source->inputs[Sharing::data]).name;
    std::vector<ValueId> inputs{
        node.inputs[WeightedSum::data],
        edits_.add_constant(fmt::format("{}_of_{}_bits", name, bits->product.bits),
                            bits->weights.weights),
        edits_.add_constant(name + "_scales", bits->weights.scales)};
    if (bits->weights.zero_points.defined())
      inputs.push_back(edits_.add_constant(name + "_zero_points", bits->weights.zero_points));
    ValueId result = add(node.name + "_product", ops::operation_of(bits->product),
                         std::move(inputs), node.origin);
    if (const ValueId bias = Edits::input(node, WeightedSum::bias))
      result = add(node.name + "_biased", ops::addition(), {result, bias}, node.origin);
    const NodeId made = replace(node, result);
    applied(node, made, "NARROW", rows,
            fmt::format("reads weights of {} bits and widens them: {} each of them",
                        bits->product.bits, taken_by(rows)));
  }

  // --- floats of bytes --------------------------------------------------------------------------

  void widen(const Node& node, const FewBitProduct& product) {
    const std::int64_t rows = rows_of(node);
    if (rows <= most_rows)
      return report_.remark(
          {pass::RemarkKind::Note,
           "KEPT_NARROW",
           node.name,
           {{"rows", static_cast<double>(rows)}, {"limit", most_rows}},
           fmt::format("{} keeps weights of {} bits: {} each of them, and floats would be {} times "
                       "the bytes.",
                       node.name, product.bits, taken_by(rows), 32 / product.bits)});
    const ValueId zero = Edits::input(node, FewBitProduct::zero_points);
    const ops::FewBitWeights weights{constant(node.inputs[FewBitProduct::weights]),
                                     constant(node.inputs[FewBitProduct::scales]), constant(zero)};
    if (!weights.weights.defined() || !weights.scales.defined() ||
        (zero && !weights.zero_points.defined()))
      return missed(node, {"WEIGHTS_NOT_CONSTANT", "its weights are known only when it runs"});
    const std::string name =
        edits_.graph().value(node.inputs[FewBitProduct::weights]).name + "_widened";
    const ValueId floats = edits_.add_constant(name, ops::widened_weights(product, weights));
    // In float32, as the operator does it, whatever its operands are.
    const DataType of_result = type(node.outputs[0]).type;
    const auto in_float32 = [&](ValueId id, const char* what) {
      if (!id || type(id).type == DataType::Float32) return id;
      return add(fmt::format("{}_{}", node.name, what), ops::conversion_to(DataType::Float32), {id},
                 node.origin);
    };
    ValueId result =
        add(node.name + "_product", ops::matrix_multiplication(),
            {in_float32(node.inputs[FewBitProduct::data], "wide"), floats}, node.origin);
    const ValueId bias = in_float32(Edits::input(node, FewBitProduct::bias), "wide_bias");
    if (bias) result = add(node.name + "_biased", ops::addition(), {result, bias}, node.origin);
    if (of_result != DataType::Float32)
      result = add(node.name + "_narrow", ops::conversion_to(of_result), {result}, node.origin);
    const NodeId made = replace(node, result);
    applied(node, made, "WIDENED", rows,
            fmt::format("multiplies by floats, {} times the bytes: {} each weight",
                        32 / product.bits, taken_by(rows)));
  }

  const graph::Graph& graph_;
  Edits edits_;
  pass::Report& report_;
};

}  // namespace

Result<graph::Graph> narrow_weights(const graph::Graph& graph, pass::Report& report) {
  return NarrowWeights(graph, report)();
}

pass::Words narrow_weights_words() {
  return {{pass::Word::Kind::Remark, "NARROW",
           "Weights are read as the bytes that they are, and widened on the way."},
          {pass::Word::Kind::Remark, "KEPT_NARROW",
           "Weights of few bits stay bytes: a product of at most four rows waits for them."},
          {pass::Word::Kind::Remark, "WIDENED",
           "Weights of few bits become floats: so many rows take each of them."},
          {pass::Word::Kind::Remark, "WEIGHTS_NOT_CONSTANT",
           "Weights stay as they are: they are known only when the network runs."},
          {pass::Word::Kind::Remark, "NOT_PLAIN",
           "Weights become floats: the operator transposes its first operand, or scales its sums."},
          {pass::Word::Kind::Remark, "MANY_ROWS",
           "Weights become floats: so many rows take each of them that it is worth it."},
          {pass::Word::Kind::Remark, "SCALES_OF_OTHER_PARTS",
           "Weights become floats: their scales are neither of columns nor of blocks of one."}};
}

}  // namespace loopglass::passes
