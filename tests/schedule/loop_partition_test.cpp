// Loops cut into parts that run one after another.
#include "core/loop/text.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;

TEST(LoopPartition, CutsBordersOff) {
  const loop::Func func = matrix_product(10, 6, 5);
  const std::string rows =
      body_of(scheduled(func, product_loops + "a, b, c = loop_partition(i, [1, -1, 2])"));
  for (const char* loop : {"for i_0 in 1 {", "for i_1 in 7 {", "for i_2 in 2 {"})
    EXPECT_THAT(rows, HasSubstr(loop));
  scheduled(func, product_loops +
                      "reorder([k, i, j])\na, b = loop_partition(k, [2, -1])\n"
                      "unroll(i_1)\nvectorize(j_1)");
  scheduled(
      convolution({1, 3, 8, 7, 4, 3, 1, 1}),
      "P = block(\"conv_pad\")\nn, c, y, x = loops(P)\na, b, d = loop_partition(y, [1, -1, 1])\n"
      "P1 = block(\"conv_pad_1\")\nn1, c1, y1, x1 = loops(P1)\n"
      "e, f, g = loop_partition(x1, [1, -1, 1])");
  const auto refused = [&](const std::string& extents) {
    return refusal(func, product_loops + "loop_partition(i, " + extents + ")");
  };
  EXPECT_THAT(refused("[10]"), HasSubstr("takes 2 to 16 parts"));
  EXPECT_THAT(refused("[4, 4]"), HasSubstr("the parts are 8 iterations of 10"));
  EXPECT_THAT(refused("[8, 4]"), HasSubstr("more than the 10 iterations"));
  EXPECT_THAT(refused("[9223372036854775807, 4]"), HasSubstr("more than the 10 iterations"));
  EXPECT_THAT(refused("[4, 6, -1]"), HasSubstr("nothing is left for -1"));
  EXPECT_THAT(refused("[0, -1]"), HasSubstr("0 is no number of iterations"));
  EXPECT_THAT(refused("[-1, 2, -1]"), HasSubstr("at most one part may be -1"));
}

// A second initial value would lose the terms before it.
TEST(LoopPartition, StartsASumOnce) {
  const loop::Func func = matrix_product(4, 4, 6);
  const std::string parts =
      product_loops + "reorder([k, i, j])\na, b = loop_partition(k, [2, -1])\n";
  EXPECT_THAT(refusal(func, parts + "decompose_reduction(C_1, b)"),
              HasSubstr("is not a reduction with an initial value"));
  scheduled(func, parts + "decompose_reduction(C, a)");
  scheduled(func, product_loops +
                      "a, b = loop_partition(i, [1, -1])\n"
                      "decompose_reduction(C_1, k_1)");
}

// Each thread has T for itself, until two loops of threads use it.
TEST(LoopPartition, RefusesToMakePrivateBuffersCommon) {
  const auto func = loop::parse(R"(func f(X: float32[6] input, Y: float32[2, 3] output) {
  alloc T: float32[2] workspace
  for t in 2 {
    for i in 3 parallel {
      for a in 2 {
        block P(u = a, v = i) {
          T[u] = X[v + u]
        }
      }
      block Q(w = t, z = i) {
        Y[w, z] = T[0] + T[1]
      }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "loop_partition(\"t\", [1, -1])"), HasSubstr("T["));
  EXPECT_THAT(refusal(*func, "split(\"t\", [-1, 2], peel)\nloop_partition(\"t_i\", [1, -1])"),
              HasSubstr("T["));
}

}  // namespace

}  // namespace loopglass::schedule
