// Scripts while they are written: as far as they are right, and what may follow.
#include "core/script/script_check.h"
#include "core/script/judge.h"

#include "core/loop/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::schedule {
namespace {

using ::testing::HasSubstr;

loop::Func rows_of_eight() {
  return loop::parse(R"(
func f(X: float32[64, 64] input, Y: float32[64, 64] output) {
  for i in 64 {
    for j in 64 {
      block Y(i0 = i, i1 = j) {
        reads X[i0, i1]
        writes Y[i0, i1]
        Y[i0, i1] = X[i0, i1] * 2.0f
      }
    }
  }
})")
      .value();
}

TEST(ScriptCheck, LinesCountAsTheyStandInTheText) {
  const auto checked = check_script(rows_of_eight(), R"(// by rows
io, ii = split(i, [-1, 8])

parallel(io)  // 8 of them
C = block("Y")
vectorize(k)
unroll(ii)
)");
  ASSERT_TRUE(checked);
  ASSERT_EQ(checked->steps.size(), 2u);
  EXPECT_EQ(checked->steps[0].line, 2);
  EXPECT_EQ(checked->steps[1].line, 4);
  ASSERT_TRUE(checked->problem);
  EXPECT_EQ(checked->problem_line, 6);
  EXPECT_EQ(checked->steps_up_to(1), 0u);
  EXPECT_EQ(checked->steps_up_to(3), 1u);
  EXPECT_EQ(checked->steps_up_to(9), 2u);
}

TEST(ScriptCheck, WhatCannotBeReadComesAfterWhatCan) {
  const auto checked = check_script(rows_of_eight(), "parallel(i)\nvectorise(j)\n");
  ASSERT_TRUE(checked);
  EXPECT_EQ(checked->steps.size(), 1u);
  ASSERT_TRUE(checked->problem);
  EXPECT_EQ(checked->problem_line, 2);
  EXPECT_THAT(checked->problem->what, HasSubstr("there is no primitive 'vectorise'"));
}

TEST(ScriptCheck, AnIllegalLineIsNamedByItsPlaceInTheText) {
  const auto replayed =
      replay(rows_of_eight(), parse_script("// a comment\n\nvectorize(k)\n").value());
  ASSERT_FALSE(replayed);
  EXPECT_THAT(replayed.error().where, HasSubstr("line 3: vectorize(k)"));
}

// Every legal offer can be run, every other one cannot; handles in the way are written around.
TEST(Judge, WhatIsOfferedIsAsTheVerdictSays) {
  Replayer replayer(rows_of_eight());
  const Trace bound =
      parse_script("j = buffer(\"X\")\nC = block(\"Y\")\ni, k = loops(C)\n").value();
  for (const Instruction& instruction : bound.instructions) ASSERT_TRUE(replayer.run(instruction));
  const auto verdicts = judge_offered(replayer, "j");
  ASSERT_TRUE(verdicts);
  ASSERT_FALSE(verdicts->empty());
  std::size_t legal = 0;
  for (const Verdict& verdict : *verdicts) {
    const auto trace = parse_script(verdict.call);
    ASSERT_TRUE(trace) << verdict.call;
    Replayer tried = replayer;
    const auto ran = tried.run(trace->instructions.front());
    EXPECT_EQ(ran.has_value(), !verdict.refusal) << verdict.call;
    legal += ran.has_value() ? 1 : 0;
    EXPECT_THAT(verdict.call, HasSubstr("\"j\"")) << "j is a handle of something else";
  }
  EXPECT_GT(legal, 0u);
}

TEST(Judge, IsStopped) {
  Cancellation cancellation;
  cancellation.request();
  EXPECT_EQ(judge_offered(Replayer(rows_of_eight()), "i", cancellation).error().code,
            Code::Cancelled);
  EXPECT_EQ(check_script(rows_of_eight(), "parallel(i)", cancellation).error().code,
            Code::Cancelled);
}

}  // namespace
}  // namespace loopglass::schedule
