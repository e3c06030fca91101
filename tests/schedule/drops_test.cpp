// Where a loop or block may be dropped: what is said to be legal is what its line then does.
#include "core/script/drops.h"

#include "core/loop/text.h"
#include "tests/schedule/nests.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> calls_of(const std::vector<Drop>& drops) {
  std::vector<std::string> calls;
  for (const Drop& drop : drops) calls.push_back(drop.verdict.call);
  return calls;
}

TEST(Drops, ALoopOnALoopTakesItsPlace) {
  const Replayer replayer(matrix_product(16, 12, 9));
  EXPECT_THAT(calls_of(drops(replayer, "k").value()),
              ElementsAre("reorder([k, i, j])", "reorder([k, j])"));
  EXPECT_THAT(calls_of(drops(replayer, "i").value()),
              ElementsAre("reorder([j, i])", "reorder([j, k, i])"));
}

// What stands between keeps it from the loops beyond, and is told.
TEST(Drops, LoopsBeyondTheChainAreRefusedWithAReason) {
  Replayer replayer(matrix_product(16, 12, 9));
  ASSERT_TRUE(replayer.run(parse_script("decompose_reduction(\"C\", \"k\")")->instructions.at(0)));
  const auto found = drops(replayer, "k").value();
  ASSERT_EQ(found.size(), 2u);
  for (const Drop& drop : found) {
    ASSERT_TRUE(drop.verdict.refusal) << drop.target;
    EXPECT_THAT(drop.verdict.refusal->what, HasSubstr("stands between"));
  }
}

TEST(Drops, ABlockOnALoopIsComputedThere) {
  const Replayer replayer(rows_summed(6, 10));
  const auto found = drops(replayer, "Y").value();
  std::vector<std::string> legal;
  for (const Drop& drop : found)
    if (!drop.verdict.refusal) legal.push_back(drop.target + ": " + drop.verdict.call);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(legal, ElementsAre(HasSubstr("compute_at(Y, "), HasSubstr("compute_at(Y, ")));
}

// Where two iterations store to one element the last has to stay the last.
TEST(Drops, AClashIsShownWhereOneIsAskedFor) {
  const Replayer replayer(loop::parse(R"(
func diagonals(X: float32[4, 4] input, Y: float32[7] output) {
  for i in 4 {
    for j in 4 {
      block Y(i0 = i, i1 = j) {
        reads X[i0, i1]
        writes Y[i0 + i1]
        Y[i0 + i1] = X[i0, i1]
      }
    }
  }
}
)")
                              .value());
  const std::vector<Drop> unasked = drops(replayer, "i").value();
  const std::vector<Drop> asked = drops(replayer, "i", {}, Clash::Show).value();
  ASSERT_EQ(asked.size(), 1u);
  ASSERT_TRUE(asked[0].verdict.refusal);
  ASSERT_TRUE(asked[0].verdict.search.witness);
  EXPECT_EQ(asked[0].verdict.search.witness->buffer, "Y");
  EXPECT_FALSE(unasked.at(0).verdict.search.witness);
}

// A row's product needs its whole sum.
TEST(Drops, WhatIsNotLegalSaysWhy) {
  const Replayer replayer(row_by_row({5, 7}));
  int refused = 0;
  const std::vector<Drop> found = drops(replayer, "product").value();
  for (const Drop& drop : found) {
    if (!drop.verdict.refusal) continue;
    ++refused;
    EXPECT_EQ(drop.verdict.refusal->code, Code::ScheduleIllegal);
    EXPECT_FALSE(drop.verdict.refusal->what.empty());
  }
  EXPECT_GT(refused, 0);
  EXPECT_THAT(drops(replayer, "nobody").value(), IsEmpty());
}

// As it was said: each line replays exactly where it was said to be legal, and results stay.
TEST(Drops, WhatIsSaidHolds) {
  for (const loop::Func& func : {matrix_product(6, 5, 4), rows_summed(4, 6), row_by_row({3, 4}),
                                 convolution({1, 2, 5, 5, 3, 3, 1, 1})}) {
    std::vector<std::string> entities;
    for (const loop::Line& line : loop::print(func).lines)
      if (!line.entity.empty()) entities.push_back(line.entity);
    int legal = 0;
    for (const std::string& entity : entities) {
      const std::vector<Drop> found = drops(Replayer(func), entity).value();
      for (const Drop& drop : found) {
        Replayer replayer(func);
        const auto line = parse_script(drop.verdict.call);
        ASSERT_TRUE(line) << to_string(line.error());
        const auto step = replayer.run(line->instructions.at(0));
        ASSERT_EQ(step.has_value(), !drop.verdict.refusal) << drop.verdict.call;
        if (!step) continue;
        ++legal;
        EXPECT_TRUE(same_results(func, replayer.func())) << drop.verdict.call;
      }
    }
    EXPECT_GT(legal, 1);
  }
}

TEST(Drops, CanBeStopped) {
  Cancellation cancellation;
  cancellation.request();
  EXPECT_EQ(drops(Replayer(matrix_product(4, 4, 4)), "k", cancellation).error().code,
            Code::Cancelled);
}

}  // namespace

}  // namespace loopglass::schedule
