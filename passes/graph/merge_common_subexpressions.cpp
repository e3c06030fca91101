#include "passes/graph/merge_common_subexpressions.h"

#include "core/support/check.h"
#include "core/support/hash.h"
#include "passes/graph/equal_constants.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::passes {

namespace {

using graph::Node;
using graph::NodeId;
using graph::ValueId;

void add(Hasher& hasher, const ops::AttributeValue& attribute) {
  hasher.value(attribute.index());
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_arithmetic_v<T>) hasher.value(value);
        else if constexpr (std::is_same_v<T, std::string>) hasher.value(value.size()).text(value);
        else if constexpr (std::is_same_v<T, Tensor>) hasher.value(value.content_hash());
        else {
          hasher.value(value.size());
          for (const auto& element : value) {
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(element)>>)
              hasher.value(element);
            else hasher.value(element.size()).text(element);
          }
        }
      },
      attribute);
}

class Merging {
 public:
  Merging(const graph::Graph& graph, pass::Report& report)
      : graph_(graph), builder_(graph), report_(report) {}

  Result<graph::Graph> operator()() && {
    merge_constants();
    // Producers come first, so one sweep merges whole trees.
    for (const graph::NodePtr& node : graph_.nodes()) {
      if (report_.cancellation.requested()) return fail(Code::Cancelled, "merging was cancelled");
      if (!report_.may_rewrite()) break;
      visit(node->id);
    }
    builder_.remove_unused_constants();
    return std::move(builder_).finish();
  }

 private:
  void merge_constants() {
    for (const auto& twins : equal_constants(graph_)) {
      const graph::Value& kept = builder_.value(twins.front());
      for (const ValueId twin : std::span(twins).subspan(1)) {
        if (!report_.may_rewrite()) return;
        if (!builder_.is_used(twin) || !builder_.can_replace(twin, kept.id)) continue;
        const std::string detail =
            fmt::format("{} has the same {} bytes as {}", builder_.value(twin).name,
                        kept.type.bytes(), kept.name);
        builder_.replace_uses(twin, kept.id);
        report_.rewrite({"equal-constants", {}, {}, detail});
      }
    }
  }

  void visit(NodeId id) {
    // Whether an operator that is not known gives the same twice is not known either.
    if (is_opaque(builder_.node(id))) return;
    std::vector<NodeId>& alike = seen_[hash(builder_.node(id))];
    const auto twin = std::ranges::find_if(
        alike, [&](NodeId other) { return same(builder_.node(other), builder_.node(id)); });
    if (twin == alike.end()) alike.push_back(id);
    else if (const NodeId merged = merge(*twin, id)) *twin = merged;
  }

  // Operands by what they stand for: merged nodes make new values, which count as the old ones.
  std::vector<ValueId> operands(const Node& node) const {
    std::vector<ValueId> values;
    for (const ValueId input : node.inputs) {
      const auto found = stands_for_.find(input);
      values.push_back(found == stands_for_.end() ? input : found->second);
    }
    if (node.op->commutative) std::ranges::sort(values, {}, &ValueId::value);
    return values;
  }

  std::uint64_t hash(const Node& node) const {
    Hasher hasher;
    hasher.value(reinterpret_cast<std::uintptr_t>(node.op)).value(node.outputs.size());
    for (const auto& [name, attribute] : node.attributes.all()) add(hasher.text(name), attribute);
    for (const ValueId operand : operands(node)) hasher.value(operand.value);
    return hasher.digest();
  }

  bool same(const Node& a, const Node& b) const {
    const auto types_equal = [&](ValueId x, ValueId y) {
      return builder_.value(x).type == builder_.value(y).type;
    };
    return a.op == b.op && a.attributes == b.attributes && operands(a) == operands(b) &&
           std::ranges::equal(a.outputs, b.outputs, types_equal);
  }

  // The node that stands for both; an invalid id where a result of the second one must stay its
  // own.
  NodeId merge(NodeId first_id, NodeId second_id) {
    const Node first = builder_.node(first_id), second = builder_.node(second_id);
    for (std::size_t i = 0; i < first.outputs.size(); ++i)
      if (builder_.is_output(first.outputs[i]) && builder_.is_output(second.outputs[i])) {
        report_.remark(
            {pass::RemarkKind::Missed,
             "BOTH_GRAPH_OUTPUTS",
             second.name,
             {},
             fmt::format("{} computes the same as {}, but both are results of the network.",
                         second.name, first.name)});
        return {};
      }
    Origin origin = first.origin;
    origin.merge(second.origin);
    const NodeId made = first.origin == origin ? first_id : with_origin(first, std::move(origin));
    const Node merged = builder_.node(made);
    for (std::size_t i = 0; i < merged.outputs.size(); ++i)
      replace(second.outputs[i], merged.outputs[i]);
    builder_.remove_node(second_id);
    report_.rewrite(
        {"same-operator",
         {first_id.value, second_id.value},
         {made.value},
         fmt::format("{} computes the same {} as {}", second.name, second.op->name, first.name)});
    return made;
  }

  // The same node, come from more places.
  NodeId with_origin(const Node& node, Origin origin) {
    const auto made = builder_.add_node(node.name, *node.op, node.inputs, node.attributes,
                                        node.outputs.size(), std::move(origin));
    CHECK(made.has_value(), "an operator accepts its operands a second time");
    const std::vector<ValueId> results = builder_.node(*made).outputs;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < results.size(); ++i) {
      names.push_back(builder_.value(node.outputs[i]).name);
      replace(node.outputs[i], results[i]);
    }
    builder_.remove_node(node.id);
    builder_.rename(*made, node.name);
    for (std::size_t i = 0; i < results.size(); ++i) builder_.rename(results[i], names[i]);
    return *made;
  }

  void replace(ValueId from, ValueId to) {
    const auto found = stands_for_.find(from);
    const ValueId meant = found == stands_for_.end() ? from : found->second;
    builder_.replace_uses(from, to);
    stands_for_.try_emplace(to, meant);
  }

  const graph::Graph& graph_;
  graph::GraphBuilder builder_;
  pass::Report& report_;
  std::unordered_map<std::uint64_t, std::vector<NodeId>> seen_;
  std::unordered_map<ValueId, ValueId> stands_for_;
};

}  // namespace

Result<graph::Graph> merge_common_subexpressions(const graph::Graph& graph, pass::Report& report) {
  return Merging(graph, report)();
}

pass::Words merge_common_subexpressions_words() {
  return {{pass::Word::Kind::Rule, "equal-constants",
           "Constants of the same type and the same bits become one."},
          {pass::Word::Kind::Rule, "same-operator",
           "Operators of the same kind with the same operands and attributes become one."},
          {pass::Word::Kind::Remark, "BOTH_GRAPH_OUTPUTS",
           "Two operators compute the same, but both are results of the network and keep their "
           "names."}};
}

}  // namespace loopglass::passes
