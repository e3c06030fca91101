// Initial values of sums, set by a block of their own.
#include "core/loop/lower.h"
#include "core/loop/text.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using te::Builder;
using ::testing::HasSubstr;
using Indices = Builder::Indices;

TEST(DecomposeReduction, SetsTheInitialValueBefore) {
  const loop::Func func = matrix_product(5, 6, 4);
  for (const std::string place : {"i", "j", "k"})
    scheduled(func, product_loops + "init = decompose_reduction(C, " + place + ")");
  scheduled(
      func,
      product_loops +
          "a, b = split(j, [-1, 4])\nreorder([i, a, k, b])\ninit = decompose_reduction(C, k)");
  scheduled(func, product_loops + "a, b = split(k, [-1, 3])\ninit = decompose_reduction(C, a)");
}

TEST(DecomposeReduction, StaysOutsideWhatIsSummed) {
  const loop::Func func = matrix_product(5, 6, 4);
  EXPECT_THAT(refusal(func, product_loops + "reorder([k, i, j])\ninit = decompose_reduction(C, j)"),
              HasSubstr("already summing over"));
  EXPECT_THAT(refusal(two_elementwise({4}),
                      "Y = block(\"Y\")\ni = loops(Y)\ninit = decompose_reduction(Y, i)"),
              HasSubstr("is not a reduction"));
}

// A sum that overlapping tiles repeat starts anew each time; one initial value for all would be
// wrong.
TEST(DecomposeReduction, RefusesOneInitialValueForRepeatedSums) {
  Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {10, 4}});
  const te::Tensor s =
      builder.reduce("S", {10}, {4}, te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
        return x({i[0], r[0]});
      });
  const te::Tensor y =
      builder.compute("Y", {8}, [&](const Indices& i) { return s(i) + s({i[0] + 2}); });
  const loop::Func func = loop::lower(std::move(builder).finish({y}), "overlapping");
  const std::string script =
      "S = block(\"S\")\nY = block(\"Y\")\ni = loops(Y)\na, r = compute_at(S, i)\n";
  scheduled(func, script + "init = decompose_reduction(S, a)");
  EXPECT_THAT(refusal(func, script + "init = decompose_reduction(S, i)"),
              HasSubstr("sums the same elements again"));
}

// What a sum begins with is of the operator that sums, not of those that are computed on the way.
TEST(DecomposeReduction, OperatorsInlinedIntoASumAreNotInItsInitialValue) {
  Builder builder;
  const te::Tensor x = builder.placeholder("X", TensorType{DataType::Float32, {4, 6}});
  builder.set_origin({{7}});
  const te::Tensor y = builder.compute("Y", x.shape, [&](const Indices& i) { return x(i) + x(i); });
  builder.set_origin({{9}});
  const te::Tensor s =
      builder.reduce("S", {4}, {6}, te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
        return y({i[0], r[0]});
      });
  const loop::Func func = loop::lower(std::move(builder).finish({s}), "rows");
  const std::string inlined = "compute_inline(\"Y\")\n";
  EXPECT_THAT(body_of(scheduled(func, inlined)), HasSubstr("init { S[i0] = 0.0f from 9 }"));
  const std::string parted = body_of(scheduled(
      func, inlined + "S = block(\"S\")\ni, k = loops(S)\nd = decompose_reduction(S, k)"));
  EXPECT_THAT(
      parted,
      HasSubstr("block S_init(i0 = i_1) from 9 {\n      writes S[i0]\n      S[i0] = 0.0f\n"));
  EXPECT_THAT(parted, HasSubstr("by sum from 7, 9 {"));
  // Nor in those of partial sums, and of what adds these up.
  const std::string partial = body_of(
      scheduled(func, inlined + "S = block(\"S\")\ni, k = loops(S)\na, b = split(k, [-1, 2])\n" +
                          "P = rfactor(S, b, 1)"));
  EXPECT_THAT(partial, HasSubstr("init { S_parts[i0, p0] = 0.0f from 9 }"));
  EXPECT_THAT(partial, HasSubstr("init { S[i0] = 0.0f from 9 }"));
}

// A loop of one iteration is in no index, and others may reach as far as it says.
TEST(DecomposeReduction, RefusesALoopThatDependsOnOneItLeavesOut) {
  const auto func = loop::parse(R"(func f(X: float32[5] input, Y: float32[5] output) {
  for a in 5 {
    for b in 1 {
      for c in b + 1 {
        block s(u = a, reduce r = 0 in 1, v = c in 1) by sum {
          init { Y[u + v] = 0.0f }
          Y[u + v] = Y[u + v] + X[u]
        }
      }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "decompose_reduction(\"s\", \"b\")"),
              HasSubstr("which the initial value has no loop for"));
}

TEST(DecomposeReduction, RefusesTermsThatReadWhatIsSet) {
  const auto func = loop::parse(R"(func f(X: float32[4, 3] input, Y: float32[4] output) {
  for i in 4 {
    for k in 3 {
      block Y(i0 = i, reduce r0 = k) by sum {
        init { Y[i0] = 0.0f }
        Y[i0] = Y[i0] + X[i0, r0] * Y[3 - i0]
      }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "decompose_reduction(\"Y\", \"i\")"),
              HasSubstr("beside the initial value"));
}

}  // namespace

}  // namespace loopglass::schedule
