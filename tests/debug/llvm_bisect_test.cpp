// Which pass of LLVM a kernel owes its speed to.
#include "core/debug/llvm_bisect.h"

#include "core/loop/text.h"
#include "core/machine/host.h"
#include "passes/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::debug {
namespace {

struct Case {
  explicit Case(std::string_view text, codegen::LlvmPasses passes = {}) {
    task.kernel = "kernel";
    task.nest = loop::parse(text).value();
    task.machine = host_machine();
    const kernel::Tools tools{task.machine, passes::loop_passes(), std::move(passes)};
    // As it is written: the default schedule would do what LLVM is asked for.
    lowered =
        kernel::lower(kernel::schedule(task.nest, schedule::Trace{}, tools).value(), tools).value();
  }

  tune::Task task;
  kernel::Lowered lowered;
  measure::WorkerPool workers{measure::Program{LOOPGLASSC, {"worker"}}};
};

// Square roots of many elements, which one pass alone makes vectors of.
constexpr std::string_view roots = R"(
func roots(X: float32[16384] input, Y: float32[16384] output) {
  for i in 16384 { Y[i] = sqrt(X[i] * X[i] + 1.0f) }
})";

TEST(LlvmBisect, FindsThePassThatMakesVectors) {
  Case roots_case(roots);
  const auto report = bisect_llvm(roots_case.task, roots_case.lowered, roots_case.workers);
  ASSERT_TRUE(report) << report.error().what;
  ASSERT_GT(report->step, 0u);
  EXPECT_EQ(report->steps[report->step].pass, "loop-vectorize");
  EXPECT_LT(report->times.ratio, 0.8);
  EXPECT_EQ(report->times.turns, 15);
  EXPECT_LT(chance(report->times), 0.01);
  EXPECT_LT(report->milliseconds.size(), report->steps.size()) << "not every step is timed";
}

TEST(LlvmBisect, AsksEveryStepWhereItShallBeThorough) {
  Case roots_case(roots);
  const auto report =
      bisect_llvm(roots_case.task, roots_case.lowered, roots_case.workers, {.thorough = true});
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->steps[report->step].pass, "loop-vectorize");
}

// Left out, it is not among the steps, and something else matters most.
TEST(LlvmBisect, APassThatIsLeftOutIsNotToBlame) {
  Case roots_case(roots, {.without = {"loop-vectorize"}});
  const auto report = bisect_llvm(roots_case.task, roots_case.lowered, roots_case.workers);
  ASSERT_TRUE(report) << report.error().what;
  for (const codegen::PassRun& step : report->steps) EXPECT_NE(step.pass, "loop-vectorize");
}

// Two ways in which fifteen of fifteen may agree, of 2^15.
TEST(LlvmBisect, ChanceIsThatOfTurnsThatAgree) {
  const auto of = [](int agreeing, int turns) {
    return runtime::chance({.turns = turns, .agreeing = agreeing});
  };
  EXPECT_DOUBLE_EQ(of(15, 15), 2.0 / 32768);
  EXPECT_DOUBLE_EQ(of(14, 15), 2.0 * 16 / 32768);
  EXPECT_DOUBLE_EQ(of(2, 3), 1);
  EXPECT_DOUBLE_EQ(of(3, 4), 2.0 * 5 / 16);
  EXPECT_DOUBLE_EQ(of(0, 0), 1);
}

// The kernel that is compiled is not the one that is asked for.
TEST(LlvmBisect, ResultsAreHeldAgainstTheNest) {
  Case wrong(roots);
  wrong.task.nest = loop::parse(R"(
func roots(X: float32[16384] input, Y: float32[16384] output) {
  for i in 16384 { Y[i] = sqrt(X[i] * X[i] + 2.0f) }
})")
                        .value();
  const auto report = bisect_llvm(wrong.task, wrong.lowered, wrong.workers);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Code::ResultMismatch);
  EXPECT_THAT(report.error().where, testing::HasSubstr("LLVM IR "));
}

}  // namespace
}  // namespace loopglass::debug
