// The strategy `dominator` is TVM's fusion as it stands: kinds as Relay registers them, and the
// groups of TVM's algorithm, written down once more in tvm_fuse.cpp.
#include "core/fusion/block.h"
#include "core/graph/program.h"
#include "core/ops/registry.h"
#include "passes/fusion/dominator.h"
#include "samples/samples.h"
#include "tests/fusion/densenet.h"
#include "tests/fusion/image_network.h"
#include "tests/fusion/in_layout.h"
#include "tests/fusion/operator_cases.h"
#include "tests/fusion/relay_kinds.h"
#include "tests/fusion/tvm_fuse.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_graph.h"
#include "tests/random/random_network.h"

#include <gtest/gtest.h>

namespace loopglass {
namespace {

using ops::PatternKind;
using test::RelayOperator;

// A form in another layout is the operator itself, there as here.
const test::Registered* registered(const ops::OpDef& op) {
  const auto& registry = test::relay_registry();
  auto found = registry.find(op.name);
  if (found == registry.end() && op.name.starts_with("Layout"))
    found = registry.find(op.name.substr(6));
  return found == registry.end() ? nullptr : &found->second;
}

// A broadcasting operator whose operands all have the result's shape is Elementwise in all of them:
// the rules tell the two apart by edges alone.
PatternKind as_rules_see(PatternKind kind, const graph::Graph& graph, const graph::Node& node) {
  if (kind != PatternKind::Broadcast) return kind;
  for (const graph::ValueId input : node.inputs)
    if (input && graph.value(input).type.shape != graph.value(node.outputs[0]).type.shape)
      return kind;
  return PatternKind::Elementwise;
}

// Operators whose loops are of another kind than Relay's in shapes that the suite has not.
const char* const degenerate_cases = R"(
  input %x: float32[1x1x2x2]
  input %channels: float32[1x4x1x1]
  input %s: float32[]
  %soft: float32[] = Softmax(%s) "soft"
  %log: float32[] = LogSoftmax(%s) "log"
  %depth: float32[1x1x2x2] = DepthToSpace(%channels) {blocksize = 2} "depth"
  %one: float32[1x1x2x2] = Concat(%x) {axis = 0} "one"
  %part: float32[1x1x2x2] = Split(%x) {axis = 0, split = [1]} "part"
  %pad: float32[1x1x2x2] = Pad(%x) {pads = [0, 0, 0, 0, 0, 0, 0, 0]} "pad"
  %space: float32[1x4x1x1] = SpaceToDepth(%x) {blocksize = 2} "space"
  %moved: float32[1x2x2x1] = LayoutTransform(%x) {from = "NCHW", to = "NHWC"} "moved"
  %tiles: float32[4x4x1x1x1x1] = WinogradInput(%x) {pads = [1, 1, 1, 1], tile = 2} "tiles"
  %image: float32[1x1x2x2] = WinogradOutput(%tiles) {size = [2, 2], tile = 2} "image"
  output %pad
  output %space
  output %one
  output %part
  output %soft
  output %log
  output %depth
  output %moved
  output %image)";

TEST(RelayKinds, AreWhatTheOperatorsSayAndOtherwiseWhatTheirLoopsSay) {
  std::set<std::string> met, needed;
  const auto check = [&](const std::string& name, const graph::Graph& graph) {
    const fusion::BlockRules rules(graph);
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
      const graph::Node& node = *graph.nodes()[i];
      const auto program = program_of(graph, node);
      const test::Registered* there = registered(*node.op);
      if (!program) continue;
      if (node.op->relay_kind && rules.kind(i) != *node.op->relay_kind)
        needed.insert(node.op->name);
      // Several results of reductions are no single loop nest, of which kind Relay has none; and a
      // sum along no axes is no operator there.
      const bool sums = std::ranges::any_of(
          program->stages, [](const te::Stage& stage) { return stage.reducer.has_value(); });
      if (there == nullptr || node.outputs.size() > 1) continue;
      if (there->kind == PatternKind::CommReduce && !sums) continue;
      met.insert(node.op->name);
      EXPECT_EQ(fusion::name(as_rules_see(rules.relay_kind(i), graph, node)),
                fusion::name(as_rules_see(there->kind, graph, node)))
          << name << ": " << node.op->name << ", " << there->relay;
    }
  };
  test::for_each_operator_case(check);
  check("degenerate", test::graph_of(degenerate_cases));
  EXPECT_GT(met.size(), 80u);
  for (const ops::OpDef& op : ops::all_operators()) {
    if (!op.relay_kind) continue;
    const test::Registered* there = registered(op);
    ASSERT_NE(there, nullptr) << op.name << " says what Relay does not";
    EXPECT_EQ(fusion::name(*op.relay_kind), fusion::name(there->kind)) << op.name;
    // A form has it from its operator. Resize blends by sums or without, as it likes.
    if (op.name.starts_with("Layout") || op.name == "Resize") continue;
    EXPECT_TRUE(needed.contains(op.name)) << op.name << "'s loops say the same in every case";
  }
}

// --- plans ---------------------------------------------------------------------------------------

// Groups as names, so that a difference can be read.
std::string text_of(const graph::Graph& graph, const std::function<int(std::size_t)>& group_of) {
  std::map<int, std::vector<std::string>> groups;
  std::vector<int> order;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    if (!groups.contains(group_of(i))) order.push_back(group_of(i));
    groups[group_of(i)].push_back(graph.nodes()[i]->name);
  }
  std::string text;
  for (const int group : order) text += fmt::format("{}\n", fmt::join(groups.at(group), " "));
  return text;
}

// How many kernels.
std::size_t expect_tvm(const graph::Graph& graph, const std::string& where) {
  const auto plan = passes::fuse_by_dominators(graph, {});
  EXPECT_TRUE(plan) << where << ": " << to_string(plan.error());
  if (!plan) return 0;
  const auto operator_of = [&](const graph::Node& node) -> RelayOperator {
    const test::Registered* there = registered(*node.op);
    const PatternKind by_loops = fusion::pattern_kind(graph, node);
    // Several results of reductions are no single loop nest here.
    if (there == nullptr || by_loops == PatternKind::Opaque) return {by_loops};
    return {there->kind,
            there->relay == std::string("concatenate") || there->relay == std::string("einsum")};
  };
  const std::vector<int> groups = test::tvm_groups(graph, operator_of);
  EXPECT_EQ(text_of(graph,
                    [&](std::size_t i) {
                      return static_cast<int>(plan->group_of(graph.nodes()[i]->id).value);
                    }),
            text_of(graph, [&](std::size_t i) { return groups[i]; }))
      << where;
  return plan->groups.size();
}

TEST(TvmPlans, OfTheSamples) {
  for (const samples::Sample& sample : samples::all_samples()) {
    const auto graph = sample.build(sample.image_size);
    ASSERT_TRUE(graph) << to_string(graph.error());
    expect_tvm(*graph, sample.name);
    for (const char* pipeline :
         {"@default", "@canonical", "@canonical, layout-nhwc", "@canonical, layout-blocked"})
      expect_tvm(test::after(*graph, pipeline), sample.name + " after " + pipeline);
  }
}

TEST(TvmPlans, OfDenseNet) {
  const graph::Graph graph = test::densenet121(224);
  EXPECT_EQ(graph.nodes().size(), 427u);
  expect_tvm(graph, "as imported");
  for (const char* pipeline :
       {"@default", "@canonical", "@canonical, layout-nhwc", "@canonical, layout-blocked"})
    expect_tvm(test::after(graph, pipeline), pipeline);
}

TEST(TvmPlans, OfRandomNetworks) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    // TVM sees no dead code.
    const auto alive = [](const graph::Graph& graph) {
      return test::after(graph, "remove-dead-code");
    };
    expect_tvm(alive(test::random_graph(seed, 24)), fmt::format("random graph {}", seed));
    expect_tvm(alive(test::random_network(seed, {.operators = 30, .type = DataType::Float32})),
               fmt::format("random network {}", seed));
    if (HasFailure()) return;
  }
}

TEST(TvmPlans, OfImagesInEveryLayout) {
  for (std::uint32_t seed = 0; seed < 60; ++seed)
    for (const auto& [layout, graph] : test::in_layouts(test::image_network(seed, 16)))
      expect_tvm(graph, fmt::format("images {} in {}", seed, layout));
}

}  // namespace
}  // namespace loopglass
