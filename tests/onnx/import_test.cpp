// From ONNX nodes to ours: constants, bound inputs, functions, and what is said when that fails.
#include "core/graph/text.h"
#include "core/ops/opaque.h"
#include "tests/onnx/proto_model.h"

namespace loopglass::onnx {
namespace {

std::vector<std::string> operators(const graph::Graph& graph) {
  std::vector<std::string> names;
  for (const graph::NodePtr& node : graph.nodes()) names.push_back(node->op->name);
  return names;
}

TEST(Import, NodesBecomeNodesWithTheirNamesAndOrigin) {
  ProtoModel model;
  model.input("x").output("y");
  model.node("Relu", {"x"}, {"hidden"}).set_name("first");
  model.node("Neg", {"hidden"}, {"y"});
  const auto imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  EXPECT_EQ(graph::to_text(imported->graph),
            "graph \"\" {\n"
            "  input %x: float32[2x3]\n"
            "  %hidden: float32[2x3] = Relu(%x) \"first\" from 0\n"
            "  %y: float32[2x3] = Neg(%hidden) \"Neg_1\" from 1\n"
            "  output %y\n"
            "}\n");
  EXPECT_EQ(imported->onnx_nodes, (std::vector<std::string>{"first (Relu)", "y (Neg)"}));
  EXPECT_TRUE(graph::verify(imported->graph));
}

TEST(Import, InitializersConstantsAndConstantOfShapeAreConstants) {
  ProtoModel model;
  model.input("x").output("y");
  model.initializer("a", {3}, {1, 2, 3});
  auto* value = model.node("Constant", {}, {"b"}).add_attribute();
  value->set_name("value_floats");
  value->set_type(::onnx::AttributeProto::FLOATS);
  for (const float element : {4.0f, 5.0f, 6.0f}) value->add_floats(element);
  model.integers("shape", {2, 1});
  auto* fill = model.node("ConstantOfShape", {"shape"}, {"c"}).add_attribute();
  fill->set_name("value");
  fill->set_type(::onnx::AttributeProto::TENSOR);
  fill->mutable_t()->set_data_type(::onnx::TensorProto::FLOAT);
  fill->mutable_t()->add_dims(1);
  fill->mutable_t()->add_float_data(7);
  model.node("Sum", {"x", "a", "b", "c"}, {"y"});
  const auto imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  EXPECT_EQ(operators(imported->graph), std::vector<std::string>{"Sum"});
  EXPECT_TRUE(
      imported->graph.find_value("a")->constant.same_content(Tensor::of<float>({3}, {1, 2, 3})));
  EXPECT_TRUE(
      imported->graph.find_value("b")->constant.same_content(Tensor::of<float>({3}, {4, 5, 6})));
  EXPECT_TRUE(
      imported->graph.find_value("c")->constant.same_content(Tensor::of<float>({2, 1}, {7, 7})));
  // What only decided a shape is gone.
  EXPECT_EQ(imported->graph.find_value("shape"), nullptr);
}

TEST(Import, OldModelsListInitializersAmongTheInputs) {
  ProtoModel model(8);
  model.model.set_ir_version(3);
  model.input("x").input("w").output("y");
  model.initializer("w", {2, 3}, {1, 2, 3, 4, 5, 6});
  model.node("Add", {"x", "w"}, {"y"});
  const auto imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  EXPECT_EQ(imported->graph.inputs().size(), 1u);
  EXPECT_TRUE(imported->graph.find_value("w")->is_constant());
}

// Shape - Gather - Concat - Reshape, as exporters write "flatten all but the batch".
ProtoModel flatten_by_shape() {
  ProtoModel model;
  model.input("x", {"N", 3, 4}).output("y", {"N", 12});
  model.node("Shape", {"x"}, {"shape"});
  auto& first = model.integers("first", {0});
  first.clear_dims();
  model.node("Gather", {"shape", "first"}, {"batch"});
  model.integers("axis", {0});
  model.node("Unsqueeze", {"batch", "axis"}, {"batch_list"});
  model.integers("rest", {-1});
  set(model.node("Concat", {"batch_list", "rest"}, {"new_shape"}), "axis", 0);
  model.node("Reshape", {"x", "new_shape"}, {"y"});
  return model;
}

TEST(Import, ShapesAreComputedWhereAnOperatorNeedsThem) {
  ImportOptions options;
  options.shapes["x"] = {5, 3, 4};
  const auto imported = flatten_by_shape().import(options);
  ASSERT_TRUE(imported) << to_string(imported.error());
  const graph::Value& y = imported->graph.value(imported->graph.outputs()[0]);
  EXPECT_EQ(to_string(y.type), "float32[5x12]");
  // Nothing was bound: the shape followed from the input's type.
  EXPECT_TRUE(imported->inputs_bound.empty());
}

// The one node that is opaque, and why, as text.
std::string opaque_node(const Result<Model>& model) {
  if (!model) return to_string(model.error());
  for (const graph::NodePtr& node : model->graph.nodes())
    if (is_opaque(*node))
      return node->name + ": " + to_string(ops::opaque_reason(node->attributes));
  return "none";
}

TEST(Import, AnInputThatDecidesAShapeMakesItsOperatorOpaque) {
  ProtoModel model;
  model.input("x").input("target", {2}, ::onnx::TensorProto::INT64).output("y", {3, 2});
  model.node("Reshape", {"x", "target"}, {"y"}).set_name("reshape");
  const std::string why = opaque_node(model.import());
  for (const char* word : {"reshape: ", "LG2005", "'target'", "'shape'"})
    EXPECT_NE(why.find(word), std::string::npos) << word << " in: " << why;
}

TEST(Import, AnInputThatDecidesAShapeIsBoundWhenItsValueIsGiven) {
  ProtoModel model;
  model.input("x")
      .input("target", {2}, ::onnx::TensorProto::INT64)
      .output("y", {3, 2})
      .output("copy", {2}, ::onnx::TensorProto::INT64);
  // Read as data first, and only later found to decide a shape.
  model.node("Identity", {"target"}, {"copy"});
  model.node("Reshape", {"x", "target"}, {"y"});
  ImportOptions options;
  options.bound_inputs["target"] = Tensor::of<std::int64_t>({2}, {3, 2});
  options.bound_inputs["x"] = Tensor(TensorType{DataType::Float32, {2, 3}});
  const auto imported = model.import(options);
  ASSERT_TRUE(imported) << to_string(imported.error());
  ASSERT_EQ(imported->inputs_bound.size(), 1u);
  EXPECT_TRUE(imported->inputs_bound.contains("target"));
  // x has a value too, but decides nothing, and stays an input.
  ASSERT_EQ(imported->graph.inputs().size(), 1u);
  EXPECT_EQ(imported->graph.value(imported->graph.inputs()[0]).name, "x");
}

TEST(Import, ConstantsTooExpensiveForAnImportMakeTheirReaderOpaque) {
  ProtoModel model;
  model.input("x").output("y", {3, 2});
  model.integers("many", {4096, 4096});
  model.node("ConstantOfShape", {"many"}, {"zeros"});
  model.node("MatMul", {"zeros", "zeros"}, {"product"});
  model.node("ReduceSum", {"product"}, {"sum"});
  set(model.node("Cast", {"sum"}, {"target"}), "to", ::onnx::TensorProto::INT64);
  model.node("Reshape", {"x", "target"}, {"y"}).set_name("reshape");
  const std::string why = opaque_node(model.import());
  for (const char* word : {"reshape: ", "LG2005", "too long"})
    EXPECT_NE(why.find(word), std::string::npos) << word << " in: " << why;
}

TEST(Import, OptionalInputsInTheMiddleKeepTheirPlace) {
  ProtoModel model;
  model.input("x").output("y");
  auto& most = model.initializer("most", {}, {1});
  most.clear_dims();
  model.node("Clip", {"x", "", "most"}, {"y"});
  const auto imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  EXPECT_TRUE(graph::verify(imported->graph));
}

// f(a) = LeakyRelu(a, alpha = slope) - a
::onnx::FunctionProto& add_function(ProtoModel& model) {
  ::onnx::FunctionProto& function = *model.model.add_functions();
  function.set_name("Bent");
  function.set_domain("mine");
  function.add_input("a");
  function.add_output("b");
  function.add_attribute("slope");
  function.add_opset_import()->set_version(13);
  auto* reference =
      ProtoModel::fill(*function.add_node(), "LeakyRelu", {"a"}, {"bent"}).add_attribute();
  reference->set_name("alpha");
  reference->set_type(::onnx::AttributeProto::FLOAT);
  reference->set_ref_attr_name("slope");
  ProtoModel::fill(*function.add_node(), "Sub", {"bent", "a"}, {"b"});
  model.model.add_opset_import()->set_domain("mine");
  model.model.mutable_opset_import(1)->set_version(1);
  return function;
}

TEST(Import, FunctionsOfTheModelAreExpandedInPlace) {
  ProtoModel model;
  model.input("x").output("y");
  add_function(model);
  auto& call = model.node("Bent", {"x"}, {"y"});
  call.set_domain("mine");
  call.set_name("call");
  auto* slope = call.add_attribute();
  slope->set_name("slope");
  slope->set_type(::onnx::AttributeProto::FLOAT);
  slope->set_f(0.25f);
  const auto imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  EXPECT_EQ(
      graph::to_text(imported->graph),
      "graph \"\" {\n"
      "  input %x: float32[2x3]\n"
      "  %\"call/bent\": float32[2x3] = LeakyRelu(%x) {alpha = 0.25} \"call/LeakyRelu_1\" from 0\n"
      "  %y: float32[2x3] = Sub(%\"call/bent\", %x) \"call/Sub_2\" from 0\n"
      "  output %y\n"
      "}\n");
}

TEST(Import, FunctionsThatCallThemselvesAreRefused) {
  ProtoModel model;
  model.input("x").output("y");
  auto& function = add_function(model);
  ProtoModel::fill(*function.mutable_node(1), "", {}, {});
  auto& inner = *function.mutable_node(1);
  inner.Clear();
  ProtoModel::fill(inner, "Bent", {"bent"}, {"b"}).set_domain("mine");
  function.add_opset_import()->set_domain("mine");
  function.mutable_opset_import(1)->set_version(1);
  model.node("Bent", {"x"}, {"y"}).set_domain("mine");
  expect_refusal(model.import(), Code::ModelTooLarge, {"Bent", "levels deep"});
}

TEST(Import, DiagnosticsNameTheNodeAndTheOperator) {
  ProtoModel model;
  model.input("x").output("y");
  model.node("Softmax", {"x"}, {"y"}).set_name("share");
  set(model.graph().mutable_node()->at(0), "axis", 7);
  expect_refusal(model.import(), Code::OperatorMisused, {"node 'share' (Softmax)", "model.onnx"});
}

TEST(Import, NodesMustFitTheSchemaOfTheirOperator) {
  ProtoModel inputs;
  inputs.input("x").output("y");
  inputs.node("Add", {"x"}, {"y"});
  expect_refusal(inputs.import(), Code::OperatorMisused, {"1 inputs", "Add takes 2"});

  ProtoModel kind;
  kind.input("x").output("y");
  set(kind.node("LeakyRelu", {"x"}, {"y"}), "alpha", 3);
  expect_refusal(kind.import(), Code::OperatorMisused, {"'alpha'", "INT", "FLOAT"});

  ProtoModel missing;
  missing.input("x").output("y");
  missing.node("Concat", {"x", "x"}, {"y"});
  expect_refusal(missing.import(), Code::OperatorMisused, {"'axis'", "missing"});
}

// As converters to half precision leave it, which append the casts of inputs.
TEST(Import, SortsNodes) {
  ProtoModel model;
  model.input("x").output("y");
  model.node("Add", {"a", "b"}, {"y"}).set_name("last");
  model.node("Neg", {"c"}, {"b"}).set_name("third");
  model.node("Abs", {"x"}, {"a"}).set_name("first");
  model.node("Relu", {"a"}, {"c"}).set_name("second");
  const auto imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  std::vector<std::string> names;
  for (const graph::NodePtr& node : imported->graph.nodes()) names.push_back(node->name);
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second", "third", "last"}));
  ASSERT_EQ(imported->notes.size(), 1u);
  EXPECT_NE(imported->notes[0].text.find("'a' is read before it is made"), std::string::npos);
  EXPECT_EQ(imported->onnx_nodes.front(), "first (Abs)");
}

TEST(Import, GraphsMustBeGraphs) {
  const auto base = [] {
    ProtoModel model;
    model.input("x").output("y");
    return model;
  };
  ProtoModel circle = base();
  circle.node("Relu", {"h"}, {"y"});
  circle.node("Neg", {"y"}, {"h"});
  expect_refusal(circle.import(), Code::ModelCorrupt, {"in a circle"});

  ProtoModel nothing = base();
  nothing.node("Relu", {"ghost"}, {"y"});
  expect_refusal(nothing.import(), Code::ModelCorrupt, {"'ghost'", "nothing makes"});

  ProtoModel cycle = base();
  cycle.node("Add", {"x", "y"}, {"y"});
  expect_refusal(cycle.import(), Code::ModelCorrupt, {"its own result 'y'"});

  ProtoModel twice = base();
  twice.node("Relu", {"x"}, {"y"});
  twice.node("Neg", {"x"}, {"y"});
  expect_refusal(twice.import(), Code::ModelCorrupt, {"'y'", "defined twice"});

  ProtoModel no_output = base();
  no_output.node("Relu", {"x"}, {"h"});
  expect_refusal(no_output.import(), Code::ModelCorrupt, {"graph output 'y'"});

  ProtoModel no_result = base();
  no_result.node("Relu", {"x"}, {});
  expect_refusal(no_result.import(), Code::ModelCorrupt, {"no outputs"});

  ProtoModel other_type = base();
  set(other_type.node("Cast", {"x"}, {"y"}), "to", ::onnx::TensorProto::INT32);
  expect_refusal(other_type.import(), Code::ModelCorrupt, {"'y'", "float32", "int32"});

  ProtoModel no_domain = base();
  no_domain.node("Relu", {"x"}, {"y"}).set_domain("com.example");
  expect_refusal(no_domain.import(), Code::ModelCorrupt, {"com.example"});
}

TEST(Import, CanBeCancelled) {
  ProtoModel model;
  model.input("x").output("y");
  model.node("Relu", {"x"}, {"y"});
  ImportOptions options;
  options.cancellation.request();
  expect_refusal(model.import(options), Code::Cancelled, {});
}

}  // namespace
}  // namespace loopglass::onnx
