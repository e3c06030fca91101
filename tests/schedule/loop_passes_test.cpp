// Each loop pass by itself: text in, what must and must not be in the text out, and the same
// results.
#include "core/loop/symbols.h"
#include "core/loop/text.h"
#include "passes/loop/compact_buffers.h"
#include "passes/loop/flatten_buffers.h"
#include "passes/loop/lower_blocks.h"
#include "passes/loop/make_init_explicit.h"
#include "passes/loop/peel_predicates.h"
#include "passes/loop/place_allocations.h"
#include "passes/loop/simplify_loops.h"
#include "passes/loop/trim_loops.h"
#include "passes/pipeline.h"
#include "tests/schedule/nests.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using LoopPass = Result<loop::Func> (*)(const loop::Func&, pass::Report&);

// The text after the pass, which must be valid and compute the same.
std::string after(LoopPass run, const std::string& text) {
  const auto func = loop::parse(text);
  if (!func) return "does not parse: " + to_string(func.error());
  pass::Report report;
  const auto result = run(*func, report);
  if (!result) return "refused: " + to_string(result.error());
  const auto valid = loop::verify(*result);
  EXPECT_TRUE(valid) << (valid ? "" : to_string(valid.error())) << "\n" << loop::to_text(*result);
  EXPECT_TRUE(same_results(*func, *result));
  return loop::to_text(*result);
}

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

TEST(PeelPredicates, CutsASerialLoopInTwo) {
  const std::string text =
      after(passes::peel_predicates, R"(func tail(X: float32[197] input, Y: float32[197] output) {
  for t in 13 {
    for x in 16 vectorized {
      if t * 16 + x < 197 {
        Y[t * 16 + x] = X[t * 16 + x]
      }
    }
  }
})");
  EXPECT_THAT(text, HasSubstr("for t in 12"));
  EXPECT_EQ(text.find("if"), text.rfind("if")) << text;  // one is left, in the tail
}

TEST(PeelPredicates, AsksOncePerTileWhereTheBoundaryRecurs) {
  const std::string text = after(passes::peel_predicates,
                                 R"(func tiles(X: float32[3, 20] input, Y: float32[3, 20] output) {
  for t in 6 parallel {
    for x in 16 vectorized {
      if t floormod 2 * 16 + x < 20 {
        Y[t floordiv 2, t floormod 2 * 16 + x] = X[t floordiv 2, t floormod 2 * 16 + x]
      }
    }
  }
})");
  EXPECT_THAT(text, HasSubstr("} else {"));
  EXPECT_THAT(text, HasSubstr("for t in 6 parallel"));
}

// Rows of ten in tiles of four: the third one of each row has two, and knows so.
TEST(PeelPredicates, TellsTheLastTileOfARowWhichItIs) {
  const std::string text = after(passes::peel_predicates,
                                 R"(func rows(X: float32[2, 10] input, Y: float32[2, 10] output) {
  for f in 6 parallel {
    for x in 4 vectorized {
      if f floormod 3 * 4 + x < 10 {
        Y[f floordiv 3, f floormod 3 * 4 + x] = X[f floordiv 3, f floormod 3 * 4 + x]
      }
    }
  }
})");
  EXPECT_THAT(text, HasSubstr("if f floormod 3 < 2 {"));
  EXPECT_THAT(text, HasSubstr("if x_1 + 8 < 10 {"));
}

// Rows and columns each have an edge, and a tile may be at both.
TEST(PeelPredicates, AsksForEachEdgeByItself) {
  const std::string text = after(passes::peel_predicates,
                                 R"(func image(X: float32[7, 10] input, Y: float32[7, 10] output) {
  for f in 6 parallel {
    for y in 4 unrolled {
      for x in 4 vectorized {
        if f floordiv 3 * 4 + y < 7 and f floormod 3 * 4 + x < 10 {
          Y[f floordiv 3 * 4 + y, f floormod 3 * 4 + x] = X[f floordiv 3 * 4 + y, f floormod 3 * 4 + x]
        }
      }
    }
  }
})");
  for (const char* part : {"if f floordiv 3 < 1 {", "if f floormod 3 < 2 {", " and "})
    EXPECT_THAT(text, HasSubstr(part));
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

TEST(PeelPredicates, TakesTheConditionsOfSelectsToo) {
  const std::string text =
      after(passes::peel_predicates, R"(func padded(X: float32[40] input, Y: float32[48] output) {
  for t in 3 {
    for x in 16 vectorized {
      Y[t * 16 + x] = select(t * 16 + x < 40, X[t * 16 + x], 0.0f)
    }
  }
})");
  EXPECT_THAT(text, HasSubstr("for t in 2"));
  EXPECT_EQ(text.find("select"), text.rfind("select")) << text;
}

// The tiles that are whole come first and ask nothing, whatever the symbol is;
// DefaultSchedulesAreRightForEveryExtent runs such.
TEST(PeelPredicates, CutsALoopOfSymbolicExtent) {
  const auto func = loop::parse(R"(func tail[n](X: float32[n] input, Y: float32[n] output) {
  for t in (n + 15) floordiv 16 {
    for x in 16 vectorized {
      if t * 16 + x < n { Y[t * 16 + x] = X[t * 16 + x] }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  pass::Report report;
  const auto result = passes::peel_predicates(*func, report);
  ASSERT_TRUE(result && loop::verify(*result));
  const std::string text = loop::to_text(*result);
  EXPECT_THAT(text, HasSubstr("for t in n floordiv 16 {"));
  EXPECT_THAT(text, HasSubstr("for t_1 in (n + 15) floordiv 16 - n floordiv 16 {"));
  EXPECT_EQ(text.find("if "), text.rfind("if ")) << text;
}

// Of every pair of bounds the whole tiles are those that all of them have; where they are too few
// for one, none is, and nothing is run twice.
TEST(PeelPredicates, OfSymbolsIsRightForEveryExtent) {
  const auto func = loop::parse(R"(func f[n, m](X: float32[n] input, Y: float32[n] output) {
  for i in n { Y[i] = 0.0f }
  for t in (n + 15) floordiv 16 {
    for x in 16 vectorized {
      if t * 16 + x < n and t * 16 + x + 5 < m { Y[t * 16 + x] = Y[t * 16 + x] + X[t * 16 + x] }
    }
  }
  for t_2 in 3 {
    for x_2 in 8 vectorized {
      if t_2 * 8 + x_2 < n { Y[t_2 * 8 + x_2] = Y[t_2 * 8 + x_2] * 3.0f }
    }
  }
})");
  ASSERT_TRUE(func) << to_string(func.error());
  pass::Report report;
  const auto result = passes::peel_predicates(*func, report);
  ASSERT_TRUE(result && loop::verify(*result));
  EXPECT_THAT(report.rewrites.size(), 2u);
  for (const std::int64_t n : {0, 1, 15, 16, 17, 24, 40, 100})
    for (const std::int64_t m : {0, 4, 21, 22, 48, 200}) {
      SCOPED_TRACE(fmt::format("n = {}, m = {}", n, m));
      const std::map<std::string, std::int64_t> symbols{{"n", n}, {"m", m}};
      const loop::Func before = loop::with_extents(*func, symbols),
                       after = loop::with_extents(*result, symbols);
      EXPECT_TRUE(same_results(before, after, 1)) << loop::to_text(after);
    }
}

// Of two tiles the first has the border before it, the second the one behind.
TEST(PeelPredicates, DoesNotAskForATileThatIsNeverWhole) {
  const std::string text =
      after(passes::peel_predicates, R"(func padded(X: float32[56] input, Y: float32[64] output) {
  for t in 2 parallel {
    for x in 32 vectorized {
      Y[t * 32 + x] = select(t * 32 + x >= 1 and t * 32 + x < 57, X[t * 32 + x - 1], 0.0f)
    }
  }
})");
  EXPECT_THAT(text, ::testing::Not(HasSubstr("else")));
  EXPECT_EQ(text.find("select"), text.rfind("select")) << text;
}

// Tensors laid end to end: a tile that lies in one of them asks nothing, whichever it is.
TEST(PeelPredicates, CutsOutEachOfSeveralTensors) {
  const auto selects_left = [](const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = text.find("select"); at != std::string::npos;
         at = text.find("select", at + 1))
      ++count;
    return count;
  };
  // Both seams lie within a tile; the general case, which chooses twice, is left for these.
  const std::string three = after(passes::peel_predicates, R"(
func concat(A: float32[5, 8] input, B: float32[6, 8] input, C: float32[13, 8] input, Y: float32[192] output) {
  for t in 3 parallel {
    for u in 4 {
      for x in 16 vectorized {
        Y[t * 64 + u * 16 + x] = select((t * 64 + u * 16 + x) floordiv 8 < 11, select((t * 64 + u * 16 + x) floordiv 8 < 5, A[(t * 64 + u * 16 + x) floordiv 8, x floormod 8], B[(t * 64 + u * 16 + x) floordiv 8 - 5, x floormod 8]), C[(t * 64 + u * 16 + x) floordiv 8 - 11, x floormod 8])
      }
    }
  }
})");
  EXPECT_EQ(selects_left(three), 3u) << three;
  EXPECT_THAT(three, HasSubstr(" = A["));
  EXPECT_THAT(three, HasSubstr(" = B["));
  EXPECT_THAT(three, HasSubstr(" = C["));
  // Of a serial loop the first part goes first, and what is behind the seam is behind it.
  const std::string serial = after(passes::peel_predicates, R"(
func concat(A: float32[40] input, B: float32[56] input, Y: float32[96] output) {
  for t in 6 {
    for x in 16 vectorized {
      Y[t * 16 + x] = select(t * 16 + x < 40, A[t * 16 + x], B[t * 16 + x - 40])
    }
  }
})");
  EXPECT_THAT(serial, HasSubstr("for t in 2"));
  EXPECT_EQ(selects_left(serial), 1u) << serial;
  EXPECT_THAT(serial, HasSubstr(" = B["));
}

// Choices in one another's arms are one case more each; such as have nothing to do with one another
// multiply, until there is no room for more code.
TEST(PeelPredicates, CutsOutAsManyTensorsAsThereIsRoomFor) {
  std::string parameters, chain = "X7[t * 32 + x - 224]", sum = "0.0f";
  for (int k = 6; k >= 0; --k) {
    const std::string own = fmt::format("X{}[t * 32 + x - {}]", k, 32 * k);
    chain = fmt::format("select(t * 32 + x < {}, {}, {})", 32 * (k + 1), own, chain);
    sum +=
        fmt::format(" + select(t * 32 + x < {}, Z[t * 32 + x], W[t * 32 + x])", 16 * (2 * k + 1));
  }
  for (int k = 0; k < 8; ++k) parameters += fmt::format("X{}: float32[32] input, ", k);
  const auto nest = [&](const std::string& value) {
    return fmt::format(
        "func f({}Z: float32[256] input, W: float32[256] input, Y: float32[256] output) {{\n"
        "  for t in 8 parallel {{ for x in 32 vectorized {{ Y[t * 32 + x] = {} }} }}\n}}",
        parameters, value);
  };
  const std::string each = after(passes::peel_predicates, nest(chain));
  for (int k = 0; k < 8; ++k) EXPECT_THAT(each, HasSubstr(fmt::format(" = X{}[", k)));
  const std::string all = after(passes::peel_predicates, nest(sum));
  std::size_t stores = 0;
  for (std::size_t at = all.find("Y["); at != std::string::npos; at = all.find("Y[", at + 1))
    ++stores;
  EXPECT_GT(stores, 3u);
  EXPECT_LE(stores, 48u);
}

TEST(PeelPredicates, AsksBeforeAHotLoopWhatIsTheSameForAllOfIt) {
  const std::string text = after(passes::peel_predicates,
                                 R"(func rows(X: float32[8, 16] input, Y: float32[10, 16] output) {
  for y in 10 parallel {
    for x in 16 vectorized {
      Y[y, x] = select(y >= 1 and y < 9, X[y - 1, x], 0.0f)
    }
  }
})");
  EXPECT_THAT(text, HasSubstr("} else {"));
  EXPECT_EQ(text.find("select"), text.rfind("select")) << text;
}

// Each of the eight knows where it is, and the first alone does not know whether there is an
// element.
TEST(PeelPredicates, LeavesARepeatAtTheEndToAskByItself) {
  const std::string text =
      after(passes::peel_predicates, R"(func left(X: float32[64] input, Y: float32[64] output) {
  for t in 8 parallel {
    for x in 8 unrolled {
      Y[t * 8 + x] = select(t * 8 + x >= 1, X[t * 8 + x - 1], 0.0f)
    }
  }
})");
  EXPECT_THAT(text, Not(HasSubstr("if")));
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
