// Kernels as text on the command line.
#include "tests/cli/command_line.h"

#include <fmt/format.h>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

class KernelFiles : public CommandLine {};

TEST_F(KernelFiles, ASampleRunsForAnyExtent) {
  for (const char* n : {"0", "1", "17", "1000"}) {
    const Said outcome = run(std::string("run vector_add --json --set n=") + n);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  }
  const Said again = run("run vector_add --json --set n=5");
  EXPECT_EQ(Json::parse(again.out)["compiled"], 0) << "one machine code for every n";
}

// One script, one machine code, from no element on, with intermediate tensors of every size.
TEST_F(KernelFiles, TheScriptOfOneExtentIsOfAll) {
  const std::string script = (folder_ / "softmax.schedule").string();
  ASSERT_EQ(run("run softmax --set n=64 --save-schedule " + script).exit_code, 0);
  for (const int n : {0, 1, 2, 16, 31, 32, 33, 100}) {
    const std::string model = fmt::format("run softmax --set n={}", n);
    const Json scheduled = json(model + " --schedule " + script);
    EXPECT_EQ(scheduled["compiled"], 0) << n;
    const Json expected = json(model + " --interpreted");
    if (n == 0) continue;
    for (const char* number : {"minimum", "maximum", "mean"})
      EXPECT_NEAR(scheduled["outputs"][0][number].get<double>(),
                  expected["outputs"][0][number].get<double>(), 1e-5)
          << number << " of " << n;
  }
}

TEST_F(KernelFiles, EveryStageIsShown) {
  for (const char* stage : {"graph", "te", "loops", "schedule", "lowered", "llvm", "asm"}) {
    const Said outcome = run(std::string("emit ") + stage + " vector_add");
    EXPECT_EQ(outcome.exit_code, 0) << stage << outcome.error;
    EXPECT_FALSE(outcome.out.empty()) << stage;
  }
  EXPECT_THAT(run("emit te prefix_sum").error, HasSubstr("written as a loop nest"));
  EXPECT_THAT(run("emit loops prefix_sum").out, HasSubstr("Y[i0 - 1]"));
}

TEST_F(KernelFiles, WhatEmitPrintsOpens) {
  const Said te = run("emit te softmax --set m=8 --set n=8");
  ASSERT_EQ(te.exit_code, 0) << te.error;
  const Said again = run("run " + write("again.te", te.out));
  EXPECT_EQ(again.exit_code, 0) << again.error;
  const Said nest = run("emit loops vector_add --step 0");
  const Said once_more = run("run " + write("again.loops", nest.out));
  EXPECT_EQ(once_more.exit_code, 0) << once_more.error;
}

// The mark that some editors begin UTF-8 with.
TEST_F(KernelFiles, AByteOrderMarkIsNoPartOfTheText) {
  const std::string kernel =
      write("k.te", "\xef\xbb\xbfinput A: float32[64]\nC[i < 64] = A[i] + 1\n");
  const std::string script = write("k.schedule", "\xef\xbb\xbfvectorize(i)\n");
  const Said said = run("emit loops " + kernel + " --schedule " + script);
  EXPECT_EQ(said.exit_code, 0) << said.error;
  EXPECT_THAT(said.out, HasSubstr("vectorized"));
}

TEST_F(KernelFiles, EachLineOfAScheduleIsTimed) {
  const std::string script = write("script", "i_o, i_i = split(i, [-1, 16])\nvectorize(i_i)\n");
  const Said outcome =
      run("bench vector_add --per-line --rounds 2 --json --threads 1 --schedule " + script);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.error;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json["lines"].size(), 3u);
  EXPECT_EQ(json["lines"][2]["line"], "vectorize(i_i)");
  EXPECT_GT(json["lines"][2]["gflops"], 0);
}

TEST_F(KernelFiles, WhatIsWrongHasItsPlace) {
  const Said outcome = run("run " + write("k.te", "input A: float32[4]\nC[i < 4] = A[i + 1]\n"));
  EXPECT_EQ(outcome.exit_code, 3) << outcome.error;
  EXPECT_THAT(outcome.error, HasSubstr("i = 3: index i + 1 is 4, and the extent is 4"));
}

}  // namespace
}  // namespace loopglass::app
