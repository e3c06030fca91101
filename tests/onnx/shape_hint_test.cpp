// A shape that does not fit names the dimensions that were taken, and a --shape that does: one that
// was tried.
#include "tests/onnx/proto_model.h"

#include <gmock/gmock.h>

namespace loopglass::onnx {
namespace {

using ::testing::HasSubstr;

// The features of a picture of one size alone: flattened, and multiplied by weights of fixed size.
ProtoModel classifier(int weights) {
  ProtoModel model;
  model.input("image", {"N", 1, "H", "W"}).output("y", {"N", 10});
  model.node("Flatten", {"image"}, {"flat"}).set_name("flatten");
  model.initializer("w", {weights, 10}, std::vector<float>(static_cast<std::size_t>(weights) * 10));
  model.node("MatMul", {"flat", "w"}, {"y"}).set_name("classify");
  return model;
}

std::string hint(const Result<Model>& model) {
  if (model) return "it fits";
  return model.error().hint;
}

TEST(ShapeHint, NamesASquareThatFits) {
  const auto model = classifier(28 * 28).import();
  expect_refusal(model, Code::OperatorMisused, {"node 'classify' (MatMul)"});
  EXPECT_EQ(hint(model),
            "with 'H' = 224, 'N' = 1, 'W' = 224 it does not fit; this does: --shape "
            "image=1x1x28x28");
  ImportOptions options;
  options.shapes["image"] = {1, 1, 28, 28};
  EXPECT_TRUE(classifier(28 * 28).import(options));
}

// What a person gave and does not fit is told as well.
TEST(ShapeHint, NamesWhatFitsWhereTheGivenDoesNot) {
  ImportOptions options;
  options.shapes["image"] = {2, 1, 30, 30};
  EXPECT_THAT(hint(classifier(28 * 28).import(options)), HasSubstr("image=2x1x28x28"));
}

TEST(ShapeHint, FindsSequencesOfAFixedLength) {
  ProtoModel model;
  model.input("tokens", {"batch", "length", 4}).output("y", {"batch", "length", 4});
  model.initializer("positions", {77, 4}, std::vector<float>(77 * 4));
  model.node("Add", {"tokens", "positions"}, {"y"}).set_name("place");
  EXPECT_THAT(hint(model.import()), HasSubstr("--shape tokens=1x77x4"));
}

// The state's second dimension is a batch, too.
TEST(ShapeHint, FindsTheBatchOfARecurrentState) {
  ProtoModel model;
  model.input("x", {"N", "L"}).input("state", {2, "S", 4}).output("y", {"N", 10}).output("z");
  model.initializer("w", {64, 10}, std::vector<float>(640));
  model.node("MatMul", {"x", "w"}, {"y"});
  model.integers("flat", {2, 4});
  model.node("Reshape", {"state", "flat"}, {"z"});
  EXPECT_THAT(hint(model.import()), HasSubstr("--shape state=2x1x4 --shape x=1x64"));
}

TEST(ShapeHint, QuotesNamesForTheShell) {
  ProtoModel model;
  model.input("the tokens", {"n", "length"}).output("y", {"n", 10});
  model.initializer("w", {64, 10}, std::vector<float>(640));
  model.node("MatMul", {"the tokens", "w"}, {"y"});
  EXPECT_THAT(hint(model.import()), HasSubstr("--shape 'the tokens=1x64'"));
}

// Nothing usual is 1234567 pixels: then only what was taken is said, and where to say otherwise.
TEST(ShapeHint, SaysSoWhereNothingUsualFits) {
  ProtoModel model;
  model.input("tokens", {"n", "length"}).output("y", {"n", 1});
  model.initializer("w", {4321, 1}, std::vector<float>(4321));
  model.node("MatMul", {"tokens", "w"}, {"y"});
  EXPECT_EQ(hint(model.import()),
            "with 'length' = 128, 'n' = 1 it does not fit, nor with other usual extents: give the "
            "shape that the model was made for, --shape tokens=...");
}

// Where no dimension is open, no shape is to blame.
TEST(ShapeHint, IsNotForWrongModels) {
  ProtoModel model;
  model.input("x", {2, 3}).output("y", {2, 1});
  model.initializer("w", {4, 1}, {1, 2, 3, 4});
  model.node("MatMul", {"x", "w"}, {"y"});
  EXPECT_EQ(hint(model.import()), "");
}

}  // namespace
}  // namespace loopglass::onnx
