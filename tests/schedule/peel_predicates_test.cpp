// Loops are cut where a condition begins or ceases to hold: what must and must not be in the text
// afterwards, and the same results.
#include "passes/loop/peel_predicates.h"

#include "core/loop/symbols.h"
#include "core/loop/text.h"
#include "tests/schedule/after_pass.h"
#include "tests/schedule/nests.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

// Beside the tiles at the edge, whose loops are cut for themselves.
TEST(PeelPredicates, CutsLoopsInsideOfWholeTilesToo) {
  const std::string text = after(passes::peel_predicates,
                                 R"(func inside(X: float32[7, 10] input, Y: float32[7, 10] output) {
  for f in 3 parallel {
    for y in 2 {
      for r in 4 unrolled {
        for x in 4 vectorized {
          if y * 4 + r < 7 and f * 4 + x < 10 {
            Y[y * 4 + r, f * 4 + x] = X[y * 4 + r, f * 4 + x]
          }
        }
      }
    }
  }
})");
  const auto whole = text.find("if f < 2 {"), edge = text.find("} else {");
  ASSERT_NE(whole, std::string::npos) << text;
  EXPECT_THAT(text.substr(whole, edge - whole), Not(HasSubstr("if y * 4"))) << text;
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

}  // namespace

}  // namespace loopglass::schedule
