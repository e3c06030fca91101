// Initializers of two and four bits: bytes of their values, for operators that make of these what
// they make of the fewer bits.
#include "core/graph/text.h"
#include "core/loop/interpret_graph.h"
#include "core/ops/opaque.h"
#include "tests/onnx/proto_model.h"

#include <gmock/gmock.h>

namespace loopglass::onnx {
namespace {

using ::testing::ElementsAre;

// TensorProto's, which this ONNX library need not have.
constexpr int uint4 = 21, int4 = 22, uint2 = 25, int2 = 26;

::onnx::TensorProto& few_bits(ProtoModel& model, const std::string& name, int type,
                              std::vector<std::int64_t> shape, const std::string& bytes) {
  ::onnx::TensorProto& proto = *model.graph().add_initializer();
  proto.set_name(name);
  proto.set_data_type(type);
  for (const std::int64_t extent : shape) proto.add_dims(extent);
  proto.set_raw_data(bytes);
  return proto;
}

// y = DequantizeLinear(w, 1, z), or what `op` makes of w.
ProtoModel of_weights(int type, const std::string& bytes, int count, const std::string& zero,
                      const std::string& op = "DequantizeLinear") {
  ProtoModel model(21);
  model.output("y", {count});
  few_bits(model, "w", type, {count}, bytes);
  model.initializer("s", {}, {1});
  if (zero.empty()) {
    model.node(op, {"w", "s"}, {"y"});
  } else {
    few_bits(model, "z", type, {}, zero);
    model.node(op, {"w", "s", "z"}, {"y"});
  }
  return model;
}

std::vector<float> values(const Result<Model>& model) {
  if (!model) throw std::invalid_argument(to_string(model.error()));
  const auto result = loop::interpret(model->graph, std::vector<Tensor>());
  if (!result) throw std::invalid_argument(to_string(result.error()));
  const auto y = result->front().as<float>();
  return {y.begin(), y.end()};
}

// From the lowest bits on; what the last byte has above its elements is nothing.
TEST(FewBits, LieInBytes) {
  EXPECT_THAT(values(of_weights(uint4, "\x21\xF3", 3, "").import()), ElementsAre(1, 2, 3));
  EXPECT_THAT(values(of_weights(uint4, "\x0F\x08", 4, "").import()), ElementsAre(15, 0, 8, 0));
  EXPECT_THAT(values(of_weights(int4, "\x8F\x78", 4, "").import()), ElementsAre(-1, -8, -8, 7));
  EXPECT_THAT(values(of_weights(uint2, "\xE4", 4, "").import()), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(values(of_weights(int2, "\xE4\x02", 5, "").import()), ElementsAre(0, 1, -2, -1, -2));
}

TEST(FewBits, HaveZeroPoints) {
  EXPECT_THAT(values(of_weights(uint4, "\x21\x03", 3, "\x02").import()), ElementsAre(-1, 0, 1));
  EXPECT_THAT(values(of_weights(int4, "\x8F", 2, "\x0E").import()), ElementsAre(1, -6));
}

// Typed data hold a byte of several elements in each number.
TEST(FewBits, MayBeTypedData) {
  ProtoModel model = of_weights(uint4, "", 3, "");
  auto& w = *model.graph().mutable_initializer(0);
  w.clear_raw_data();
  w.add_int32_data(0x21);
  w.add_int32_data(0x03);
  EXPECT_THAT(values(model.import()), ElementsAre(1, 2, 3));
}

TEST(FewBits, AreCast) {
  ProtoModel model(21);
  model.output("y", {2});
  few_bits(model, "w", int4, {2}, "\x8F");
  set(model.node("Cast", {"w"}, {"y"}), "to", ::onnx::TensorProto::FLOAT);
  EXPECT_THAT(values(model.import()), ElementsAre(-1, -8));
}

TEST(FewBits, AreAsManyAsTheShapeSays) {
  expect_refusal(of_weights(uint4, "\x21", 3, "").import(), Code::ModelCorrupt, {"'w'", "1 byte"});
  expect_refusal(of_weights(uint4, "\x21\x03\x05", 3, "").import(), Code::ModelCorrupt, {"'w'"});
}

// What would round to four bits, or give four bits, is not computed with bytes.
TEST(FewBits, AreNotTakenForBytesElsewhere) {
  ProtoModel model(21);
  model.input("x", {2}).output("y", {2});
  model.initializer("s", {}, {1});
  few_bits(model, "z", uint4, {}, "\x02");
  model.node("QuantizeLinear", {"x", "s", "z"}, {"q"}).set_name("quantise");
  model.node("DequantizeLinear", {"q", "s", "z"}, {"y"});
  const auto imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  const graph::Node& quantise = *imported->graph.find_node("quantise");
  ASSERT_TRUE(is_opaque(quantise)) << to_text(imported->graph);
  EXPECT_EQ(ops::opaque_of(quantise.attributes).reason.what,
            "operand 'z' is of UINT4, which is only dequantised or cast here");
}

// Nor does a branch hand them on.
TEST(FewBits, StayInTheirGraph) {
  for (const bool is_known : {true, false}) {
    ProtoModel model(21);
    model.input("x", {2}).output("y", {2});
    model.initializer("s", {}, {1});
    few_bits(model, "z", uint4, {}, "\x02");
    if (is_known) {
      auto& condition = *model.graph().add_initializer();
      condition.set_name("c");
      condition.set_data_type(::onnx::TensorProto::BOOL);
      condition.add_int32_data(1);
    } else {
      model.input("c", {}, ::onnx::TensorProto::BOOL);
    }
    auto& choice = model.node("If", {"c"}, {"chosen"});
    choice.set_name("choice");
    for (const char* branch : {"then_branch", "else_branch"}) {
      auto* attribute = choice.add_attribute();
      attribute->set_name(branch);
      attribute->set_type(::onnx::AttributeProto::GRAPH);
      attribute->mutable_g()->set_name(branch);
      attribute->mutable_g()->add_output()->set_name("z");
    }
    model.node("QuantizeLinear", {"x", "s", "chosen"}, {"q"});
    model.node("DequantizeLinear", {"q", "s", "chosen"}, {"y"});
    const auto imported = model.import();
    ASSERT_TRUE(imported) << to_string(imported.error());
    const graph::Node* node = imported->graph.find_node("choice");
    ASSERT_TRUE(node != nullptr && is_opaque(*node)) << to_text(imported->graph);
    EXPECT_NE(ops::opaque_of(node->attributes).reason.what.find("UINT4"), std::string::npos);
  }
}

TEST(FewBits, HaveZeroPointsOfTheirType) {
  ProtoModel model = of_weights(int4, "\x8F", 2, "\x0E");
  model.graph().mutable_initializer(2)->set_data_type(::onnx::TensorProto::INT8);
  expect_refusal(model.import(), Code::OperatorMisused, {"zero point of int8", "elements of INT4"});
  model.graph().mutable_initializer(2)->set_data_type(uint4);
  expect_refusal(model.import(), Code::OperatorMisused, {"zero point of UINT4"});
}

TEST(FewBits, AreNoGraphOutputs) {
  ProtoModel model(21);
  model.output("w", {2}, ::onnx::TensorProto::INT8);
  few_bits(model, "w", int4, {2}, "\x8F");
  expect_refusal(model.import(), Code::TypeUnsupported, {"'w'", "INT4"});
}

}  // namespace
}  // namespace loopglass::onnx
