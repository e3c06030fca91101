#include "passes/graph/write_loops.h"

#include "core/ops/written_kernel.h"
#include "passes/graph/missed_rewrite.h"
#include "passes/graph/rules/edits.h"
#include "passes/graph/written_loops/scatter.h"
#include "passes/graph/written_loops/top_k.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace loopglass::passes {

namespace {

using graph::Node;

// A search among fewer is done before a kernel of its own has begun, and may be part of another.
constexpr std::int64_t fewest_searched = 16;

std::vector<TensorType> types_of(const rules::Edits& edits,
                                 const std::vector<graph::ValueId>& ids) {
  std::vector<TensorType> types;
  for (const graph::ValueId id : ids) types.push_back(edits.type(id));
  return types;
}

bool is_empty(const TensorType& type) { return element_count(type.shape) == 0; }

std::optional<MissedRewrite> refusal_of(const Node& node, const std::vector<TensorType>& inputs,
                                        const std::vector<TensorType>& outputs) {
  if (std::ranges::any_of(inputs, is_empty) || std::ranges::any_of(outputs, is_empty))
    return MissedRewrite{"NO_ELEMENTS", "there is nothing to compute"};
  const bool is_scatter = written_loops::is_scatter(node);
  const std::int64_t searched = is_scatter
                                    ? written_loops::searched_by_scatter(node, inputs[0], inputs[1])
                                    : written_loops::searched_by_top_k(inputs[0], node.attributes);
  if (searched < fewest_searched)
    return MissedRewrite{"FEW_TO_SEARCH",
                         fmt::format("it searches among {}", searched),
                         {{"searched", static_cast<double>(searched)}}};
  if (!is_scatter && searched > std::numeric_limits<std::int32_t>::max())
    return MissedRewrite{"PLACES_TOO_LARGE", "places along its axis are no int32"};
  const std::string& reduction = is_scatter ? node.attributes.string("reduction") : "none";
  if (inputs[0].type == DataType::Float16 && (reduction == "add" || reduction == "mul"))
    return MissedRewrite{"ROUNDING", "each update would be rounded to float16"};
  return std::nullopt;
}

void rewrite(rules::Edits& edits, const Node& node, const std::vector<TensorType>& inputs,
             const std::vector<TensorType>& outputs, pass::Report& report) {
  const std::string text = written_loops::is_scatter(node)
                               ? written_loops::scatter(node, inputs[0], inputs[1], inputs[2])
                               : written_loops::top_k(inputs[0], node.attributes);
  const graph::NodeId made =
      edits.add_node(node.name, {&ops::loop_nest(), ops::loop_nest_attributes(text, {}, outputs)},
                     node.inputs, outputs.size(), node.origin);
  edits.put_in_place(node, edits.graph().node(made).outputs);
  report.remark({pass::RemarkKind::Applied,
                 "LOOPS",
                 node.name,
                 {},
                 fmt::format("{} ({}) is a loop nest, which stores where data says.", node.name,
                             node.op->name)});
  report.rewrite({"write-loops",
                  {node.id.value},
                  {made.value},
                  fmt::format("{} searches no more", node.name)});
}

}  // namespace

Result<graph::Graph> write_loops(const graph::Graph& graph, pass::Report& report) {
  rules::Edits edits(graph);
  for (const graph::NodePtr& each : graph.nodes()) {
    if (!report.may_rewrite()) break;
    if (report.cancellation.requested())
      return fail(Code::Cancelled, "the search for operators to write as loops was cancelled");
    if (!written_loops::is_top_k(*each) && !written_loops::is_scatter(*each)) continue;
    const Node node = edits.graph().node(each->id);
    const std::vector<TensorType> inputs = types_of(edits, node.inputs),
                                  outputs = types_of(edits, node.outputs);
    if (const auto refusal = refusal_of(node, inputs, outputs))
      report.remark({pass::RemarkKind::Missed, refusal->code, node.name, refusal->numbers,
                     fmt::format("{} stays as it is: {}.", node.name, refusal->text)});
    else rewrite(edits, node, inputs, outputs, report);
  }
  return std::move(edits).finish();
}

pass::Words write_loops_words() {
  return {{pass::Word::Kind::Remark, "LOOPS",
           "The operator is a loop nest that keeps what it has found, or stores where data says, "
           "instead of a search for each element of its result."},
          {pass::Word::Kind::Remark, "NO_ELEMENTS", "The operator stays: it computes nothing."},
          {pass::Word::Kind::Remark, "FEW_TO_SEARCH",
           "The operator stays: it searches among so few that a kernel of its own costs more."},
          {pass::Word::Kind::Remark, "PLACES_TOO_LARGE",
           "The operator stays: places along its axis are larger than an int32."},
          {pass::Word::Kind::Remark, "ROUNDING",
           "The operator stays: stored one after another, sums in float16 would be rounded after "
           "each update."}};
}

}  // namespace loopglass::passes
