// Products, a softmax of their rows and the products behind it, in bands of rows: chosen where what
// they hand on is far more than the second cache holds, and what is computed stays the same.
#include "core/default_schedule/row_chain.h"

#include "core/default_schedule/default_schedule.h"
#include "core/loop/text.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/every_step.h"
#include "tests/schedule/machines.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What the scores of all rows take is five times what its second cache holds.
Machine with_small_cache(Machine machine, const AttentionShape& shape) {
  machine.l2.bytes = element_count(shape.images) * shape.rows * shape.columns *
                     static_cast<std::int64_t>(sizeof(float)) / 5;
  return machine;
}

int bands_joined(const std::string& script) {
  int count = 0;
  for (std::size_t at = script.find("compute_with("); at != std::string::npos;
       at = script.find("compute_with(", at + 1))
    ++count;
  return count;
}

TEST(RowChain, NestsOfAttentionBecomeOneOverBands) {
  const std::string script = default_script(attention({{8}, 1024, 1024, 40}), avx512);
  EXPECT_EQ(bands_joined(script), 2) << script;
  EXPECT_THAT(default_script(attention({{8}, 128, 128, 40}), avx512),
              Not(HasSubstr("compute_with(")))
      << "all of it stays near";
}

// Tiles at the end of a band would ask for each row.
TEST(RowChain, BandsHaveWholeTiles) {
  for (const std::int64_t rows : {577, 1024, 1500}) {
    const std::string script = default_script(attention({{12}, rows, rows, 64}), avx512);
    ASSERT_EQ(bands_joined(script), 2) << script;
    const auto number_behind = [&](std::string_view words) {
      const std::size_t at = script.find(words);
      EXPECT_NE(at, std::string::npos) << words << "\n" << script;
      return std::stoll(script.substr(at + words.size()));
    };
    EXPECT_EQ(number_behind("i_o, i_i = split(i, [-1, ") %
                  number_behind("i_i_o, i_i_i = split(i_i, [-1, "),
              0)
        << script;
  }
}

// Weights of a network's two products are read by each band, and are more than what is handed on.
TEST(RowChain, WhatEachBandReadsAgainHasToBeLittle) {
  EXPECT_EQ(bands_joined(default_script(attention({{1}, 4096, 4096, 64}), avx512)), 2);
  EXPECT_EQ(bands_joined(default_script(attention({{1}, 4096, 4096, 512}), avx512)), 0);
}

TEST(RowChain, RowsHaveToStayNear) {
  EXPECT_EQ(bands_joined(default_script(attention({{2}, 64, 20000, 16}), avx512)), 0);
}

TEST(RowChain, WhatOthersReadAsWellIsNoChain) {
  loop::Func func = attention({{8}, 1024, 1024, 40});
  const auto chains = row_chains(func, avx512);
  ASSERT_EQ(chains.size(), 1u);
  EXPECT_EQ(chains[0].blocks.front(), "scores");
  EXPECT_EQ(chains[0].blocks.back(), "weighed");
  EXPECT_TRUE(row_chains(attention({{8}, 1024, 1024, 40}, Reads::ScoresAgain), avx512).empty());
}

// So many rows that some of one image stay in the small cache.
const std::vector<AttentionShape> shapes{{{3}, 61, 20, 5}, {{2, 3}, 30, 33, 4}, {{1}, 181, 24, 3},
                                         {{40}, 6, 17, 9}, {{3}, 1, 70, 3},     {{4}, 46, 30, 16}};

TEST(RowChain, StaysRightAtEveryStep) {
  int joined = 0;
  for (const Machine& machine : {avx512, avx2, sse})
    for (const AttentionShape& shape : shapes) {
      const loop::Func func = attention(shape);
      const Machine small = with_small_cache(machine, shape);
      joined += bands_joined(default_script(func, small)) >= 2;
      expect_every_step_right(func, small);
    }
  EXPECT_EQ(joined, 3 * 5);  // rows of three images are few
}

TEST(RowChain, StaysRightInMachineCode) {
  runtime::ThreadPool pool(3);
  int joined = 0;
  for (const AttentionShape& shape : shapes) {
    const loop::Func func = attention(shape);
    const std::string script = default_script(func, with_small_cache(avx512, shape));
    joined += bands_joined(script) >= 2;
    expect_compiled_right(func, pool, script);
  }
  EXPECT_EQ(joined, 5);
}

}  // namespace

}  // namespace loopglass::schedule
