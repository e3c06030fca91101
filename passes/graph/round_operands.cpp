#include "passes/graph/round_operands.h"

#include "core/ops/packed_few_bits.h"
#include "core/support/counted.h"
#include "passes/graph/missed_rewrite.h"
#include "passes/graph/rules/edits.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::NodeId;
using graph::ValueId;
using ops::FewBitProduct;
using rules::Edits;

// A product of 2,048 terms and 4,096 columns with AVX2 (Zen 3, one thread, medians), of rounded
// rows beside floats: of one row 0.22 and 2.1 ms, of four 1.1 and 2.7, of sixteen 3.4 and 4.3, of
// 128 32 and 26. In fours (Zen 4) sixteen take 1.1 ms, and 128 9 where floats take 19.
constexpr std::int64_t most_rounded_rows = 16;

class RoundOperands {
 public:
  RoundOperands(const graph::Graph& graph, pass::Report& report, const Machine& machine)
      : graph_(graph),
        edits_(graph),
        report_(report),
        packing_(machine.dot_terms >= ops::terms_of_word(ops::Packing::Quads)
                     ? ops::Packing::Quads
                     : ops::Packing::Pairs) {}

  Result<graph::Graph> operator()() && {
    for (const graph::NodePtr& each : graph_.nodes()) {
      if (!report_.may_rewrite()) break;
      if (report_.cancellation.requested())
        return fail(Code::Cancelled, "rounding operands was cancelled");
      if (!ops::may_round_data(*each->op, each->attributes)) continue;
      const Node node = edits_.graph().node(each->id);
      const FewBitProduct product = *ops::few_bit_product_of(*node.op, node.attributes);
      if (const auto refusal = refusal_of(node, product))
        report_.remark({pass::RemarkKind::Missed, refusal->code, node.name, refusal->numbers,
                        fmt::format("{} is not rounded: {}.", node.name, refusal->text)});
      else round(node, product);
    }
    return std::move(edits_).finish();
  }

 private:
  const TensorType& type(ValueId id) const { return edits_.type(id); }
  Tensor constant(const Node& node, std::size_t index) const {
    return edits_.constant(Edits::input(node, index));
  }
  std::int64_t rows_of(const Node& node, const FewBitProduct& product) const {
    return element_count(type(node.inputs[FewBitProduct::data]).shape) / product.rows;
  }

  std::optional<MissedRewrite> refusal_of(const Node& node, const FewBitProduct& product) const {
    const std::int64_t rows = rows_of(node, product);
    if (packing_ == ops::Packing::Pairs && rows > most_rounded_rows)
      return MissedRewrite{"MANY_ROWS",
                           fmt::format("its {} rows are multiplied no faster as bytes", rows),
                           {{"rows", static_cast<double>(rows)}, {"limit", most_rounded_rows}}};
    for (const std::size_t weights :
         {FewBitProduct::weights, FewBitProduct::scales, FewBitProduct::zero_points})
      if (Edits::input(node, weights) && !constant(node, weights).defined())
        return MissedRewrite{"WEIGHTS_NOT_CONSTANT", "its weights are known only when it runs"};
    if (!ops::has_words(product))
      return MissedRewrite{
          "BLOCKS_NOT_WORDS",
          fmt::format("{} weights of {} bits that share a scale are no whole words of "
                      "32 bits",
                      product.block, product.bits),
          {{"block", static_cast<double>(product.block)}}};
    return std::nullopt;
  }

  ValueId converted(const Node& node, ValueId id, DataType to, const char* what) {
    if (type(id).type == to) return id;
    return edits_.graph().output(edits_.add_node(fmt::format("{}_{}", node.name, what),
                                                 ops::conversion_to(to), {id}, 1, node.origin));
  }

  // Of the rows of a value, made once.
  NodeId rounding_of(const Node& node, const FewBitProduct& product,
                     const ops::Operation& rounding) {
    const ValueId data = node.inputs[FewBitProduct::data];
    const auto [known, is_new] =
        roundings_.try_emplace({data.value, product.bits, product.block}, NodeId{});
    if (is_new)
      known->second =
          edits_.add_node(fmt::format("{}_rounded", edits_.graph().value(data).name), rounding,
                          {converted(node, data, DataType::Float32, "wide")}, 3, node.origin);
    return known->second;
  }

  void round(const Node& node, const FewBitProduct& product) {
    const ops::PackedFewBits form = ops::packed_form_of(product, packing_);
    const ops::FewBitWords words = ops::in_words(
        product, {constant(node, FewBitProduct::weights), constant(node, FewBitProduct::scales),
                  constant(node, FewBitProduct::zero_points)});
    const DataType of_result = type(node.outputs[0]).type;
    const NodeId rounding = rounding_of(node, product, form.rounding);
    const std::string name = edits_.graph().value(node.inputs[FewBitProduct::weights]).name;
    std::vector<ValueId> inputs = edits_.graph().node(rounding).outputs;
    inputs.push_back(edits_.add_constant(name + "_words", words.words));
    inputs.push_back(edits_.add_constant(name + "_scales", words.scales));
    if (words.zero_points.defined())
      inputs.push_back(edits_.add_constant(name + "_zero_points", words.zero_points));
    const auto add = [&](const char* what, ops::Operation operation,
                         std::vector<ValueId> operands) {
      return edits_.graph().output(edits_.add_node(node.name + what, std::move(operation),
                                                   std::move(operands), 1, node.origin));
    };
    ValueId result = add("_product", form.product, std::move(inputs));
    if (const ValueId bias = Edits::input(node, FewBitProduct::bias))
      result = add("_biased", ops::addition(),
                   {result, converted(node, bias, DataType::Float32, "wide_bias")});
    result = converted(node, result, of_result, "narrow");
    const NodeId made = edits_.put_in_place(node, result);
    const std::int64_t rows = rows_of(node, product);
    report_.remark(
        {pass::RemarkKind::Applied,
         "ROUNDED",
         node.name,
         {{"rows", static_cast<double>(rows)}, {"bits", static_cast<double>(product.bits)}},
         fmt::format("{} rounds its {} to bytes, {} values a scale, as the model lets it.",
                     node.name, rows == 1 ? "row" : counted(rows, "row"), product.block)});
    report_.rewrite({"round-operands",
                     {node.id.value},
                     {rounding.value, made.value},
                     fmt::format("{} multiplies rounded rows", node.name)});
  }

  const graph::Graph& graph_;
  Edits edits_;
  pass::Report& report_;
  ops::Packing packing_;
  // By value, bits and length of a block.
  std::map<std::tuple<std::uint32_t, std::int64_t, std::int64_t>, NodeId> roundings_;
};

}  // namespace

Result<graph::Graph> round_operands(const graph::Graph& graph, pass::Report& report,
                                    const Machine& machine) {
  return RoundOperands(graph, report, machine)();
}

pass::Words round_operands_words() {
  return {
      {pass::Word::Kind::Remark, "ROUNDED",
       "Rows are rounded to bytes in front of a product, each block of them by its greatest "
       "magnitude, as the model allows (accuracy_level = 4 of MatMulNBits): the product is that "
       "of whole numbers, and differs from one of floats by up to half a step of 254 over the "
       "block's range in each term. --without round-operands keeps floats."},
      {pass::Word::Kind::Remark, "MANY_ROWS",
       "Rows stay floats: in pairs of terms, so many are multiplied no faster as bytes."},
      {pass::Word::Kind::Remark, "WEIGHTS_NOT_CONSTANT",
       "Rows stay floats: the weights are known only when the network runs."},
      {pass::Word::Kind::Remark, "BLOCKS_NOT_WORDS",
       "Rows stay floats: what shares a scale does not fill whole words of 32 bits."}};
}

}  // namespace loopglass::passes
