// Dominators against their definition: a dominates b when b cannot be reached from outside once a
// is removed; post-dominance likewise with the edges turned round.
#include "core/graph/dominators.h"

#include "tests/random/random_graph.h"

#include <gtest/gtest.h>
#include <set>

namespace loopglass::graph {
namespace {

// Nodes reachable from the virtual root when `removed` is taken away.
std::set<NodeId> reachable_without(const Graph& graph, Direction direction, NodeId removed) {
  const bool forward = direction == Direction::Dominators;
  std::set<NodeId> seen;
  std::vector<NodeId> stack;
  for (const NodePtr& node : graph.nodes()) {
    bool at_boundary = true;  // no neighbour on the root's side, or touching the graph's interface
    if (forward) {
      for (const ValueId input : node->inputs)
        if (input && graph.value(input).producer) at_boundary = false;
      for (const ValueId input : node->inputs)
        for (const ValueId graph_input : graph.inputs())
          at_boundary = at_boundary || input == graph_input;
    } else {
      for (const ValueId output : node->outputs)
        at_boundary = at_boundary && graph.uses(output).empty();
      for (const ValueId output : node->outputs)
        at_boundary = at_boundary || graph.is_output(output);
    }
    if (at_boundary) stack.push_back(node->id);
  }
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (id == removed || !seen.insert(id).second) continue;
    const Node& node = graph.node(id);
    if (forward) {
      for (const ValueId output : node.outputs)
        for (const Graph::Use& use : graph.uses(output)) stack.push_back(use.node);
    } else {
      for (const ValueId input : node.inputs)
        if (input && graph.value(input).producer) stack.push_back(graph.value(input).producer);
    }
  }
  return seen;
}

TEST(Dominators, EqualTheDefinitionOnRandomGraphs) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const Graph graph = test::random_graph(seed, 5 + static_cast<int>(seed % 25));
    for (const Direction direction : {Direction::Dominators, Direction::PostDominators}) {
      const DominatorTree tree(graph, direction);
      for (const NodePtr& a : graph.nodes()) {
        const std::set<NodeId> reachable = reachable_without(graph, direction, a->id);
        for (const NodePtr& b : graph.nodes())
          ASSERT_EQ(tree.dominates(a->id, b->id), a == b || !reachable.contains(b->id))
              << "seed " << seed << ": " << a->name << " and " << b->name << "\n"
              << to_text(tree, graph);
      }
    }
  }
}

TEST(Dominators, ADiamondMeetsAgainAtItsEnd) {
  GraphBuilder builder("diamond");
  const ValueId x = builder.add_input("x", {DataType::Float32, {2}});
  const auto node = [&](const char* name, const char* op, std::vector<ValueId> inputs) {
    return *builder.add_node(name, *ops::find_operator(op), std::move(inputs), {});
  };
  const NodeId top = node("top", "Relu", {x});
  const NodeId left = node("left", "Neg", {builder.output(top)}),
               right = node("right", "Abs", {builder.output(top)});
  const NodeId bottom = node("bottom", "Add", {builder.output(left), builder.output(right)});
  builder.set_outputs({builder.output(bottom)});
  const Graph graph = *std::move(builder).finish();

  EXPECT_EQ(to_text(DominatorTree(graph, Direction::PostDominators), graph),
            "post-dominator tree\n"
            "  bottom (Add)\n"
            "    right (Abs)\n"
            "    left (Neg)\n"
            "    top (Relu)\n");
  EXPECT_EQ(to_text(DominatorTree(graph, Direction::Dominators), graph),
            "dominator tree\n"
            "  top (Relu)\n"
            "    left (Neg)\n"
            "    right (Abs)\n"
            "    bottom (Add)\n");
}

}  // namespace
}  // namespace loopglass::graph
