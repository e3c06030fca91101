// Editing graphs: what a builder keeps true.
#include "core/graph/graph.h"

#include "core/graph/text.h"
#include "core/ops/registry.h"
#include "tests/graph/parsed.h"

#include <gtest/gtest.h>

namespace loopglass::graph {
namespace {

Graph chain() {
  return test::graph_of(R"(
    input %x: float32[2]
    %a: float32[2] = Relu(%x) "a"
    %b: float32[2] = Neg(%a) "b"
    %c: float32[2] = Abs(%b) "c"
    output %c)");
}

TEST(GraphBuilder, UnchangedNodesAreSharedWithTheBase) {
  const Graph base = chain();
  GraphBuilder builder(base);
  builder.replace_uses(base.find_value("b")->id, base.find_value("a")->id);
  builder.remove_node(base.find_node("b")->id);
  const auto edited = std::move(builder).finish();
  ASSERT_TRUE(edited);
  EXPECT_EQ(edited->share(base.find_node("a")->id), base.share(base.find_node("a")->id));
  EXPECT_NE(edited->share(base.find_node("c")->id), base.share(base.find_node("c")->id));
  EXPECT_EQ(base.nodes().size(), 3u) << "the base is a value of its own";
}

// The network's interface keeps its names whatever computes them.
TEST(GraphBuilder, AReplacedOutputKeepsItsName) {
  const Graph base = chain();
  GraphBuilder builder(base);
  builder.replace_uses(base.find_value("c")->id, base.find_value("b")->id);
  builder.remove_node(base.find_node("c")->id);
  const Graph edited = *std::move(builder).finish();
  EXPECT_EQ(edited.value(edited.outputs()[0]).name, "c");
  EXPECT_EQ(edited.value(edited.outputs()[0]).producer, base.find_node("b")->id);
  EXPECT_TRUE(verify(edited));
}

TEST(GraphBuilder, AnInputCannotStandForAnOutput) {
  const Graph base = chain();
  EXPECT_FALSE(GraphBuilder(base).can_replace(base.find_value("c")->id, base.find_value("x")->id));
}

TEST(GraphBuilder, IdsAreNotReused) {
  const Graph base = chain();
  GraphBuilder builder(base);
  builder.replace_uses(base.find_value("c")->id, base.find_value("b")->id);
  builder.remove_node(base.find_node("c")->id);
  const NodeId made =
      *builder.add_node("d", *ops::find_operator("Relu"), {base.find_value("x")->id}, {});
  EXPECT_GT(made, base.find_node("c")->id);
}

TEST(GraphBuilder, ACycleIsRefused) {
  const Graph base = chain();
  GraphBuilder builder(base);
  builder.replace_uses(base.find_value("x")->id, base.find_value("b")->id);
  const auto cyclic = std::move(builder).finish();
  ASSERT_FALSE(cyclic);
  EXPECT_EQ(cyclic.error().code, Code::GraphInvalid);
}

TEST(GraphBuilder, NamesAreMadeUnique) {
  GraphBuilder builder("g");
  const ValueId x = builder.add_input("x", {DataType::Float32, {2}});
  const NodeId first = *builder.add_node("n", *ops::find_operator("Relu"), {x}, {});
  const NodeId second = *builder.add_node("n", *ops::find_operator("Relu"), {x}, {});
  EXPECT_NE(builder.node(first).name, builder.node(second).name);
}

TEST(GraphBuilder, AnIllTypedNodeIsRefusedByName) {
  GraphBuilder builder("g");
  const ValueId a = builder.add_input("a", {DataType::Float32, {2}}),
                b = builder.add_input("b", {DataType::Float32, {3}});
  const auto node = builder.add_node("sum", *ops::find_operator("Add"), {a, b}, {});
  ASSERT_FALSE(node);
  EXPECT_NE(node.error().where.find("sum"), std::string::npos);
}

}  // namespace
}  // namespace loopglass::graph
