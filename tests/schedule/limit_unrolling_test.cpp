// What becomes of unrolled loops whose copies would be more statements than one block should hold.
#include "passes/loop/limit_unrolling.h"

#include "core/loop/text.h"
#include "tests/schedule/nests.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Limited {
  std::string text;
  std::vector<pass::Remark> remarks;
};

// The same results, and not a second time something to do.
Limited limited(const std::string& text) {
  const auto func = loop::parse(text);
  if (!func) return {"does not parse: " + to_string(func.error()), {}};
  pass::Report report, again;
  const loop::Func result = passes::limit_unrolling(*func, report).value();
  EXPECT_TRUE(same_results(*func, result));
  EXPECT_EQ(passes::limit_unrolling(result, again)->body, result.body);
  EXPECT_THAT(again.remarks, IsEmpty());
  return {loop::to_text(result), report.remarks};
}

// The tile of a convolution: as many vectors as there are registers.
TEST(LimitUnrolling, LeavesTilesOfRegistersAlone) {
  const Limited tile = limited(
      R"(func tile(X: float32[28, 9] input, W: float32[9, 16] input, Y: float32[28, 16] output) {
  for y in 28 unrolled {
    for x in 16 vectorized {
      Y[y, x] = 0.0f
    }
  }
  for k in 9 {
    for y2 in 28 unrolled {
      for x2 in 16 vectorized {
        Y[y2, x2] = Y[y2, x2] + X[y2, k] * W[k, x2]
      }
    }
  }
})");
  EXPECT_THAT(tile.text, HasSubstr("for y2 in 28 unrolled"));
  EXPECT_THAT(tile.remarks, IsEmpty());
}

// Ten copies of a loop of twenty iterations with a condition each: LLVM unrolls that one as well.
constexpr const char* masked_rows =
    R"(func rows(X: float32[20] input, Y: float32[20, 10, 9] output) {
  for y in 10 unrolled {
    for x in 16 vectorized {
      for c in 20 {
        if x < 9 {
          Y[c, y, x] = X[c] + 1.0f
        }
      }
    }
  }
})";

TEST(LimitUnrolling, SaysWhichLoopStaysALoopAndByWhichNumbers) {
  const Limited rows = limited(masked_rows);
  EXPECT_THAT(rows.text, HasSubstr("for y in 10 {"));
  ASSERT_EQ(rows.remarks.size(), 1u);
  const pass::Remark& remark = rows.remarks.front();
  EXPECT_EQ(remark.kind, pass::RemarkKind::Missed);
  EXPECT_EQ(remark.code, "UNROLL_OVER_BUDGET");
  EXPECT_EQ(remark.entity, "y");
  EXPECT_THAT(remark.numbers, ElementsAre(std::pair<std::string, double>{"statements", 400},
                                          std::pair<std::string, double>{"budget", 128}));
  EXPECT_EQ(remark.text, "'y' stays a loop: unrolled it would be 400 statements, more than 128");
}

// A loop of many iterations is none that LLVM unrolls.
TEST(LimitUnrolling, LongLoopsInsideCountOnce) {
  std::string text = masked_rows;
  for (const char* short_extent : {"c in 20", "X: float32[20", "Y: float32[20"})
    text.replace(text.find(short_extent), std::string(short_extent).size(),
                 std::string(short_extent).replace(std::string(short_extent).size() - 2, 2, "500"));
  EXPECT_THAT(limited(text).text, HasSubstr("for y in 10 unrolled"));
}

TEST(LimitUnrolling, OfNestedLoopsTheInnerStayUnrolled) {
  const Limited nested = limited(R"(func nested(Y: float32[20, 30, 40] output) {
  for z in 20 unrolled {
    for y in 30 unrolled {
      for x in 40 unrolled {
        Y[z, y, x] = 1.0f
      }
    }
  }
})");
  EXPECT_THAT(nested.text, HasSubstr("for z in 20 {"));
  EXPECT_THAT(nested.text, HasSubstr("for y in 30 {"));
  EXPECT_THAT(nested.text, HasSubstr("for x in 40 unrolled {"));
  EXPECT_EQ(nested.remarks.size(), 2u);
}

// Vectors wider than the machine's are several.
TEST(LimitUnrolling, WideVectorsAreSeveralStatements) {
  const std::string wide = R"(func wide(Y: float32[28, 512] output) {
  for y in 28 unrolled {
    for x in 512 vectorized {
      Y[y, x] = 1.0f
    }
  }
})";
  EXPECT_THAT(limited(wide).text, Not(HasSubstr("unrolled")));
}

}  // namespace

}  // namespace loopglass::schedule
