// bind: loops as the axes of a GPU's launch. What becomes of them here is in
// settled_loops_test.cpp.
#include "core/loop/text.h"
#include "core/script/trace.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;

TEST(Bind, GivesLoopsToTheAxesOfALaunch) {
  const loop::Func func = matrix_product(8, 6, 4);
  const loop::Func bound = scheduled(func, product_loops +
                                               "bind(i, \"blockIdx.x\")\n"
                                               "bind(j, \"threadIdx.x\")");
  EXPECT_THAT(body_of(bound), HasSubstr("for i in 8 blockIdx.x {"));
  EXPECT_THAT(body_of(bound), HasSubstr("for j in 6 threadIdx.x {"));
  const auto again = loop::parse(loop::to_text(bound));
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(loop::to_text(*again), loop::to_text(bound));
  scheduled(func, product_loops +
                      "a, b = split(i, [-1, 2])\nbind(a, \"vthread\")\n"
                      "bind(b, \"vthread\")\nbind(j, \"threadIdx.y\")");
}

TEST(Bind, SaysWhatALaunchCannotBe) {
  const loop::Func func = matrix_product(8, 6, 4);
  EXPECT_THAT(refusal(func, product_loops + "bind(i, \"warp\")"),
              HasSubstr("a launch has no axis 'warp'"));
  EXPECT_THAT(refusal(func, product_loops + "bind(k, \"threadIdx.x\")"), HasSubstr("sums over"));
  EXPECT_THAT(refusal(func, product_loops + "bind(i, \"threadIdx.x\")\nbind(j, \"blockIdx.x\")"),
              HasSubstr("threads are of a block"));
  EXPECT_THAT(refusal(func, product_loops + "bind(j, \"blockIdx.x\")\nbind(i, \"threadIdx.x\")"),
              HasSubstr("threads are of a block"));
  EXPECT_THAT(refusal(func, product_loops + "bind(i, \"blockIdx.x\")\nbind(j, \"blockIdx.x\")"),
              HasSubstr("an axis is walked once"));
  EXPECT_THAT(refusal(func, product_loops + "parallel(i)\nbind(j, \"threadIdx.x\")"),
              HasSubstr("shared among threads"));
  EXPECT_THAT(refusal(func, product_loops + "bind(j, \"threadIdx.x\")\nparallel(i)"),
              HasSubstr("'j' inside it is threadIdx.x"));
  EXPECT_THAT(refusal(func, product_loops + "bind(j, \"threadIdx.x\")\nvectorize(i)"),
              HasSubstr("'j' inside it is threadIdx.x"));
  EXPECT_THAT(refusal(func, product_loops + "bind(i, \"blockIdx.x\")\nbind(j, \"threadIdx.x\")\n"
                                            "reorder([j, i])"),
              HasSubstr("blockIdx.x would run inside threadIdx.x"));
  EXPECT_THAT(refusal(func, product_loops + "bind(i, \"blockIdx.x\")\na, b = split(i, [-1, 2])"),
              HasSubstr("blockIdx.x already"));
  EXPECT_THAT(refusal(matrix_product(2000, 6, 2), product_loops + "bind(i, \"threadIdx.x\")"),
              HasSubstr("2000 iterations are more than 1024"));
}

// What the threads of a block share is copied by all of them: two nests of one extent.
TEST(Bind, WantsOneExtentOfAThreadAxisInANest) {
  const auto func = loop::parse(R"(func f(X: float32[4, 8] input, Y: float32[4, 8] output) {
  for y in 4 {
    alloc s: float32[8] shared
    for a in 8 {
      block copy(i0 = a, i1 = y in 4) {
        s[i0] = X[i1, i0]
      }
    }
    for x in 8 {
      block use(i0 = x, i1 = y in 4) {
        Y[i1, i0] = s[7 - i0] * 2.0f
      }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  const std::string launch = "bind(\"y\", \"blockIdx.x\")\nbind(\"a\", \"threadIdx.x\")\n";
  EXPECT_THAT(body_of(scheduled(*func, launch + "bind(\"x\", \"threadIdx.x\")")),
              HasSubstr("alloc s: float32[8] shared"));
  EXPECT_THAT(refusal(*func, launch + "x, z = split(\"x\", [4, 2])\nbind(x, \"threadIdx.x\")"),
              HasSubstr("'a' walks threadIdx.x with an extent of 8"));
}

}  // namespace

}  // namespace loopglass::schedule
