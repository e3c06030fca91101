// Hints change nothing that is computed, and ask for what a later iteration reads.
#include "core/loop/text.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Prefetch, AsksForTheRowsOfAProductOneByOne) {
  const loop::Func func = matrix_product(16, 16, 16);
  // An iteration of i reads a row of A: 16 numbers, which are a line.
  EXPECT_THAT(body_of(scheduled(func, product_loops + "prefetch(A, i, 2)")),
              HasSubstr("for i in 16 {\n    prefetch A[i + 2, 0]\n    for j in 16 {"));
  // One of k a row of B, at another place in each.
  EXPECT_THAT(body_of(scheduled(func, product_loops + "reorder([i, k, j])\nprefetch(B, k, 4)")),
              HasSubstr("prefetch B[k + 4, 0]"));
}

// What takes more than a line along the last dimension, or more than a row, takes a loop.
TEST(Prefetch, WalksOverTheLinesOfATile) {
  const std::string tile =
      body_of(scheduled(matrix_product(16, 64, 64),
                        product_loops + "k_o, k_i = split(k, [-1, 4])\nreorder([i, k_o, k_i, j])\n"
                                        "prefetch(B, k_o, 1)"));
  EXPECT_THAT(tile, HasSubstr("for k_o_p in 4 {"));
  EXPECT_THAT(tile, HasSubstr("for k_o_p_1 in 4 {"));
  EXPECT_THAT(tile, HasSubstr("prefetch B[k_o * 4 + k_o_p + 4, k_o_p_1 * 16]"));
}

// The window of a convolution is one box, and so are places beside each other.
TEST(Prefetch, JoinsWhatLiesTogether) {
  const std::string rows = body_of(scheduled(rows_summed(32, 8),
                                             "S = block(\"S\")\ncompute_inline(\"Y\")\n"
                                             "i, r = loops(S)\nprefetch(X, i, 3)"));
  EXPECT_THAT(rows, HasSubstr("prefetch X[i_1 + 3, 0]"));
  EXPECT_EQ(rows.find("prefetch"), rows.rfind("prefetch"));
}

// One inside may reach as far as another does.
TEST(Prefetch, OfATriangleTakesTheBoxAroundIt) {
  const auto func = loop::parse(R"(func f(X: float32[8, 4] input, Y: float32[8] output) {
  for i in 8 {
    for j in 4 {
      for k in j + 1 {
        block b(u = i, v = j, w = k) {
          Y[u] = X[u, 3 - w]
        }
      }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(body_of(scheduled(*func, "prefetch(X, \"i\", 1)")),
              HasSubstr("for i in 8 {\n    prefetch X[i + 1, 0]"));
}

TEST(Prefetch, SaysWhatIsNotWorthAHint) {
  const loop::Func func = matrix_product(16, 16, 2048);
  EXPECT_THAT(refusal(func, product_loops + "prefetch(A, j, 1)"),
              HasSubstr("every iteration of 'j' reads the same of 'A'"));
  EXPECT_THAT(refusal(func, product_loops + "prefetch(C, i, 1)"),
              HasSubstr("'C' is not read in the loop"));
  EXPECT_THAT(refusal(func, product_loops + "prefetch(A, i, 1)"),
              HasSubstr("reads 128 cache lines of 'A'; at most 64"));
  EXPECT_THAT(refusal(func, product_loops + "prefetch(A, k, 0)"), HasSubstr("the distance is 0"));
  EXPECT_THAT(
      refusal(func, product_loops + "vectorize(j)\nprefetch(B, j, 1)", Code::ScheduleIllegal),
      HasSubstr("is vectorized"));
  EXPECT_THAT(
      refusal(two_elementwise({64}), "prefetch(Y, nowhere, 1)", Code::ScheduleHandleUnknown),
      Not(HasSubstr("prefetched")));
}

TEST(Prefetch, OfPlacesThatAreReadThemselvesIsRefused) {
  const auto gather = loop::parse(
      "func f(X: float32[64] input, I: int64[8] input, Y: float32[8] output) {"
      "  for i in 8 { block b(u = i) { Y[u] = X[I[u]] } } }");
  ASSERT_TRUE(gather) << to_string(gather.error());
  EXPECT_THAT(refusal(*gather, "prefetch(X, \"i\", 1)"),
              HasSubstr("where 'X' is read has to be read before: I[i]"));
}

const std::string columns_of_tiles = product_loops +
                                     "j_o, j_i = split(j, [-1, 16])\n"
                                     "reorder([j_o, i, k, j_i])\n";

// A line for as many turns as come to it, in the order of memory; where rows lie apart, row by row.
TEST(Prefetch, AsksLittleByLittleAsALoopInsideTurns) {
  EXPECT_THAT(
      body_of(scheduled(matrix_product(4, 64, 32), columns_of_tiles + "prefetch(B, j_o, 1, k)")),
      HasSubstr("for k in 32 {\n        prefetch B[i * 8 + k floordiv 4, j_o * 16 + 16]"));
  EXPECT_THAT(body_of(scheduled(matrix_product(4, 64, 32),
                                columns_of_tiles + "transform_layout(B, \"a b -> b/16 a b%16\")\n"
                                                   "prefetch(B, j_o, 1, k)")),
              HasSubstr("prefetch B[j_o + 1, 0, i * 128 + k floordiv 4 * 16]"));
  // Three lines in two turns are two in each, at most.
  EXPECT_THAT(
      body_of(scheduled(matrix_product(2, 96, 1), product_loops + "j_o, j_i = split(j, [-1, 48])\n"
                                                                  "reorder([j_o, i, k, j_i])\n"
                                                                  "prefetch(B, j_o, 1, i)")),
      HasSubstr("for j_o_p in 2 {\n        prefetch B[0, j_o * 48 + i * 32 + j_o_p * 16 + 48]"));
  EXPECT_THAT(refusal(matrix_product(4, 64, 32), columns_of_tiles + "prefetch(B, k, 1, i)"),
              HasSubstr("'i' is not inside 'k'"));
  EXPECT_THAT(
      refusal(matrix_product(4, 64, 32), columns_of_tiles + "unroll(k)\nprefetch(B, j_o, 1, k)"),
      HasSubstr("the loop 'k' is unrolled"));
}

// Tiles that go on from row to row read less than the rows that they touch.
TEST(Prefetch, OfRowsThatAreWalkedAsOneTakesWhatIsRead) {
  const loop::Func func =
      loop::parse(R"(func f(X: float32[4, 12, 20] input, Y: float32[12, 20] output) {
  for i in 12 {
    for j in 20 {
      for c in 4 {
        block b(u = i, v = j, reduce w = c) by sum {
          Y[u, v] = Y[u, v] + X[w, u, v]
        }
      }
    }
  }
})")
          .value();
  const std::string tiles = body_of(scheduled(func, R"(b = block("b")
i, j, c = loops(b)
p = fuse([i, j])
o, n = split(p, [-1, 16])
reorder([o, c, n])
prefetch(X, o, 1, c)
)"));
  EXPECT_THAT(tiles, HasSubstr("prefetch X[c, 0, i_j_o * 16 + 16]"));
}

// What comes after finds the hint where it was, with the loop's new variables.
TEST(Prefetch, FollowsItsLoop) {
  const std::string split = body_of(scheduled(
      matrix_product(16, 16, 16), product_loops + "prefetch(A, i, 2)\no, n = split(i, [-1, 4])"));
  EXPECT_THAT(split, HasSubstr("prefetch A[i_o * 4 + i_i + 2, 0]"));
  const std::string moved =
      body_of(scheduled(matrix_product(16, 16, 16),
                        product_loops + "prefetch(B, k, 2)\ntransform_layout(B, \"a b -> b a\")"));
  EXPECT_THAT(moved, HasSubstr("prefetch B[j, k + 2]"));
}

}  // namespace

}  // namespace loopglass::schedule
