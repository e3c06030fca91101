// What is written reads back: graphs with their attributes, in several operator sets, and tensors
// of every type.
#include "core/graph/text.h"
#include "core/loop/interpret_graph.h"
#include "core/onnx/export.h"
#include "core/ops/registry.h"
#include "tests/onnx/proto_model.h"
#include "tests/random/random_graph.h"

namespace loopglass::onnx {
namespace {

using Integers = std::vector<std::int64_t>;

Result<graph::Graph> round_trip(const graph::Graph& graph, int opset) {
  const Folder folder;
  TRY_VOID(write(graph, folder / "model.onnx", opset));
  ImportOptions options;
  options.evaluate = loop::evaluate;
  return TRY(import(folder / "model.onnx", options)).graph;
}

// The graph without what a file does not keep: ids and origins.
std::string text(const graph::Graph& graph) {
  graph::TextOptions options;
  options.constant_elements = -1;
  options.defaults = true;
  std::string text = graph::to_text(graph, options);
  for (std::size_t at; (at = text.find(" from ")) != std::string::npos;)
    text.erase(at, text.find('\n', at) - at);
  return text;
}

class OneNode : public ::testing::TestWithParam<int> {
 protected:
  // An operator on a 2x3x4x4 tensor.
  void check(std::string_view op, ops::Attributes attributes) {
    graph::GraphBuilder builder("one");
    const auto x = builder.add_input("x", {DataType::Float32, {2, 3, 4, 4}});
    const auto node = builder.add_node("node", *ops::find_operator(op), {x}, std::move(attributes));
    ASSERT_TRUE(node) << to_string(node.error());
    builder.set_outputs({builder.output(*node)});
    const auto graph = std::move(builder).finish();
    const auto back = round_trip(*graph, GetParam());
    ASSERT_TRUE(back) << op << ": " << to_string(back.error());
    EXPECT_EQ(text(*back), text(*graph));
  }
};

TEST_P(OneNode, AttributesThatBecameInputsOrStayedAttributes) {
  check("Reshape", {{"shape", Integers{6, 16}}});
  check("Transpose", {{"perm", Integers{0, 2, 3, 1}}});
  check("Squeeze", {});
  check("Unsqueeze", {{"axes", Integers{0, 3}}});
  check("ReduceSum", {{"axes", Integers{1, 2}}, {"keepdims", std::int64_t{0}}});
  check("ReduceMean", {{"axes", Integers{-1}}});
  check("MaxPool", {{"kernel_shape", Integers{2, 2}}, {"strides", Integers{2, 2}}});
  check("Softmax", {{"axis", std::int64_t{-1}}});
  check("LeakyRelu", {{"alpha", 0.125}});
}

TEST_P(OneNode, AttributesThatOnnxSpellsOtherwise) { check("Cast", {{"to", "float16"}}); }

INSTANTIATE_TEST_SUITE_P(Opsets, OneNode, ::testing::Values(11, 13, 17),
                         [](const auto& tested) { return "opset" + std::to_string(tested.param); });

class RandomGraph : public ::testing::TestWithParam<int> {};

TEST_P(RandomGraph, ReadsBackEqual) {
  const graph::Graph graph = test::random_graph(static_cast<std::uint32_t>(GetParam()), 20);
  const auto back = round_trip(graph, 13);
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(text(*back), text(graph));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraph, ::testing::Range(0, 20));

TEST(Export, RefusesAnOperatorThatTheVersionDoesNotHave) {
  graph::GraphBuilder builder("one");
  const auto x = builder.add_input("x", {DataType::Float32, {2, 3}});
  const auto node = builder.add_node("node", *ops::find_operator("Mish"), {x}, {});
  ASSERT_TRUE(node) << to_string(node.error());
  builder.set_outputs({builder.output(*node)});
  const auto back = round_trip(*std::move(builder).finish(), 13);
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().code, Code::OpsetUnsupported);
}

TEST(Export, SaysWhereItCannotWrite) {
  const auto written = write(test::random_graph(1, 3), "/nonexistent/model.onnx");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::FileUnwritable);
  EXPECT_EQ(written.error().where, "/nonexistent/model.onnx");
}

TEST(Tensors, OfEveryTypeReadBack) {
  const Folder folder;
  for (const DataType type :
       {DataType::Float16, DataType::Float32, DataType::Float64, DataType::Int8, DataType::Int16,
        DataType::Int32, DataType::Int64, DataType::UInt8, DataType::UInt16, DataType::UInt32,
        DataType::UInt64, DataType::Bool}) {
    Tensor tensor(TensorType{type, {2, 3}});
    visit_type(type, [&](auto element) {
      using T = decltype(element);
      const auto values = tensor.as<T>();
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i % 2);
    });
    ASSERT_TRUE(write_tensor(tensor, "t", folder / "t.pb"));
    const auto back = read_named_tensor(folder / "t.pb");
    ASSERT_TRUE(back) << to_string(back.error());
    EXPECT_EQ(back->name, "t");
    EXPECT_TRUE(back->tensor.same_content(tensor)) << name(type);
  }
}

Tensor read(const ::onnx::TensorProto& proto) {
  const Folder folder;
  const auto tensor = read_tensor(folder.save("t.pb", proto.SerializeAsString()));
  EXPECT_TRUE(tensor) << to_string(tensor.error());
  return tensor.value_or(Tensor());
}

TEST(Tensors, TypedFieldsHoldNarrowTypes) {
  ::onnx::TensorProto half;
  half.set_data_type(::onnx::TensorProto::FLOAT16);
  half.add_dims(2);
  half.add_int32_data(0x3c00);  // 1
  half.add_int32_data(0xc000);  // -2
  EXPECT_TRUE(read(half).same_content(Tensor::of<Float16>({2}, {Float16(1), Float16(-2)})));

  ::onnx::TensorProto bytes;
  bytes.set_data_type(::onnx::TensorProto::UINT8);
  bytes.add_dims(2);
  bytes.add_int32_data(0);
  bytes.add_int32_data(255);
  EXPECT_TRUE(read(bytes).same_content(Tensor::of<std::uint8_t>({2}, {0, 255})));

  ::onnx::TensorProto truth;
  truth.set_data_type(::onnx::TensorProto::BOOL);
  truth.add_dims(3);
  // Any byte but zero is true; ours is 1.
  truth.set_raw_data(std::string("\0\1\7", 3));
  EXPECT_EQ(read(truth).to_integers(), (Integers{0, 1, 1}));
}

TEST(Tensors, SparseOnesAreFilledOut) {
  ProtoModel model;
  model.input("x", {2, 3}).output("y", {2, 3});
  auto& sparse = *model.graph().add_sparse_initializer();
  sparse.add_dims(2);
  sparse.add_dims(3);
  sparse.mutable_values()->set_name("s");
  sparse.mutable_values()->set_data_type(::onnx::TensorProto::FLOAT);
  sparse.mutable_values()->add_dims(2);
  sparse.mutable_values()->add_float_data(5);
  sparse.mutable_values()->add_float_data(6);
  sparse.mutable_indices()->set_data_type(::onnx::TensorProto::INT64);
  sparse.mutable_indices()->add_dims(2);
  sparse.mutable_indices()->add_int64_data(1);
  sparse.mutable_indices()->add_int64_data(5);
  model.node("Add", {"x", "s"}, {"y"});
  const auto imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  EXPECT_TRUE(imported->graph.find_value("s")->constant.same_content(
      Tensor::of<float>({2, 3}, {0, 5, 0, 0, 0, 6})));
  // An index outside the tensor.
  sparse.mutable_indices()->set_int64_data(1, 6);
  expect_refusal(model.import(), Code::ModelCorrupt, {"'s'", "outside"});
}

}  // namespace
}  // namespace loopglass::onnx
