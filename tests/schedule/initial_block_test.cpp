// Sums whose initial value a block of its own sets, as where an axis that is summed over may have
// no element: kept in registers and begun in each tile like any other.
#include "core/default_schedule/default_schedule.h"
#include "core/loop/symbols.h"
#include "core/loop/text.h"
#include "core/machine/host.h"
#include "core/script/replayer.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {
namespace {

using ::testing::HasSubstr;

loop::Func parsed_nest(const std::string& text) {
  auto func = loop::parse(text);
  EXPECT_TRUE(func) << to_string(func.error());
  return *std::move(func);
}

// C[i, j] = sum over k of A[i, k] * B[k, j], of so many rows and terms.
loop::Func begun_product(const std::string& symbols, const std::string& rows,
                         const std::string& terms) {
  return parsed_nest("func product[" + symbols + "](A: float32[" + rows + ", " + terms +
                     "] input, B: float32[" + terms + ", 24] input, C: float32[" + rows +
                     ", 24] output) {\n"
                     "  for i in " +
                     rows +
                     " { for j in 24 { block C_init(i0 = i, i1 = j) {\n"
                     "    C[i0, i1] = 0.0f } } }\n"
                     "  for i_1 in " +
                     rows + " { for j_1 in 24 { for k in " + terms +
                     " {\n"
                     "    block C(i0 = i_1, i1 = j_1, reduce r0 = k) by sum {\n"
                     "      C[i0, i1] = C[i0, i1] + A[i0, r0] * B[r0, i1] } } } }\n"
                     "}");
}

// Without running it, which takes numbers for its symbols.
loop::Func replayed_nest(const loop::Func& nest, const std::string& script) {
  const auto steps = replay(nest, parse_script(script).value());
  EXPECT_TRUE(steps) << to_string(steps.error()) << script;
  return steps ? steps->back().func : nest;
}

const std::string sum_in_tiles =
    "C_copy = cache_write(C, register)\n"
    "i_o, i_i = split(i_1, [-1, 3])\nj_o, j_i = split(j_1, [-1, 16])\n"
    "reorder([j_o, i_o, k, i_i, j_i])\n";

void expect_same_for_extents(const loop::Func& nest, const loop::Func& changed) {
  for (const std::int64_t extent : {0, 1, 2, 3, 7, 20}) {
    std::map<std::string, std::int64_t> extents;
    for (const std::string& symbol : nest.symbols) extents[symbol] = extent;
    EXPECT_TRUE(
        same_results(loop::with_extents(nest, extents), loop::with_extents(changed, extents)))
        << extent << "\n"
        << loop::to_text(changed);
  }
}

TEST(InitialBlock, IsCachedWithItsSum) {
  const loop::Func nest = begun_product("n", "10", "n");
  expect_same_for_extents(nest, replayed_nest(nest, "cache_write(C, register)"));
}

TEST(InitialBlock, IsSetInTheTileOfItsSum) {
  for (const auto& nest :
       {begun_product("n", "10", "n"), begun_product("n", "n", "n"), begun_product("n", "n", "5")})
    expect_same_for_extents(nest,
                            replayed_nest(nest, sum_in_tiles + "compute_at(C_init, i_o)\n"
                                                               "reverse_compute_at(C_copy, i_o)"));
}

// Where an element would be set again between its terms, or only where it has some.
TEST(InitialBlock, IsNotSetBetweenTerms) {
  const loop::Func nest = begun_product("n", "10", "n");
  EXPECT_THAT(refusal(nest, sum_in_tiles + "compute_at(C_init, k)"),
              HasSubstr("which comes first would not stay as it is"));
  EXPECT_THAT(refusal(nest,
                      "k_o, k_i = split(k, [-1, 2])\nreorder([k_o, i_1, j_1])\n"
                      "compute_at(C_init, i_1)"),
              HasSubstr("which comes first would not stay as it is"));
  EXPECT_THAT(refusal(nest, "compute_at(C_init, i)"), HasSubstr("inside that loop already"));
}

// A part of what is set goes on from nothing, and has to be set all the same.
TEST(InitialBlock, SetsWhatHasNoSum) {
  const loop::Func nest = parsed_nest(R"(
func f(X: float32[4, 3] input, Y: float32[8] output) {
  for i in 8 {
    block Y_init(i0 = i) {
      Y[i0] = 1.0f
    }
  }
  for j in 4 {
    for k in 3 {
      block Y(i0 = j, reduce r0 = k) by sum {
        Y[i0] = Y[i0] + X[i0, r0]
      }
    }
  }
})");
  EXPECT_THAT(refusal(nest, "compute_at(Y_init, j)"), HasSubstr("need not set every element"));
  EXPECT_THAT(refusal(nest, "cache_write(Y, register)"), HasSubstr("need not be set before"));
}

// Who reads in between sees what is not there yet.
TEST(InitialBlock, IsNotCachedFromItsReaders) {
  const loop::Func nest = parsed_nest(R"(
func f(X: float32[4, 3] input, Y: float32[4] output, Z: float32[4] output) {
  for i in 4 {
    block Y_init(i0 = i) {
      Y[i0] = 1.0f
    }
  }
  for m in 4 {
    block Z(i0 = m) {
      Z[i0] = Y[i0]
    }
  }
  for j in 4 {
    for k in 3 {
      block Y(i0 = j, reduce r0 = k) by sum {
        Y[i0] = Y[i0] + X[i0, r0]
      }
    }
  }
})");
  EXPECT_THAT(refusal(nest, "cache_write(Y, register)"), HasSubstr("also read before 'Y' is done"));
  EXPECT_THAT(refusal(nest, "compute_at(Y_init, j)"),
              HasSubstr("which comes first would not stay as it is"));
}

loop::Func begun_row_sums(const std::string& value) {
  return parsed_nest(
      "func sums[n](X: float32[6, n] input, S: float32[6] output) {\n"
      "  for i in 6 { block S_init(i0 = i) { S[i0] = " +
      value +
      " } }\n"
      "  for j in 6 { for k in n {\n"
      "    block S(i0 = j, reduce r0 = k) by sum { S[i0] = S[i0] + X[i0, r0] } } }\n"
      "}");
}

// Partial sums that may have no term are set by a block of their own; their sum sets itself.
TEST(InitialBlock, BecomesThatOfTheSumOfPartialSums) {
  const std::string parts = "k_o, k_i = split(k, [-1, 4])\nrfactor(S, k_i, 1)";
  for (const char* value : {"0.0f", "2.0f"}) {
    const loop::Func nest = begun_row_sums(value), changed = replayed_nest(nest, parts);
    expect_same_for_extents(nest, changed);
    EXPECT_THAT(body_of(changed), HasSubstr("block S_parts_init("));
    EXPECT_THAT(body_of(changed), HasSubstr(std::string("init { S[i0] = ") + value));
  }
  EXPECT_THAT(refusal(begun_row_sums("X[i0, 0]"), parts), HasSubstr("and is no number"));
  EXPECT_THAT(refusal(begun_row_sums("0.0f"), "rfactor(S, k, 1)"),
              HasSubstr("the extent n is not constant"));
  EXPECT_THAT(refusal(begun_row_sums("0.0f"), "k_o, k_i = split(k, [-1, 4])\nrfactor(S, k_o, 1)"),
              HasSubstr("is not constant"));
}

TEST(InitialBlock, OfASymbolicSumIsScheduledAsAnyOther) {
  runtime::ThreadPool pool(2);
  const loop::Func rows = begun_row_sums("0.0f");
  const auto lanes = to_script(*default_schedule(rows, host_machine()));
  EXPECT_THAT(lanes, HasSubstr("rfactor(S"));
  expect_same_for_extents(rows, replayed_nest(rows, lanes));
  for (const std::int64_t extent : {200, 257})
    expect_compiled_right(loop::with_extents(rows, {{"n", extent}}), pool, lanes);
  for (const auto& nest : {begun_product("n", "100", "n"), begun_product("n", "n", "n")}) {
    const auto script = to_script(*default_schedule(nest, host_machine()));
    EXPECT_THAT(script, HasSubstr("cache_write(C, \"register\")"));
    EXPECT_THAT(script, HasSubstr("compute_at(C_init"));
    EXPECT_THAT(script, HasSubstr("vectorize"));
    expect_same_for_extents(nest, replayed_nest(nest, script));
    for (const std::int64_t extent : {1, 13, 40})
      expect_compiled_right(loop::with_extents(nest, {{"n", extent}}), pool, script);
  }
}

}  // namespace
}  // namespace loopglass::schedule
