// Tensor expressions as text.
#include "core/te/parse.h"

#include <gmock/gmock.h>

namespace loopglass::te {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Program parsed(const std::string& text) {
  auto result = parse(text);
  EXPECT_TRUE(result) << to_string(result.error()) << "\n" << text;
  return result ? result->program : Program{};
}

std::string refusal(const std::string& text) {
  const auto result = parse(text);
  EXPECT_FALSE(result) << text;
  return result ? "" : to_string(result.error());
}

TEST(TensorExpressionText, TheShortFormSaysTheSameAsTheLongOne) {
  const std::string printed = to_string(parsed(R"(
symbols n
input A: float32[n, 512]
constant W: float32[512, 64]
product[i, j] = sum over k of A[i, k] * W[k, j]   // extents follow
C[i, j] = max(product[i, j], 0)
)"));
  EXPECT_EQ(printed, R"(symbols n
input A: float32[n, 512]
input W: float32[512, 64]
product: float32[n, 64]
  product[i, j] = sum over k < 512 of A[i, k] * W[k, j]
C: float32[n, 64]
  C[i, j] = max(product[i, j], 0.0f)
output C
)");
  EXPECT_EQ(to_string(parsed(printed)), printed);
}

TEST(TensorExpressionText, SaysWhatIsConstantAndWhatSymbolsUsuallyAre) {
  const auto result =
      parse("symbols n = 1000, m\ninput A: float32[n]\nconstant B: float32[m]\nC[i] = A[i] + B[0]");
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_THAT(result->constants, ElementsAre("B"));
  EXPECT_EQ(result->defaults, (std::map<std::string, std::int64_t>{{"n", 1000}}));
  EXPECT_THAT(result->program.outputs, ElementsAre("C"));
}

TEST(TensorExpressionText, WhatIsParsedPrintsWithAllItSays) {
  const std::string text =
      "symbols n = 1000\ninput A: float32[n]\nconstant B: float32[n]\nC: float32[n]\n"
      "  C[row] = A[row] + B[row]\noutput C\n";
  EXPECT_EQ(to_text(parse(text).value()), text);
}

TEST(TensorExpressionText, TheCaretStandsUnderWhatIsWrong) {
  EXPECT_THAT(refusal("input A: float32[4]\nC[i] = A[i] * A[ii]"), HasSubstr("column 17"));
  EXPECT_THAT(refusal("input A: float32[4]\nC[i] = A[i] * i"), HasSubstr("column 13"));
}

TEST(TensorExpressionText, WordsOfTheFormMayNameTensors) {
  const Program program = parsed("input input: float32[4]\nsum[i] = input[i] * 2\noutput sum");
  EXPECT_THAT(program.outputs, ElementsAre("sum"));
  EXPECT_EQ(program.stages[0].reducer, std::nullopt);
}

TEST(TensorExpressionText, ANumberTakesTheTypeOfWhatItIsCombinedWith) {
  const Program program =
      parsed("input X: float16[4]\ninput I: int8[4]\nY[i] = select(I[i] < 3, X[i] / 3, 0.5)");
  EXPECT_EQ(expr::to_string(program.stages[0].body), "select(I[i] < 3i8, X[i] / 3.0h, 0.5h)");
  EXPECT_THAT(refusal("input I: int8[4]\nY[i] = I[i] + 300"), HasSubstr("'+' of int8 and int64"));
  EXPECT_THAT(refusal("input I: uint8[4]\nY[i] = I[i] + -1"), HasSubstr("'+' of uint8 and int64"));
  EXPECT_THAT(refusal("input I: int32[4]\nY[i] = I[i] + 0.5"), HasSubstr("'+' of int32 and"));
}

// Not as it is folded: the text reads it.
TEST(TensorExpressionText, AnOutputIsWhatNoLineReads) {
  const Program program =
      parsed("input A: float32[4]\nT[i] = A[i]\nY[i < 4] = select(1 < 0, T[i], 5)");
  EXPECT_THAT(program.outputs, ElementsAre("Y"));
}

TEST(TensorExpressionText, ALongSumIsRefusedBeforeItIsTooDeep) {
  std::string text = "input A: float32[4]\nC[i] = A[i]";
  for (int k = 0; k < 100'000; ++k) text += " + A[i]";
  EXPECT_THAT(refusal(text), HasSubstr("more than 10000 operators"));
}

TEST(TensorExpressionText, ARefusalHasAPlaceAndACaret) {
  EXPECT_THAT(refusal("input A: float32[4]\nC[i] = A[i, i]"),
              HasSubstr("2 indices into 'A', which has rank 1"));
  EXPECT_THAT(refusal("input A: float32[4]\nC[i] = B[i]"), HasSubstr("there is no buffer 'B'"));
  EXPECT_THAT(refusal("input A: float32[4]\nC[i] = A[j]"), HasSubstr("'j' is no axis"));
  for (const char* body : {"A[0] + sum over k of A[k]", "(max over k of A[k]) + 1"})
    EXPECT_THAT(refusal("input A: float32[4]\nC[i < 2] = " + std::string(body)),
                HasSubstr("is the whole right side"));
  EXPECT_THAT(refusal("input A: float32[4]\nC[i] = A[i] + 0.5f0  // no sum over it"),
              ::testing::Not(HasSubstr("is the whole right side")));
  EXPECT_THAT(refusal("input A: float32[4]\nC[i, i] = A[i]"), HasSubstr("already names an axis"));
  EXPECT_THAT(refusal("input A: float32[4]\nC[i, j] = A[i]"), HasSubstr("how far 'j' goes"));
  EXPECT_THAT(refusal("input A: float32[m]"), HasSubstr("there is no symbol 'm'"));
  EXPECT_THAT(refusal("input A: float32[-4]"), HasSubstr("an extent of -4"));
  EXPECT_THAT(refusal("input A: float32[4]\ninput A: float32[4]"),
              HasSubstr("already names a tensor"));
  EXPECT_THAT(refusal("input A: float32[4]\nC: int32[4]\nC[i] = A[i]"), HasSubstr("its body"));
  EXPECT_THAT(refusal("input A: float32[4]\nC: float32[5]\nC[i < 4] = A[i]"),
              HasSubstr("the tensor's extent is 5"));
  EXPECT_THAT(refusal("input A: bool[4]\nC[] = sum over i of A[i]"), HasSubstr("'sum' over bool"));
  EXPECT_THAT(refusal("input A: float32[4]\nC[i] = A[i]\ninput B: float32[4]"),
              HasSubstr("inputs stand before"));
  EXPECT_THAT(refusal("symbols A = 4\ninput A: float32[4]"), HasSubstr("already names a symbol"));
  EXPECT_THAT(refusal("input A: float32[4]\nC[in] = A[in]"), HasSubstr("cannot name an axis"));
  EXPECT_THAT(refusal(""), HasSubstr("expected a tensor to compute"));
}

}  // namespace

}  // namespace loopglass::te
