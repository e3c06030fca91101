// Tiles that divide: operands by their iterations, sums over a multiple, borders filled before.
#include "core/loop/text.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view correlation = R"(
func f(X: float32[12] input, W: float32[5] input, Y: float32[8] output) {
  for i in 8 {
    for k in 5 {
      block Y(i0 = i, reduce r0 = k) by sum {
        init { Y[i0] = 0.0f }
        Y[i0] = Y[i0] + X[i0 + r0] * W[r0]
      }
    }
  }
})";

TEST(Reindex, ReadsByIterations) {
  const std::string text =
      loop::to_text(scheduled(parsed(correlation), "reindex(\"Y\", X, workspace)"));
  EXPECT_THAT(text, HasSubstr("alloc X_reindex: float32[8, 5] workspace"));
  EXPECT_THAT(text, HasSubstr("X_reindex[i0, i1] = X[i0 + i1]"));
  EXPECT_THAT(text, HasSubstr("Y[i0] = Y[i0] + X_reindex[i0, r0] * W[r0]"));
}

// A convolution's border with it.
TEST(Reindex, TakesTheGuardWithTheLoad) {
  std::string text(correlation);
  text.replace(text.find("X[i0 + r0] *"), 12,
               "select(i0 + r0 >= 2 and i0 + r0 < 10, X[i0 + r0 - 2], 0.0f) *");
  const loop::Func nest = parsed(text);
  const std::string script = "reindex(\"Y\", X, workspace)";
  EXPECT_THAT(loop::to_text(scheduled(nest, script)),
              HasSubstr("X_reindex[i0, i1] = select(i0 + i1 >= 2 and i0 + i1 < 10, X[i0 + i1 - 2], "
                        "0.0f)"));
  runtime::ThreadPool pool(1);
  expect_compiled_right(nest, pool, script);
}

TEST(Reindex, SaysWhatCannotBe) {
  const loop::Func nest = parsed(correlation);
  // Conditions may speak of symbols.
  EXPECT_TRUE(replay(parsed("func f[n](B: float32[5] input, Y: float32[5] output) {\n"
                            "  for i in 5 {\n    block Y(i0 = i) {\n"
                            "      Y[i0] = select(i0 < n, B[i0], 1.0f)\n    }\n  }\n}"),
                     *parse_script("reindex(\"Y\", B, workspace)")));
  EXPECT_THAT(refusal(nest, "reindex(\"Y\", Y, workspace)"), HasSubstr("does not read 'Y'"));
  EXPECT_THAT(refusal(nest, "reindex(\"Y\", X, somewhere)"), HasSubstr("there is no scope"));
  std::string outside(correlation);
  outside.replace(outside.find("X[i0 + r0]"), 10, "X[i0 * 2 - r0 + 2]");
  EXPECT_THAT(refusal(parsed(outside), "reindex(\"Y\", X, workspace)"),
              HasSubstr("is not sure to be an element of 'X' in every iteration"));
  std::string two(correlation);
  two.replace(two.find("* W[r0]"), 7, "* X[r0]");
  EXPECT_THAT(refusal(parsed(two), "reindex(\"Y\", X, workspace)"),
              HasSubstr("reads 'X' at more than one place"));
}

TEST(PadEinsum, LengthensWhatIsSummedOverToo) {
  const loop::Func nest = matrix_product(10, 6, 5);
  const std::string script = "pad_einsum(\"C\", [8, 1, 4])";
  const std::string text = loop::to_text(scheduled(nest, script));
  EXPECT_THAT(text, HasSubstr("alloc C_workspace: float32[16, 6] workspace"));
  EXPECT_THAT(text, HasSubstr("alloc A_reindex: float32[16, 8] workspace"));
  EXPECT_THAT(text, HasSubstr("alloc B_reindex: float32[8, 6] workspace"));
  EXPECT_THAT(text, HasSubstr("for k in 8 {"));
  EXPECT_THAT(text, HasSubstr("C_workspace[i0, i1] + A_reindex[i0, r0] * B_reindex[r0, i1]"));
  runtime::ThreadPool pool(2);
  expect_compiled_right(nest, pool, script);
}

// What it is for.
TEST(PadEinsum, MakesTilesForAnIntrinsic) {
  const loop::Func nest = matrix_product(13, 9, 21);
  runtime::ThreadPool pool(1);
  const std::string script = "pad_einsum(\"C\", [8, 8, 8])\n" + product_loops +
                             "io, ii = split(i, [-1, 8])\njo, ji = split(j, [-1, 8])\n"
                             "ko, ki = split(k, [-1, 8])\nreorder([io, jo, ko, ii, ji, ki])\n"
                             "decompose_reduction(C, ko)\ntensorize(ii, matmul_8x8x8)";
  EXPECT_THAT(loop::to_text(*lowered(nest, script)), HasSubstr("@intrinsic"));
  expect_compiled_right(nest, pool, script);
}

TEST(PadEinsum, LeavesWhatDividesAlone) {
  EXPECT_EQ(loop::to_text(scheduled(matrix_product(8, 16, 4), "pad_einsum(\"C\", [8, 8, 4])")),
            loop::to_text(matrix_product(8, 16, 4)));
}

TEST(PadEinsum, AddsNothingThatMightNotBeZero) {
  std::string text(correlation);
  text.replace(text.find("* W[r0]"), 7, "* W[0]");
  EXPECT_THAT(refusal(parsed(text), "pad_einsum(\"Y\", [1, 4])"),
              HasSubstr("a factor of X[i0 + r0] * W[0] does not move with 'r0'"));
  EXPECT_THAT(refusal(parsed(text), "pad_einsum(\"Y\", [4])"),
              HasSubstr("has 2 axes, and there are 1 multiples"));
  std::string started(correlation);
  started.replace(started.find("0.0f }"), 6, "1.0f }");
  EXPECT_THAT(refusal(parsed(started), "pad_einsum(\"Y\", [1, 4])"),
              HasSubstr("is no sum that starts from zero"));
  std::string sum(correlation);
  sum.replace(sum.find("* W[r0]"), 7, "+ W[r0]");
  EXPECT_THAT(refusal(parsed(sum), "pad_einsum(\"Y\", [1, 4])"), HasSubstr("is no product"));
  EXPECT_THAT(refusal(two_elementwise({6}), "pad_einsum(\"Y\", [4])"),
              HasSubstr("is no sum with a single store"));
}

constexpr std::string_view border = R"(
func f(X: float32[6, 4] input, Z: float32[8, 4] output) {
  alloc P: float32[8, 4] workspace
  for a in 8 {
    for b in 4 {
      block P(i0 = a, i1 = b) { P[i0, i1] = select(i0 >= 1 and i0 < 7, X[i0 - 1, i1], 0.0f) }
    }
  }
  for c in 8 { for d in 4 { block Z(i0 = c, i1 = d) { Z[i0, i1] = P[i0, i1] * 2.0f } } }
})";

TEST(DecomposePadding, FillsThenCopiesWithoutConditions) {
  const std::string text =
      loop::to_text(scheduled(parsed(border), "P_fill = decompose_padding(\"P\", a)"));
  EXPECT_THAT(text, HasSubstr("for a_fill in 8 {"));
  EXPECT_THAT(text, HasSubstr("P[i0, i1] = 0.0f"));
  EXPECT_THAT(text, HasSubstr("for a in 6 {"));
  EXPECT_THAT(text, HasSubstr("block P(i0 = a + 1 in 8, i1 = b)"));
  EXPECT_THAT(text, Not(HasSubstr("select")));
  EXPECT_THAT(text, Not(HasSubstr("where")));
  runtime::ThreadPool pool(1);
  expect_compiled_right(parsed(border), pool, "decompose_padding(\"P\", a)");
}

// Row by row: the loop outside keeps its iterations, and with them its part of the condition.
TEST(DecomposePadding, KeepsWhatALoopOutsideDecides) {
  const std::string text = loop::to_text(scheduled(parsed(border), "decompose_padding(\"P\", b)"));
  EXPECT_THAT(text, HasSubstr("for a in 8 {"));
  EXPECT_THAT(text, HasSubstr("for b_fill in 4 {"));
  EXPECT_THAT(text, HasSubstr("where i0 >= 1 and i0 < 7"));
}

TEST(DecomposePadding, SaysWhatCannotBe) {
  EXPECT_THAT(refusal(parsed(border), "decompose_padding(\"Z\", c)"),
              HasSubstr("does not store select(inside, a value, a number)"));
  EXPECT_THAT(refusal(parsed(border), "decompose_padding(\"P\", c)"),
              HasSubstr("loop 'c' is not around block 'P'"));
  std::string all(border);
  all.replace(all.find("i0 < 7"), 6, "i0 < 1");
  EXPECT_THAT(refusal(parsed(all), "decompose_padding(\"P\", a)"), HasSubstr("it is all border"));
  EXPECT_THAT(refusal(parsed(border), "compute_at(\"P\", c)\ndecompose_padding(\"P\", c)"),
              HasSubstr("is used by others in that loop too"));
}

constexpr std::string_view bordered_sum = R"(
func f(X: float32[8] input, W: float32[3] constant finite, Y: float32[8] output) {
  alloc P: float32[10] workspace
  for a in 10 { block P(i0 = a) { P[i0] = select(i0 >= 1 and i0 < 9, X[i0 - 1], 0.0f) } }
  for i in 8 {
    for k in 3 {
      block Y(i0 = i, reduce r0 = k) by sum {
        init { Y[i0] = 0.0f }
        Y[i0] = Y[i0] + P[i0 + r0] * W[r0]
      }
    }
  }
})";
constexpr const char* summed_apart = "decompose_reduction(\"Y\", i)\n";

TEST(SkipPadding, PassesOverWhatIsMultipliedByZeros) {
  const std::string script = summed_apart + std::string("skip_padding(\"Y\", \"P\", k)");
  EXPECT_THAT(loop::to_text(scheduled(parsed(bordered_sum), script)),
              HasSubstr("where i0 + r0 >= 1 and i0 + r0 < 9"));
  runtime::ThreadPool pool(1);
  expect_compiled_right(parsed(bordered_sum), pool, script);
}

// Only that is asked which is decided before the loops inside.
TEST(SkipPadding, AsksNothingThatAnInnerLoopDecides) {
  loop::Func nest = convolution({1, 3, 5, 7, 4, 3, 1, 1});
  for (loop::Buffer& parameter : nest.parameters)
    parameter.finite = parameter.role == loop::Role::Constant;
  const std::string apart =
      "conv = block(\"conv\")\nn, oc, oh, ow, ic, kh, kw = "
      "loops(conv)\ndecompose_reduction(\"conv\", ic)\n";
  const std::string rows = apart + "skip_padding(\"conv\", \"conv_pad\", kh)";
  EXPECT_THAT(loop::to_text(scheduled(nest, rows)),
              HasSubstr("where i2 + r1 - 1 >= 0 and i2 + r1 - 1 < 5\n"));
  const std::string all = apart + "skip_padding(\"conv\", \"conv_pad\", kw)";
  EXPECT_THAT(loop::to_text(scheduled(nest, all)), HasSubstr("i3 + r2 - 1 < 7\n"));
  runtime::ThreadPool pool(1);
  for (const std::string& script : {rows, all}) expect_compiled_right(nest, pool, script);
}

TEST(SkipPadding, SaysWhatCannotBe) {
  const std::string call = "skip_padding(\"Y\", \"P\", k)";
  const auto refused = [&](std::string_view before, std::string_view after,
                           const std::string& script) {
    std::string changed(bordered_sum);
    if (!before.empty()) changed.replace(changed.find(before), before.size(), after);
    return refusal(parsed(changed), script);
  };
  EXPECT_THAT(refused("", "", call), HasSubstr("the first term of 'Y' sets its initial value"));
  EXPECT_THAT(refused(" finite", "", summed_apart + call),
              HasSubstr("'W' may hold an infinity, which times zero is no number"));
  EXPECT_THAT(refused("init { Y[i0] = 0.0f }", "init { Y[i0] = -0.0f }", summed_apart + call),
              HasSubstr("'Y' does not start at zero"));
  EXPECT_THAT(refused("0.0f) }", "1.0f) }", summed_apart + call), HasSubstr("is not of zeros"));
  EXPECT_THAT(refused("* W[r0]", "* W[r0] * W[r0]", summed_apart + call),
              HasSubstr("products of two factors"));
  EXPECT_THAT(refused("* W[r0]", "- W[r0]", summed_apart + call),
              HasSubstr("does not add a float32 term"));
  EXPECT_THAT(refused("", "", summed_apart + std::string("skip_padding(\"Y\", \"P\", i)")),
              HasSubstr("it is not known yet whether an iteration is in the border"));
  EXPECT_THAT(refused("", "", "skip_padding(\"Y\", \"Y\", k)"),
              HasSubstr("does not store select(inside, a value, a number)"));
}

}  // namespace

}  // namespace loopglass::schedule
