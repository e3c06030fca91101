// What is counted of an innermost loop, and what is said of it: on the textbook's product, line by
// line.
#include "core/default_schedule/inner_loop.h"

#include "core/loop/lower.h"
#include "core/script/replayer.h"
#include "tests/schedule/nests.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const Machine sixteen_registers = machine_with_vectors("AVX2", 32, 16);

loop::Func product_scheduled(const std::string& script) {
  auto replayer = replayed(matrix_product(96, 96, 96), script, 1000);
  EXPECT_TRUE(replayer) << to_string(replayer.error());
  return replayer->func();
}

std::vector<LimitRemark> limits_after(const std::string& script) {
  return limits(product_scheduled(script), sixteen_registers);
}

// Rows and columns of vectors, as sums in registers.
std::string tiled(int rows, int columns, bool along_rows = false) {
  return "i_o, i_i = split(i, [-1, " + std::to_string(rows) + "])\n" + "j_o, j_i = split(j, [-1, " +
         std::to_string(columns) + "])\n" +
         (along_rows ? "reorder([j_o, i_o, k, j_i, i_i])\nvectorize(i_i)\nunroll(j_i)\n"
                     : "reorder([j_o, i_o, k, i_i, j_i])\nvectorize(j_i)\nunroll(i_i)\n");
}

TEST(InnerLoop, OfATileIsCounted) {
  const auto inner = inner_loop(product_scheduled(tiled(6, 16)), sixteen_registers);
  ASSERT_TRUE(inner);
  EXPECT_EQ(inner->block, "C");
  EXPECT_EQ(inner->turning, "k");
  EXPECT_EQ(inner->vectorized, "j_i");
  EXPECT_TRUE(inner->sums);
  EXPECT_EQ(inner->independent_sums, 12) << "six rows of two vectors";
  EXPECT_EQ(inner->multiply_adds, 12);
  EXPECT_EQ(inner->chain, 1);
  EXPECT_EQ(inner->loaded(), 8) << "a value for each row, two vectors";
  EXPECT_EQ(inner->registers, 15) << "twelve sums, two vectors, a value";
  EXPECT_THAT(limits(*inner, sixteen_registers), IsEmpty());
}

// A word of weights is loaded once, whatever is made of it.
TEST(InnerLoop, OfATermOfSeveralProductsIsCounted) {
  te::Builder builder;
  const te::Tensor a = builder.placeholder("A", {DataType::Int32, {64, 2}}),
                   b = builder.placeholder("B", {DataType::Int32, {64, 96}});
  const te::Tensor c =
      builder.reduce("C", {96}, {64}, te::Reducer::Sum, [&](const auto& i, const auto& r) {
        const expr::Expr word = b({r[0], i[0]}), four = expr::integer(DataType::Int32, 4);
        return expr::dot_pairs(a({r[0], 0}), word) +
               expr::dot_pairs(a({r[0], 1}),
                               expr::binary(expr::BinaryOperator::ShiftRight, word, four));
      });
  auto replayer = replayed(loop::lower(std::move(builder).finish({c}), "product", {"B"}),
                           "C = block(\"C\")\ni, r = loops(C)\ni_o, i_i = split(i, [-1, 16])\n"
                           "reorder([i_o, r, i_i])\n"
                           "vectorize(i_i)\n",
                           1000);
  ASSERT_TRUE(replayer) << to_string(replayer.error());
  const auto inner = inner_loop(replayer->func(), sixteen_registers);
  ASSERT_TRUE(inner);
  EXPECT_EQ(inner->multiply_adds, 2) << "two vectors of sums";
  EXPECT_EQ(inner->of_a_term, 4) << "two pairs of products";
  EXPECT_EQ(inner->loaded(), 4) << "two vectors of words, two pairs for all lanes";
}

TEST(InnerLoop, ThatIsNotScheduledWaitsForItsOneSum) {
  const auto found = limits_after("");
  ASSERT_FALSE(found.empty());
  ASSERT_GE(found.size(), 2u);
  EXPECT_EQ(found[0].limit, Limit::Scalar);
  EXPECT_EQ(found[1].limit, Limit::Latency);
  EXPECT_EQ(found[1].text, "1 independent sum; 8 hide the latency of a multiply-add");
}

TEST(InnerLoop, WithTooFewSumsSaysHowManyHideTheLatency) {
  const auto found = limits_after(tiled(2, 16));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].text, "4 independent sums; 8 hide the latency of a multiply-add");
}

TEST(InnerLoop, WithTooManySumsSaysWhatRegistersThereAre) {
  EXPECT_THAT(limits_after(tiled(8, 16)),
              Contains(Field(&LimitRemark::text, HasSubstr("19 of 16 vector registers"))));
  EXPECT_THAT(limits(product_scheduled(tiled(8, 16)), machine_with_vectors("AVX-512VL", 32, 32)),
              Not(Contains(Field(&LimitRemark::limit, Limit::Registers))));
}

TEST(InnerLoop, WithNarrowTilesSaysWhatIsLoaded) {
  EXPECT_THAT(limits_after(tiled(12, 8)),
              Contains(Field(&LimitRemark::text, "13 loads for 12 multiply-adds")));
}

// Every vector of the input is used once: a multiply-add reads it itself.
TEST(InnerLoop, WhatIsUsedOnceTakesNoRegister) {
  auto replayer = replayed(depthwise_convolution({1, 16, 20, 20, 16, 3, 1, 1}),
                           "C = block(\"conv\")\nn, y, x, c, r, s = loops(C)\n"
                           "x_o, x_i = split(x, [-1, 10])\nreorder([x_o, r, s, x_i, c])\n"
                           "vectorize(c)\nunroll(x_i)",
                           1000);
  ASSERT_TRUE(replayer) << to_string(replayer.error());
  const auto inner = inner_loop(replayer->func(), sixteen_registers);
  ASSERT_TRUE(inner);
  EXPECT_EQ(inner->independent_sums, 20) << "ten columns of two vectors";
  EXPECT_EQ(inner->registers, 20 + 2) << "and the two vectors of weights, for all columns";
}

TEST(InnerLoop, AcrossTheRowsSaysTheStride) {
  const auto found = limits_after(tiled(8, 4, true));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].limit, Limit::Gathers);
  EXPECT_EQ(found[0].text, "A is not loaded as whole vectors: a stride of 384 bytes along i_i");
}

// A layout in blocks of 32, whose index says so by division and remainder.
TEST(InnerLoop, UnderstandsBlockedLayouts) {
  const auto found = inner_loop(
      product_scheduled("transform_layout(\"B\", \"k n -> n/32 k n%32\")\n" + tiled(6, 32)),
      sixteen_registers);
  ASSERT_TRUE(found);
  for (const TileOperand& operand : found->loads) EXPECT_EQ(operand.scalars, 0) << operand.buffer;
}

// Wherever the loop of the lanes stands, and whatever single iterations stand between.
TEST(InnerLoop, OfLanesFurtherOutIsTheSame) {
  const auto outside = limits_after("vectorize(j)");
  const auto inside = limits_after("reorder([k, j])\nvectorize(j)");
  ASSERT_FALSE(inside.empty());
  ASSERT_EQ(outside.size(), inside.size());
  for (std::size_t i = 0; i < inside.size(); ++i) EXPECT_EQ(outside[i].text, inside[i].text);
  EXPECT_THAT(limits_after(tiled(6, 16) + "add_unit_loop(C)"), IsEmpty());
}

TEST(InnerLoop, LoadsOnceWhatDoesNotTurn) {
  EXPECT_THAT(limits_after("reorder([k, j])"),
              Contains(Field(&LimitRemark::text, "2 loads for 1 multiply-add")));
}

TEST(InnerLoop, OfWhatHasNoSumIsNotSpokenOf) {
  EXPECT_FALSE(inner_loop(two_elementwise({6, 10}), sixteen_registers));
  EXPECT_THAT(limits(two_elementwise({6, 10}), sixteen_registers),
              ElementsAre(Field(&LimitRemark::limit, Limit::Scalar)));
}

TEST(InnerLoop, EveryLimitHasAName) {
  for (const Limit limit : all_limits) EXPECT_FALSE(name(limit).empty());
}

}  // namespace

}  // namespace loopglass::schedule
