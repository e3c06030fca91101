// Symbolic dimensions get extents: from --shape, from one another, or by default with a note.
#include "tests/onnx/proto_model.h"

#include <gmock/gmock.h>

namespace loopglass::onnx {
namespace {

ProtoModel identity(std::vector<ProtoDimension> shape) {
  ProtoModel model;
  model.input("x", shape).output("y", shape);
  model.node("Identity", {"x"}, {"y"});
  return model;
}

std::string input_type(const Result<Model>& model) {
  return model ? to_string(model->graph.value(model->graph.inputs()[0]).type)
               : to_string(model.error());
}

TEST(ShapeBinding, DefaultsAreABatchOfOneAndAPicture) {
  const auto picture = identity({"N", 3, "H", "W"}).import();
  EXPECT_EQ(input_type(picture), "float32[1x3x224x224]");
  ASSERT_EQ(picture->notes.size(), 3u);
  EXPECT_EQ(picture->notes[1].text, "dimension 'H' of input 'x' is symbolic; bound to 224");
  EXPECT_EQ(input_type(identity({"N", "C", 8, 8}).import()), "float32[1x3x8x8]");
  EXPECT_EQ(input_type(identity({"batch", "sequence"}).import()), "float32[1x128]");
  EXPECT_EQ(input_type(identity({"n", "n"}).import()), "float32[1x1]");
}

TEST(ShapeBinding, UnnamedDimensionsGetANameOfTheirOwn) {
  ProtoModel model = identity({2, 3});
  model.graph()
      .mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(1)
      ->clear_value();
  const auto imported = model.import();
  EXPECT_EQ(input_type(imported), "float32[2x128]");
  EXPECT_EQ(imported->inputs[0].shape[1].symbol, "x.1");
}

TEST(ShapeBinding, AShapeGivenForOneInputBindsTheSymbolsOfAnother) {
  ProtoModel model;
  model.input("a", {"N", 4}).input("b", {"N", 4}).output("y", {"N", 4});
  model.node("Add", {"a", "b"}, {"y"});
  ImportOptions options;
  options.shapes["b"] = {7, 4};
  const auto imported = model.import(options);
  EXPECT_EQ(input_type(imported), "float32[7x4]");
  EXPECT_TRUE(imported->notes.empty());
}

TEST(ShapeBinding, BindingsMustFitTheModel) {
  const auto bind = [](const ProtoModel& model, std::map<std::string, Shape> shapes) {
    ImportOptions options;
    options.shapes = std::move(shapes);
    return model.import(options);
  };
  const ProtoModel model = identity({"N", 3});
  expect_refusal(bind(model, {{"z", {1, 3}}}), Code::ShapeBindingInvalid,
                 {"'z'", "its inputs are: x"});
  expect_refusal(bind(model, {{"x", {1, 3, 1}}}), Code::ShapeBindingInvalid,
                 {"'x'", "3 dimensions", "declares 2"});
  expect_refusal(bind(model, {{"x", {1, 4}}}), Code::ShapeBindingInvalid,
                 {"extent 4 at axis 1", "declares 3"});
  expect_refusal(bind(model, {{"x", {std::int64_t{1} << 60, 3}}}), Code::ModelTooLarge, {});
  expect_refusal(bind(identity({"n", "n"}), {{"x", {2, 3}}}), Code::ShapeBindingInvalid,
                 {"'n'", "both 2 and 3"});
}

TEST(ShapeBinding, AnInputWithoutAShapeNeedsOne) {
  ProtoModel model = identity({2, 3});
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  expect_refusal(model.import(), Code::DimensionUnbound, {"'x'", "--shape x="});
  ImportOptions options;
  options.shapes["x"] = {2, 3};
  EXPECT_EQ(input_type(model.import(options)), "float32[2x3]");
}

TEST(ShapeBinding, OutputsDeclaredOtherwiseAreNoted) {
  ProtoModel model;
  model.input("x", {2, 3}).output("y", {3, 2});
  model.node("Identity", {"x"}, {"y"});
  const auto imported = model.import();
  ASSERT_TRUE(imported);
  ASSERT_EQ(imported->notes.size(), 1u);
  EXPECT_NE(imported->notes[0].text.find("'y'"), std::string::npos);
}

TEST(ShapeBinding, AnExtentIsNotNegativeAndADimensionGoesBeforeAnInputOfItsName) {
  ProtoModel model;
  model.input("x", {"n"}).input("n", {}, ::onnx::TensorProto::INT64).output("y", {"n"});
  model.node("Neg", {"x"}, {"y"});
  expect_refusal(model.import({.symbols = {{"n", -1}}}), Code::ShapeBindingInvalid,
                 {"'n' cannot be -1"});
  const auto bound = model.import({.symbols = {{"n", 5}}});
  ASSERT_TRUE(bound);
  ASSERT_FALSE(bound->notes.empty());
  EXPECT_THAT(bound->notes.back().text, ::testing::HasSubstr("is a dimension and an input"));
}

}  // namespace
}  // namespace loopglass::onnx
