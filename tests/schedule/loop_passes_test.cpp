// Each loop pass by itself: text in, what must and must not be in the text out, and the same
// results.
#include "core/loop/symbols.h"
#include "core/loop/text.h"
#include "passes/loop/compact_buffers.h"
#include "passes/loop/flatten_buffers.h"
#include "passes/loop/lower_blocks.h"
#include "passes/loop/make_init_explicit.h"
#include "passes/loop/place_allocations.h"
#include "passes/loop/simplify_loops.h"
#include "passes/loop/trim_loops.h"
#include "passes/pipeline.h"
#include "tests/schedule/after_pass.h"
#include "tests/schedule/nests.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A producer and a consumer of one row at a time, its buffer allocated around everything.
constexpr const char* row_by_row = R"(func rows(X: float32[4, 8] input, Y: float32[4, 8] output) {
  alloc A: float32[4, 8] stack
  for y in 4 {
    for a in 8 {
      block A(i0 = y, i1 = a) {
        reads X[i0, i1]
        writes A[i0, i1]
        A[i0, i1] = X[i0, i1] * 2.0f
      }
    }
    for x in 8 {
      block Y(i0 = y, i1 = x) {
        reads A[i0, i1]
        writes Y[i0, i1]
        Y[i0, i1] = A[i0, i1] + 1.0f
      }
    }
  }
})";

TEST(PlaceAllocations, EntersALoopWhoseIterationsKeepTheirValues) {
  const std::string text = after(passes::place_allocations, row_by_row);
  EXPECT_LT(text.find("for y in 4"), text.find("alloc A")) << text;
}

// Row y of the sum is read in iteration y + 1: the buffer must outlive the iteration.
TEST(PlaceAllocations, StaysOutsideALoopThatCarriesValues) {
  const std::string text =
      after(passes::place_allocations, R"(func carried(X: float32[8] input, Y: float32[8] output) {
  alloc A: float32[9] stack
  for s in 1 {
    block A_first(i0 = s) {
      writes A[i0]
      A[i0] = 0.0f
    }
  }
  for y in 8 {
    block A(i0 = y) {
      reads A[i0], X[i0]
      writes A[i0 + 1]
      A[i0 + 1] = A[i0] + X[i0]
    }
    block Y(i0 = y) {
      reads A[i0]
      writes Y[i0]
      Y[i0] = A[i0]
    }
  }
})");
  EXPECT_LT(text.find("alloc A"), text.find("for y in 8")) << text;
}

TEST(MakeInitExplicit, AsksForTheFirstIterationOfTheReduction) {
  const std::string text =
      after(passes::make_init_explicit, loop::to_text(matrix_product(3, 4, 5)));
  EXPECT_THAT(text, HasSubstr("if r0 == 0"));
  EXPECT_THAT(text, Not(HasSubstr("init {")));
}

TEST(LowerBlocks, BindsIterationsAndTurnsPredicatesIntoConditions) {
  const std::string text =
      after(passes::lower_blocks, R"(func split(X: float32[10] input, Y: float32[10] output) {
  for o in 3 {
    for n in 4 {
      block Y(i0 = o * 4 + n in 10) from 7 {
        where o * 4 + n < 10
        reads X[i0]
        writes Y[i0]
        Y[i0] = X[i0]
      }
    }
  }
})");
  EXPECT_THAT(text, Not(HasSubstr("block")));
  EXPECT_THAT(text, HasSubstr("if o * 4 + n < 10"));
  EXPECT_THAT(text, HasSubstr("Y[o * 4 + n] = X[o * 4 + n]"));
}

TEST(LowerBlocks, LeavesTheOriginOnTheStores) {
  const auto func = loop::parse(R"(func copy(X: float32[4] input, Y: float32[4] output) {
  for o in 4 {
    block Y(i0 = o) from 7 {
      reads X[i0]
      writes Y[i0]
      Y[i0] = X[i0]
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  pass::Report report;
  const auto result = passes::lower_blocks(*func, report);
  ASSERT_TRUE(result);
  bool found = false;
  for (const loop::Line& line : loop::print(*result).lines) found |= line.origin.contains(7);
  EXPECT_TRUE(found);
}

constexpr const char* one_row_alive =
    R"(func rows(X: float32[4, 8] input, Y: float32[4, 8] output) {
  for y in 4 {
    alloc A: float32[4, 8] stack
    for a in 8 {
      A[y, a] = X[y, a] * 2.0f
    }
    for x in 8 {
      Y[y, x] = A[y, x] + 1.0f
    }
  }
})";

TEST(CompactBuffers, KeepsOnlyWhatIsTouchedAtATime) {
  const std::string text = after(passes::compact_buffers, one_row_alive);
  EXPECT_THAT(text, HasSubstr("alloc A: float32[1, 8] stack"));
  EXPECT_THAT(text, HasSubstr("A[0, x]"));
}

TEST(CompactBuffers, SendsWhatIsTooLargeForTheStackToTheWorkspace) {
  const std::string text = after(passes::compact_buffers, R"(func large(Y: float32[20000] output) {
  alloc A: float32[20000] register
  for a in 20000 {
    A[a] = 1.0f
  }
  for x in 20000 {
    Y[x] = A[x]
  }
})");
  EXPECT_THAT(text, HasSubstr("alloc A: float32[20000] workspace"));
}

TEST(FlattenBuffers, WalksAcrossRowsWithoutDividing) {
  const std::string text =
      after(passes::flatten_buffers, R"(func flat(X: float32[4, 8] input, Y: float32[4, 8] output) {
  for p in 32 {
    Y[p floordiv 8, p floormod 8] = X[p floordiv 8, p floormod 8]
  }
})");
  EXPECT_THAT(text, HasSubstr("Y[p] = X[p]"));
  EXPECT_THAT(text, HasSubstr("X: float32[32] input"));
}

TEST(FlattenBuffers, FlattensPackedConstantsAndScalars) {
  EXPECT_THAT(
      after(passes::flatten_buffers, R"(func scalar(X: float32[] input, Y: float32[] output) {
  Y[] = X[]
})"),
      HasSubstr("Y[0] = X[0]"));
}

TEST(SimplifyLoops, DropsLoopsOfOneAndOfNoIterations) {
  const std::string text =
      after(passes::simplify_loops, R"(func odd(X: float32[8] input, Y: float32[8] output) {
  for y in 1 {
    for x in 8 {
      if y * 8 + x < 8 {
        Y[(y * 8 + x) floormod 8] = X[x]
      }
      for z in 0 {
        Y[z] = 5.0f
      }
    }
  }
})");
  EXPECT_THAT(text, Not(HasSubstr("for y")));
  EXPECT_THAT(text, Not(HasSubstr("for z")));
  EXPECT_THAT(text, Not(HasSubstr("if")));
  EXPECT_THAT(text, HasSubstr("Y[x] = X[x]"));
}

TEST(TrimLoops, EndsALoopWhereTheConditionOnAllThatItDoesEnds) {
  const std::string text =
      after(passes::trim_loops, R"(func tile(X: float32[64] input, Y: float32[64] output) {
  for y in 6 unrolled {
    for x in 16 vectorized {
      if y < 4 {
        Y[y * 16 + x] = X[y * 16 + x]
      }
    }
  }
})");
  EXPECT_THAT(text, HasSubstr("for y in 4 unrolled"));
  EXPECT_THAT(text, Not(HasSubstr("if")));
}

// What else a loop does, or does where the condition does not hold, it does to its end.
TEST(TrimLoops, LeavesALoopThatDoesMore) {
  for (const char* rest :
       {"Y[x + 8] = 1.0f", "if x < 7 { Y[x + 8] = 1.0f } else { Y[x] = 2.0f }"}) {
    const std::string text = after(
        passes::trim_loops, fmt::format(R"(func more(X: float32[8] input, Y: float32[16] output) {{
  for x in 8 {{
    if x < 5 {{ Y[x] = X[x] }}
    {}
  }}
}})",
                                        rest));
    EXPECT_THAT(text, HasSubstr("for x in 8")) << text;
  }
}

// Of a condition that speaks of another loop, too, nobody knows how many values it leaves.
TEST(TrimLoops, LeavesALoopWhoseEndIsNotTheSameEachTime) {
  const std::string text =
      after(passes::trim_loops, R"(func triangle(X: float32[8, 8] input, Y: float32[8, 8] output) {
  for y in 8 {
    for x in 8 {
      if x < y { Y[y, x] = X[y, x] }
    }
  }
})");
  EXPECT_THAT(text, HasSubstr("for x in 8"));
}

TEST(LoopPasses, LeaveNoBlocksAndSayWhyTheyStandWhereTheyStand) {
  for (const pass::FuncPass& row : passes::loop_passes()) {
    EXPECT_FALSE(row.info.doc.empty()) << row.info.name;
    EXPECT_FALSE(row.info.reason.empty()) << row.info.name;
  }
  const auto table = passes::loop_passes();
  const auto history =
      pass::run(std::make_shared<const loop::Func>(convolution({1, 3, 6, 6, 4, 3, 1, 1})), table);
  ASSERT_TRUE(history) << to_string(history.error());
  EXPECT_THAT(loop::to_text(history->last()), Not(HasSubstr("block ")));
}

}  // namespace

}  // namespace loopglass::schedule
