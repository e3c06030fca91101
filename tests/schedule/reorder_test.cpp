// Loops that exchange places: where that changes no result, and why not where it would.
#include "core/loop/text.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;

TEST(Reorder, ExchangesLoopsEvenAroundASum) {
  const loop::Func func = matrix_product(5, 6, 4);
  scheduled(func, product_loops + "reorder([k, i, j])");
  scheduled(func, product_loops + "a, b = split(k, [-1, 3])\nreorder([b, j, a, i])");
}

TEST(Reorder, RefusesWhatIsNotOneChain) {
  const loop::Func func = two_elementwise({4, 4});
  EXPECT_THAT(
      refusal(
          func,
          "Y = block(\"Y\")\na, b = loops(Y)\nZ = block(\"Z\")\nc, d = loops(Z)\nreorder([a, c])"),
      HasSubstr("not nested in one another"));
  EXPECT_THAT(refusal(matrix_product(5, 6, 4), product_loops + "reorder([i, i])"),
              HasSubstr("named twice"));
  // The sum would be read before it is complete.
  EXPECT_THAT(
      refusal(matrix_product(5, 6, 4),
              product_loops +
                  "copy = cache_write(C, \"stack\")\nreverse_compute_at(copy, j)\nreorder([k, j])"),
      HasSubstr("something other than a loop"));
}

// Two iterations of i compute the same sum, each from its own start. With k outside, the second
// would go on from the first.
TEST(Reorder, RefusesToSumTheSameElementTwiceFromOneStart) {
  const auto func = loop::parse(R"(func repeated(X: float32[2, 4] input, Y: float32[2] output) {
  for i in 4 {
    for k in 4 {
      block sum(s = i floordiv 2 in 2, reduce r = k) by sum {
        reads X[s, r]
        writes Y[s]
        init { Y[s] = 0.0f }
        Y[s] = Y[s] + X[s, r]
      }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "reorder([\"k\", \"i\"])"), HasSubstr("sums the same elements again"));
}

// Each pair of i and j sums from its own start, and the last pair of an element counts.
TEST(Reorder, RefusesToExchangeWholeSumsOfOneElement) {
  const auto func = loop::parse(R"(func diagonals(X: float32[2, 3, 2] input, Y: float32[4] output) {
  for i in 2 {
    for j in 3 {
      for k in 2 {
        block sum(u = i, v = j, reduce r = k) by sum {
          init { Y[u + v] = 0.0f }
          Y[u + v] = Y[u + v] + X[u, v, r]
        }
      }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "reorder([\"j\", \"i\"])"), HasSubstr("would change places"));
}

// Iterations of i may run at once within one of o, and not of any.
TEST(Reorder, ALoopThatMovesOutwardsKeepsItsPromise) {
  const auto func = loop::parse(R"(func met(X: float32[4, 2] input, Y: float32[3] output) {
  for o in 2 {
    for i in 2 {
      block store(v = o, w = i) {
        Y[(v * 2 + w + 1) floormod 3] = X[v, w]
      }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  scheduled(*func, "reorder([\"i\", \"o\"])");
  for (const char* promise : {"parallel(\"i\")", "bind(\"i\", \"threadIdx.x\")"}) {
    scheduled(*func, promise);
    refusal(*func, std::string(promise) + "\nreorder([\"i\", \"o\"])");
  }
}

// The last write to an element wins, and it would be another one.
TEST(Reorder, RefusesToExchangeStoresToOneElement) {
  const auto func = loop::parse(R"(func skewed(X: float32[4, 4] input, Y: float32[8] output) {
  for i in 4 {
    for j in 4 {
      block skewed(i0 = i, i1 = j) {
        Y[i0 + i1] = X[i0, i1]
      }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(
      refusal(*func, "reorder([\"j\", \"i\"])"),
      HasSubstr("block 'skewed' stores Y[i + j], and perhaps the same element at an earlier "
                "'i' and a later 'j', which would change places"));
}

// Only a reducer says that terms may come in any order.
TEST(Reorder, RefusesToReorderAnUpdateThatNoReducerDeclares) {
  const std::string nest = R"(func f(X: float32[4, 4] input, Y: float32[4] output) {
  for i in 4 {
    for j in 4 {
      for k in 4 {
        block b(i0 = i, reduce j0 = j, reduce k0 = k) {
          Y[i0] = Y[i0] * 0.5f + X[j0, k0]
        }
      }
    }
  }
})";
  const auto func = loop::parse(nest);
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "reorder([\"k\", \"j\"])"),
              HasSubstr("an iteration may read elements of 'Y' that another iteration writes"));
  scheduled(*func, "reorder([\"j\", \"i\"])");
  std::string sum = nest;
  sum.replace(sum.find("k) {"), 4, "k) by sum {");
  sum.replace(sum.find(" * 0.5f"), 7, "");
  const auto declared = loop::parse(sum);
  ASSERT_TRUE(declared) << to_string(declared.error());
  scheduled(*declared, "reorder([\"k\", \"j\"])");
}

// A loop that chooses element and term at once: in another order an element may meet its second
// term first, and be set to the initial value after it.
TEST(Reorder, LeavesTheFirstTermsOfFusedSumsFirst) {
  for (const auto& [j, k] : {std::pair{2, 3}, {3, 5}, {5, 3}, {7, 9}}) {
    const loop::Func func = matrix_product(2, j, k);
    for (const std::string before : {"f = fuse([j, k])\n", "reorder([k, j])\nf = fuse([k, j])\n"})
      EXPECT_THAT(
          refusal(func, product_loops + before + "a, b = split(f, [-1, 4])\nreorder([b, a])"),
          AnyOf(HasSubstr("which would change places"), HasSubstr("sums the same elements again")));
  }
  const loop::Func func = matrix_product(3, 5, 7);
  scheduled(func, product_loops + "f = fuse([j, k])\nreorder([f, i])");
  scheduled(func, product_loops + "f = fuse([j, k])\na, b = split(f, [-1, 4])\nreorder([a, b, i])");
  scheduled(func, product_loops + "f = fuse([i, j])\na, b = split(k, [-1, 3])\nreorder([b, f, a])");
}

TEST(Reorder, RefusesARecurrence) {
  const auto func = loop::parse(R"(func skewed(Y: float32[8, 8] output) {
  for i in 7 {
    for j in 7 {
      block skewed(i0 = i, i1 = j) {
        reads Y[i0, i1 + 1]
        writes Y[i0 + 1, i1]
        Y[i0 + 1, i1] = Y[i0, i1 + 1] + 1.0f
      }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  EXPECT_THAT(refusal(*func, "reorder([\"j\", \"i\"])"),
              HasSubstr("that another iteration writes"));
}

}  // namespace

}  // namespace loopglass::schedule
