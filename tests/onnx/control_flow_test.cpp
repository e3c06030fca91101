// If with a condition that is known is the branch that it takes; with another one both branches
// are computed, where they give the same types. What is opaque has graphs that can be opened as
// networks of their own.
#include "core/graph/text.h"
#include "core/ops/opaque.h"
#include "tests/onnx/inner_graph.h"

#include <gmock/gmock.h>

namespace loopglass::onnx {
namespace {

using ::onnx::TensorProto;
using ::testing::HasSubstr;

// y = condition ? -(x + w) : |x|, where w is a constant of the branch.
::onnx::NodeProto& add_if(ProtoModel& model, const std::string& condition) {
  auto& node = model.node("If", {condition}, {"y"});
  node.set_name("choose");
  auto& then_branch = graph_attribute(node, "then_branch");
  auto& weight = *then_branch.add_initializer();
  weight.set_name("w");
  weight.set_data_type(TensorProto::FLOAT);
  weight.add_dims(1);
  weight.add_float_data(2);
  add(then_branch, "Add", {"x", "w"}, {"sum"}).set_name("add");
  add(then_branch, "Neg", {"sum"}, {"out"}).set_name("negate");
  output(then_branch, "out");
  auto& else_branch = graph_attribute(node, "else_branch");
  add(else_branch, "Abs", {"x"}, {"out"}).set_name("absolute");
  output(else_branch, "out");
  return node;
}

void add_condition(ProtoModel& model, bool value) {
  auto& proto = *model.graph().add_initializer();
  proto.set_name("known");
  proto.set_data_type(TensorProto::BOOL);
  proto.add_int32_data(value);
}

std::string text(const Result<Model>& model) {
  return model ? to_text(model->graph) : to_string(model.error());
}

TEST(KnownCondition, LeavesTheBranchThatIsTaken) {
  ProtoModel model;
  model.input("x").output("y");
  add_condition(model, true);
  add_if(model, "known");
  EXPECT_EQ(text(model.import()), R"(graph "" {
  input %x: float32[2x3]
  const %"choose/w": float32[1] = [2]
  %"choose/sum": float32[2x3] = Add(%x, %"choose/w") "choose/add" from 0
  %y: float32[2x3] = Neg(%"choose/sum") "choose/negate" from 0
  output %y
}
)");
  ProtoModel other;
  other.input("x").output("y");
  add_condition(other, false);
  add_if(other, "known");
  EXPECT_THAT(text(other.import()), HasSubstr("%y: float32[2x3] = Abs(%x) \"choose/absolute\""));
}

// As exporters write it: whether a dimension is 1, told from the shape of an input.
TEST(KnownCondition, MayFollowFromShapes) {
  ProtoModel model;
  model.input("x").output("y");
  model.integers("three", {3});
  model.integers("one", {1});
  model.node("Shape", {"x"}, {"shape"});
  model.node("Gather", {"shape", "one"}, {"width"});
  model.node("Equal", {"width", "three"}, {"is_three"});
  add_if(model, "is_three");
  EXPECT_THAT(text(model.import()), HasSubstr("Neg(%\"choose/sum\")"));
}

// Names of a branch stand for themselves: the model's own, and those of another If, do not clash.
TEST(KnownCondition, KeepsNamesApart) {
  ProtoModel model;
  model.input("x").output("y").output("out");
  add_condition(model, true);
  model.node("Relu", {"x"}, {"out"});
  add_if(model, "known");
  auto& second = model.node("If", {"known"}, {"z"});
  second.CopyFrom(model.graph().node(1));
  second.set_output(0, "z");
  const auto imported = model.import();
  EXPECT_TRUE(imported && verify(imported->graph)) << text(imported);
  EXPECT_THAT(text(imported), HasSubstr("%z: float32[2x3] = Neg("));
  EXPECT_THAT(text(imported), HasSubstr("%out: float32[2x3] = Relu(%x)"));
}

// Branches inside branches see what is around all of them.
TEST(KnownCondition, MayStandInABranch) {
  ProtoModel model;
  model.input("x").output("y");
  add_condition(model, true);
  auto& outer = model.node("If", {"known"}, {"y"});
  outer.set_name("outer");
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& branch = graph_attribute(outer, name);
    add(branch, "Relu", {"x"}, {"r"});
    auto& inner = add(branch, "If", {"known"}, {"i"});
    inner.set_name("inner");
    for (const char* inner_name : {"then_branch", "else_branch"}) {
      auto& inner_branch = graph_attribute(inner, inner_name);
      add(inner_branch, "Add", {"r", "x"}, {"s"}).set_name("sum");
      output(inner_branch, "s");
    }
    output(branch, "i");
  }
  EXPECT_THAT(text(model.import()),
              HasSubstr("%y: float32[2x3] = Add(%\"outer/r\", %x) \"outer/inner/sum\""));
}

// What a branch only hands on is copied: the output keeps the name that the model gave it.
TEST(KnownCondition, HandsOnValuesFromAround) {
  ProtoModel model;
  model.input("x").output("y");
  add_condition(model, true);
  auto& node = model.node("If", {"known"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) output(graph_attribute(node, name), "x");
  EXPECT_THAT(text(model.import()), HasSubstr("%y: float32[2x3] = Identity(%x)"));
}

TEST(KnownCondition, MustBeOneBool) {
  ProtoModel model;
  model.input("x").output("y");
  model.initializer("known", {2}, {1, 0});
  add_if(model, "known");
  expect_refusal(model.import(), Code::OperatorMisused, {"'choose' (If)", "one bool"});
}

TEST(KnownCondition, ShowsWhatIsWrongInItsBranch) {
  ProtoModel model;
  model.input("x").output("y");
  add_condition(model, true);
  auto& node = add_if(model, "known");
  node.mutable_attribute(0)->mutable_g()->mutable_node(0)->set_input(1, "nowhere");
  expect_refusal(model.import(), Code::ModelCorrupt,
                 {"'nowhere'", "'choose' (If)", "'add' (Add) of branch 'then_branch'"});
}

ProtoModel unknown_condition() {
  ProtoModel model;
  model.input("x").input("which", {}, TensorProto::BOOL).output("y");
  add_if(model, "which");
  return model;
}

// Its branches give tensors of different shapes, of which none can be chosen.
ProtoModel torn_condition() {
  ProtoModel model = unknown_condition();
  auto& twice = *model.graph().mutable_node(0)->mutable_attribute(1)->mutable_g()->mutable_node(0);
  twice.set_op_type("Concat");
  twice.add_input("x");
  set(twice, "axis", 0);
  return model;
}

TEST(ConditionOfTheRun, ChoosesBetweenBothBranches) {
  const auto model = unknown_condition().import();
  EXPECT_EQ(text(model), R"(graph "" {
  input %x: float32[2x3]
  input %which: bool[]
  const %"choose/then_branch/w": float32[1] = [2]
  %"choose/then_branch/sum": float32[2x3] = Add(%x, %"choose/then_branch/w") "choose/then_branch/add" from 0
  %"choose/then_branch/out": float32[2x3] = Neg(%"choose/then_branch/sum") "choose/then_branch/negate" from 0
  %"choose/else_branch/out": float32[2x3] = Abs(%x) "choose/else_branch/absolute" from 0
  %y: float32[2x3] = Where(%which, %"choose/then_branch/out", %"choose/else_branch/out") "choose" from 0
  output %y
}
)");
  ASSERT_TRUE(model);
  ASSERT_EQ(model->notes.size(), 1u);
  EXPECT_THAT(model->notes[0].text, HasSubstr("both branches are computed"));
}

// One bool, of more dimensions than what it chooses from.
TEST(ConditionOfTheRun, MayHaveDimensions) {
  ProtoModel model;
  model.input("x", {}).input("which", {1, 1, 1}, TensorProto::BOOL).output("y", {});
  auto& node = model.node("If", {"which"}, {"y"});
  node.set_name("choose");
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& branch = graph_attribute(node, name);
    add(branch, name == std::string("then_branch") ? "Neg" : "Abs", {"x"}, {"out"});
    output(branch, "out");
  }
  const auto imported = model.import();
  EXPECT_THAT(text(imported), HasSubstr("bool[] = Reshape(%which) {shape = []}"));
  EXPECT_TRUE(imported && verify(imported->graph)) << text(imported);
}

// Inside a branch as well, where the inner condition is known, is not, or leads to nothing.
TEST(ConditionOfTheRun, MayStandInABranchOfAnother) {
  ProtoModel model;
  model.input("x").input("which", {}, TensorProto::BOOL).output("y");
  add_condition(model, true);
  auto& outer = model.node("If", {"which"}, {"y"});
  outer.set_name("outer");
  for (const char* condition : {"which", "known"}) {
    auto& branch =
        graph_attribute(outer, condition == std::string("which") ? "then_branch" : "else_branch");
    auto& inner = add(branch, "If", {condition}, {"i"});
    inner.set_name("inner");
    for (const char* name : {"then_branch", "else_branch"}) {
      auto& inner_branch = graph_attribute(inner, name);
      add(inner_branch, name == std::string("then_branch") ? "Neg" : "Abs", {"x"}, {"s"})
          .set_name("one");
      output(inner_branch, "s");
    }
    output(branch, "i");
  }
  const auto imported = model.import();
  EXPECT_THAT(text(imported), HasSubstr("\"outer/then_branch/inner\""));
  EXPECT_THAT(text(imported), HasSubstr("Neg(%x) \"outer/else_branch/inner/one\""));
  EXPECT_TRUE(imported && verify(imported->graph)) << text(imported);
}

// What was made of them until that was known is gone.
TEST(ConditionOfTheRun, LeavesNothingOfBranchesThatCannotBothBeComputed) {
  const auto model = torn_condition().import();
  ASSERT_TRUE(model) << text(model);
  EXPECT_EQ(model->graph.nodes().size(), 1u);
  EXPECT_EQ(model->graph.values().size(), 3u) << text(model);
  const Diagnostic reason = ops::opaque_reason(model->graph.find_node("choose")->attributes);
  EXPECT_THAT(reason.what, HasSubstr("float32[2x3] as 'y', the other float32[4x3]"));
}

// One that is always the same may be said: then the graph is the branch.
TEST(ConditionOfTheRun, IsKnownWhereItsInputIsSet) {
  ProtoModel model;
  model.input("x").input("rate", {}, TensorProto::INT64).output("y");
  model.integers("fast", {16000});
  model.node("Equal", {"rate", "fast"}, {"which"});
  add_if(model, "which");
  ImportOptions options;
  options.symbols["rate"] = 16000;
  EXPECT_THAT(text(model.import(options)), HasSubstr("Neg(%\"choose/sum\")"));
  options.symbols["rate"] = 8000;
  EXPECT_THAT(text(model.import(options)), HasSubstr("%y: float32[2x3] = Abs(%x)"));
  options.bound_inputs["rate"] = Tensor::of<std::int64_t>({}, {8000});
  EXPECT_TRUE(model.import(options));
  options.bound_inputs["rate"] = Tensor::of<std::int64_t>({}, {16000});
  expect_refusal(model.import(options), Code::ShapeBindingInvalid,
                 {"'rate' is set to 8000 and given as another value"});
  options = {};
  options.symbols = {{"speed", 1}};
  expect_refusal(model.import(options), Code::ShapeBindingInvalid, {"'speed'", "number: rate"});
  ProtoModel narrow;
  narrow.input("x").input("which", {}, TensorProto::BOOL).output("y");
  add_if(narrow, "which");
  EXPECT_TRUE(narrow.import({.symbols = {{"which", 0}}}));
  options.symbols = {{"which", 2}};
  expect_refusal(narrow.import(options), Code::ShapeBindingInvalid, {"'which'", "cannot be 2"});
}

// As many operators as the branch has once it is opened, where constants are values.
TEST(UnknownCondition, CountsNoConstantsAmongTheOperatorsOfItsBranches) {
  ProtoModel model = torn_condition();
  auto& branch = *model.graph().mutable_node(0)->mutable_attribute(0)->mutable_g();
  auto& value = *add(branch, "Constant", {}, {"two"}).add_attribute();
  value.set_name("value_float");
  value.set_type(::onnx::AttributeProto::FLOAT);
  value.set_f(2);
  const auto imported = model.import();
  ASSERT_TRUE(imported) << text(imported);
  EXPECT_THAT(ops::opaque_of(imported->graph.find_node("choose")->attributes).attributes,
              ::testing::Contains("then_branch = graph \"then_branch\" of 2 operators"));
}

TEST(UnknownCondition, MakesAnOpaqueOperator) {
  const auto model = torn_condition().import();
  ASSERT_TRUE(model) << text(model);
  const graph::Node* node = model->graph.find_node("choose");
  ASSERT_NE(node, nullptr);
  ASSERT_TRUE(is_opaque(*node));
  const ops::OpaqueOperator opaque = ops::opaque_of(node->attributes);
  EXPECT_THAT(opaque.reason.what, HasSubstr("'which'"));
  EXPECT_THAT(opaque.reason.hint, HasSubstr("--subgraph 'choose.then_branch'"));
  EXPECT_THAT(opaque.subgraphs, ::testing::ElementsAre("then_branch", "else_branch"));
  EXPECT_THAT(opaque.attributes,
              ::testing::Contains("then_branch = graph \"then_branch\" of 2 operators"));
  // What its branches read is as much an operand as the condition is.
  ASSERT_EQ(node->inputs.size(), 2u);
  EXPECT_EQ(model->graph.value(node->inputs[1]).name, "x");
  EXPECT_EQ(to_string(model->graph.value(node->outputs[0]).type), "float32[2x3]");
}

// ONNX's own inference looks up what it does not know among a model's functions.
TEST(UnknownCondition, MayDecideBetweenWhatNobodyKnows) {
  for (const char* operation : {"If", "Loop"}) {
    ProtoModel model;
    model.input("x").input("which", {}, TensorProto::BOOL).output("y");
    const bool is_if = operation == std::string("If");
    auto& node =
        is_if ? model.node("If", {"which"}, {"y"}) : model.node("Loop", {"", "which", "x"}, {"y"});
    for (const char* name : {"then_branch", "else_branch"}) {
      auto& graph = graph_attribute(node, is_if ? name : "body");
      add(graph, "Foo", {"x"}, {"out"});
      if (!is_if) {
        graph.add_input()->set_name("i");
        graph.add_input()->set_name("go");
        graph.add_input()->set_name("state");
        output(graph, "go");
      }
      output(graph, "out");
      if (!is_if) break;
    }
    const auto imported = model.import();
    ASSERT_TRUE(imported) << text(imported);
    EXPECT_TRUE(is_opaque(*imported->graph.nodes().front())) << text(imported);
  }
}

// What a branch needs stays, though only the branch reads it.
TEST(UnknownCondition, NeedsWhatItsBranchesRead) {
  ProtoModel model;
  model.input("z").input("which", {}, TensorProto::BOOL).output("y");
  model.node("Relu", {"z"}, {"x"});
  add_if(model, "which");
  const auto imported = model.import();
  ASSERT_TRUE(imported) << text(imported);
  EXPECT_EQ(imported->graph.uses(imported->graph.find_value("x")->id).size(), 2u);

  ProtoModel missing;
  missing.input("z").input("which", {}, TensorProto::BOOL).output("y");
  add_if(missing, "which");
  expect_refusal(missing.import(), Code::ModelCorrupt, {"'x'", "nothing makes"});
}

Result<Model> open(const ProtoModel& model, const std::string& subgraph) {
  ImportOptions options;
  options.subgraph = subgraph;
  return model.import(options);
}

TEST(Subgraph, IsANetworkOfItsOwn) {
  EXPECT_EQ(text(open(unknown_condition(), "choose.then_branch")), R"(graph "then_branch" {
  input %x: float32[2x3]
  const %w: float32[1] = [2]
  %sum: float32[2x3] = Add(%x, %w) "add" from 0
  %out: float32[2x3] = Neg(%sum) "negate" from 1
  output %out
}
)");
  EXPECT_THAT(text(open(unknown_condition(), "choose.else_branch")), HasSubstr("Abs(%x)"));
}

TEST(Subgraph, ThatIsNotThereIsRefusedWithThoseThatAre) {
  expect_refusal(open(unknown_condition(), "choose.branch"), Code::GraphEntityUnknown,
                 {"'choose.branch'", "choose.then_branch, choose.else_branch"});
  ProtoModel plain;
  plain.input("x").output("y");
  plain.node("Relu", {"x"}, {"y"});
  expect_refusal(open(plain, "relu.body"), Code::GraphEntityUnknown, {"no operator here"});
}

// total = 0; for i < count: total += x[i's own scale]
ProtoModel loop() {
  ProtoModel model;
  model.input("x").input("count", {}, TensorProto::INT64).output("y");
  add_condition(model, true);
  auto& node = model.node("Loop", {"count", "known", "x"}, {"y"});
  node.set_name("repeat");
  auto& body = graph_attribute(node, "body");
  for (const char* name : {"i", "go", "carried"}) body.add_input()->set_name(name);
  add(body, "Identity", {"go"}, {"go_on"});
  auto& choose = add(body, "If", {"go"}, {"next"});
  choose.set_name("inner");
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& branch = graph_attribute(choose, name);
    add(branch, "Mul", {"carried", "x"}, {"product"}).set_name("times");
    output(branch, "product");
  }
  output(body, "go_on");
  output(body, "next");
  return model;
}

// The types of a body's inputs are those of what is carried; what it reads from around follows.
TEST(Subgraph, OfALoopTakesTheTypesOfWhatIsCarried) {
  const auto body = open(loop(), "repeat.body");
  EXPECT_THAT(text(body), HasSubstr("input %i: int64[]\n  input %go: bool[]\n"
                                    "  input %carried: float32[2x3]\n  input %x: float32[2x3]\n"));
  ASSERT_TRUE(body);
  EXPECT_EQ(body->inputs.size(), 4u);
  EXPECT_EQ(body->outputs.size(), 2u);
  EXPECT_EQ(body->onnx_nodes.size(), 2u);
  EXPECT_EQ(body->graph.find_node("inner")->op->name, "Where");
}

TEST(Subgraph, InsideASubgraphIsReachedByItsPath) {
  EXPECT_THAT(text(open(loop(), "repeat.body/inner.else_branch")),
              HasSubstr("Mul(%carried, %x) \"times\""));
  expect_refusal(open(loop(), "repeat.body/inner.body"), Code::GraphEntityUnknown,
                 {"'inner.body'", "inner.then_branch"});
}

}  // namespace
}  // namespace loopglass::onnx
