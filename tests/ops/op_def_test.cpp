// Typing a node: arity, attributes and their defaults; attribute values as text; small helpers.
#include "core/ops/regroup.h"
#include "core/ops/support.h"
#include "tests/ops/evaluation.h"

namespace loopglass::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const TensorType image_type{DataType::Float32, {1, 3, 8, 8}};

TEST(Infer, FillsInDefaults) {
  Attributes attributes;
  const TensorType* inputs[] = {&image_type};
  ASSERT_TRUE(infer(*find_operator("LeakyRelu"), inputs, attributes, 1));
  EXPECT_EQ(attributes.real("alpha"), 0.01);
}

TEST(Infer, CountsInputsAndOutputs) {
  EXPECT_EQ(refusal("Relu", {}), "LG2004: Relu needs its input 'X'");
  EXPECT_EQ(refusal("Relu", {image_type, image_type}), "LG2004: Relu has at most 1 inputs, not 2");
  EXPECT_EQ(refusal("Relu", {image_type}, {}, 2), "LG2004: Relu has at most 1 outputs, not 2");
  EXPECT_EQ(refusal("Sum", {}), "LG2004: Sum needs its input 'data'");
  EXPECT_EQ(refusal("Split", {image_type}, {{"axis", std::int64_t{2}}}, 0),
            "LG2004: Split needs its output 'outputs'");
}

TEST(Infer, RefusesARequiredInputThatIsLeftOut) {
  Attributes attributes;
  const TensorType* inputs[] = {nullptr, &image_type};
  const auto types = infer(*find_operator("Add"), inputs, attributes, 1);
  ASSERT_FALSE(types);
  EXPECT_EQ(types.error().what, "Add needs its input 'A'");
}

TEST(Infer, RefusesAttributesItDoesNotKnowOrOfTheWrongKind) {
  EXPECT_EQ(refusal("Relu", {image_type}, {{"alpha", 0.5}}),
            "LG2002: Relu has no attribute 'alpha'");
  EXPECT_EQ(refusal("LeakyRelu", {image_type}, {{"alpha", std::int64_t{1}}}),
            "LG2004: LeakyRelu: attribute 'alpha' must be float, not int");
  EXPECT_EQ(refusal("Concat", {image_type}), "LG2004: Concat needs its attribute 'axis'");
}

TEST(Infer, PutsTheOperatorsNameInFront) {
  EXPECT_EQ(refusal("Sqrt", {{DataType::Int32, {2}}}),
            "LG2003: Sqrt: input 0 is int32[2]; its element type must be floating-point");
}

TEST(Infer, RefusesAbsurdResults) {
  const Integers large{1 << 20, 1 << 20, 1 << 20, 1 << 20};
  EXPECT_THAT(refusal("ConstantOfShape", {}, {{"shape", large}}), HasSubstr("LG1003"));
  EXPECT_THAT(refusal("ConstantOfShape", {}, {{"shape", Integers{-1}}}), HasSubstr("LG1003"));
  EXPECT_THAT(refusal("ConstantOfShape", {}, {{"shape", Integers{std::int64_t{1} << 40, 0}}}),
              HasSubstr("LG1003"));
}

TEST(Program, NamesPlaceholdersAfterOperands) {
  Attributes attributes{{"axis", std::int64_t{1}}};
  const TensorType* inputs[] = {&image_type, &image_type};
  const auto types = infer(*find_operator("Concat"), inputs, attributes, 1);
  ASSERT_TRUE(types);
  const auto program = program_of(*find_operator("Concat"), inputs, attributes, *types);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->inputs[0].name, "inputs_0");
  EXPECT_EQ(program->inputs[1].name, "inputs_1");
  EXPECT_THAT(program->outputs, ElementsAre("concat_result"));
}

TEST(Attributes, AreTextForPeople) {
  EXPECT_EQ(to_string(AttributeValue(std::int64_t{3})), "3");
  EXPECT_EQ(to_string(AttributeValue(1.0)), "1.0");
  EXPECT_EQ(to_string(AttributeValue(std::string("same"))), "\"same\"");
  EXPECT_EQ(to_string(AttributeValue(Integers{1, 2})), "[1, 2]");
  EXPECT_EQ(to_string(AttributeValue(std::vector<double>{0.5, 2})), "[0.5, 2.0]");
  EXPECT_EQ(to_string(AttributeValue(f32({2}, {1, 2.5}))), "tensor(float32[2]: 1, 2.5)");
  EXPECT_EQ(to_string(AttributeValue(counting({20}))),
            "tensor(float32[20]: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ...)");
}

TEST(Attributes, AreEqualByContent) {
  const Attributes a{{"value", f32({1}, {2})}, {"axis", std::int64_t{1}}};
  const Attributes same{{"axis", std::int64_t{1}}, {"value", f32({1}, {2})}};
  EXPECT_TRUE(a == same);
  EXPECT_FALSE(a == (Attributes{{"value", f32({1}, {3})}, {"axis", std::int64_t{1}}}));
  EXPECT_FALSE(a == (Attributes{{"value", f32({1}, {2})}}));
  EXPECT_FALSE((Attributes{{"axis", std::int64_t{1}}}) == (Attributes{{"axis", 1.0}}));
}

TEST(Broadcast, FollowsNumpy) {
  EXPECT_EQ(broadcast({2, 1, 4}, {3, 1}), (Shape{2, 3, 4}));
  EXPECT_EQ(broadcast({}, {5}), (Shape{5}));
  EXPECT_EQ(broadcast({0}, {1}), (Shape{0}));
  EXPECT_FALSE(broadcast({2}, {3}));
  EXPECT_FALSE(broadcast({0}, {3}));
}

TEST(Axes, CountFromTheEndAndAreDistinct) {
  EXPECT_EQ(normalise_axis(-1, 3), 2);
  EXPECT_FALSE(normalise_axis(3, 3));
  EXPECT_FALSE(normalise_axis(0, 0));
  EXPECT_EQ(normalise_axes({-1, 0}, 3), (Integers{0, 2}));
  EXPECT_FALSE(normalise_axes({1, -2}, 3));
}

std::string regrouped_text(const Shape& to, const Shape& from) {
  Indices i;
  for (std::size_t d = 0; d < to.size(); ++d) i.push_back(expr::variable("i" + std::to_string(d)));
  std::string text;
  for (const Expr& index : regrouped(i, to, from))
    text += (text.empty() ? "" : ", ") + to_string(index);
  return text;
}

// A dimension that stays keeps its index, whatever happens beside it.
TEST(Regrouped, DividesOnlyWhereItMust) {
  EXPECT_EQ(regrouped_text({1, 128, 768}, {1, 128, 768}), "0, i1, i2");
  EXPECT_EQ(regrouped_text({128, 768}, {128, 12, 64}), "i0, i1 floordiv 64, i1 floormod 64");
  EXPECT_EQ(regrouped_text({128, 12, 64}, {128, 768}), "i0, i1 * 64 + i2");
  EXPECT_EQ(regrouped_text({6}, {2, 3}), "i0 floordiv 3, i0 floormod 3");
  EXPECT_EQ(regrouped_text({4, 6}, {8, 3}), "(i0 * 6 + i1) floordiv 3, (i0 * 6 + i1) floormod 3");
  EXPECT_EQ(regrouped_text({}, {1, 1}), "0, 0");
  EXPECT_EQ(regrouped_text({0}, {3, 0}), "0, 0");
}

}  // namespace
}  // namespace loopglass::ops
