// Code generation in steps: what each of its passes made of the kernel, as far as the assembly.
#include "core/codegen/machine_passes.h"
#include "core/codegen/source_lines.h"
#include "core/codegen/workbench.h"
#include "tests/codegen/listing_text.h"
#include "tests/codegen/run_both.h"

#include <gmock/gmock.h>

#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace loopglass {
namespace {

using codegen::SourceLine;
using testing::HasSubstr;

// A register tile, and a loop beside it that LLVM has to find the vectors of by itself.
constexpr std::string_view tile_and_loop = R"(
func nest(A: float32[8, 512] input, B: float32[512, 32] constant, C: float32[8, 32] output, X: float32[100] input, Y: float32[100] output) {
  alloc acc: float32[8, 32] register
  for i in 8 unrolled { for l in 32 vectorized { acc[i, l] = 0.0f } }
  for k in 512 {
    for r in 8 unrolled { for m in 32 vectorized { acc[r, m] = acc[r, m] + A[r, k] * B[k, m] } }
  }
  for s in 8 unrolled { for n in 32 vectorized { C[s, n] = acc[s, n] } }
  for p in 100 parallel { Y[p] = select(p < 90, exp(X[p]), sqrt(X[p])) }
})";

// Emitted and optimised.
std::unique_ptr<codegen::Workbench> optimised(std::string_view text) {
  const loop::Func func = settled(parse_func(text));
  codegen::LineMap lines;
  loop::print(func, &lines);
  auto bench =
      codegen::Workbench::with(func, codegen::make_plan(func, {}).value(), 3, &lines).value();
  codegen::optimise(*bench, {});
  return bench;
}

TEST(MachineSteps, LeadFromLlvmIrToMachineInstructions) {
  const auto kernel = list_func(parse_func(tile_and_loop));
  const auto& steps = kernel->machine_steps();
  const auto selection =
      std::ranges::find_if(steps, [](const std::string& step) { return step.ends_with("-isel"); });
  ASSERT_NE(selection, steps.end());
  const auto selected = static_cast<std::size_t>(selection - steps.begin());
  ASSERT_GT(selected, 0u);
  EXPECT_THAT(codegen::text_of(*kernel->machine(selected - 1).value()), HasSubstr("define "));
  const std::string instructions = codegen::text_of(*kernel->machine(selected).value());
  EXPECT_THAT(instructions, HasSubstr("nest.body:\nbb.0"));
  EXPECT_THAT(instructions, HasSubstr("COPY $rdi")) << "arguments come in registers";
  EXPECT_NE(std::ranges::find(steps, "greedy"), steps.end());
  EXPECT_THAT(codegen::text_of(*kernel->machine(steps.size() - 1).value()),
              testing::Not(HasSubstr("%0")))
      << "in the end no virtual register is left";
}

// The multiply-adds of the last step and of the assembly, by the line of the nest they came from.
TEST(MachineSteps, TheLastIsWhatTheAssemblyIsPrintedFrom) {
  const auto kernel = list_func(parse_func(tile_and_loop));
  const auto last = kernel->machine(kernel->machine_steps().size() - 1).value();
  const auto count = [](const codegen::SourceLines& lines, std::string_view word) {
    std::map<int, int> by_line;
    for (const SourceLine& line : lines)
      if (line.text.find(word) != std::string::npos) ++by_line[line.loop_line];
    return by_line;
  };
  const auto machine = count(*last, "VFMADD"), assembly = count(kernel->assembly(), "vfmadd");
  EXPECT_FALSE(machine.empty());
  EXPECT_FALSE(machine.contains(0)) << "each has its line";
  EXPECT_EQ(machine, assembly);
}

TEST(MachineSteps, WatchingChangesNothing) {
  const auto watched = optimised(tile_and_loop), alone = optimised(tile_and_loop);
  EXPECT_EQ(codegen::generate_recorded(watched->module(), watched->machine(), {}).assembly,
            codegen::generate_assembly(alone->module(), alone->machine()));
}

// Steps are found by hashes. Here every moment is printed: a pass is told to have changed the text
// when it did, and only then.
TEST(MachineSteps, APassIsAStepExactlyWhenItChangesTheText) {
  const auto recorded = optimised(tile_and_loop), printed = optimised(tile_and_loop);
  std::map<std::size_t, std::string> told;
  for (const codegen::PassRun& run :
       codegen::generate_recorded(recorded->module(), recorded->machine(), {}).passes)
    told[run.moment] = run.pass;
  std::vector<std::size_t> every(1000);
  std::iota(every.begin(), every.end(), 0);
  codegen::SourceLines before;
  for (const llvm::Function& function : printed->module()) {
    if (function.isDeclaration()) continue;
    if (!before.empty()) before.push_back({});
    codegen::list_function(function, before);
  }
  std::string text = codegen::text_of(before);
  std::size_t changes = 0;
  const auto listed = codegen::list_generation(printed->module(), printed->machine(), every, {});
  ASSERT_LT(listed.rbegin()->first, every.back()) << "not every pass was looked at";
  for (const auto& [moment, lines] : listed) {
    const std::string now = codegen::text_of(lines);
    EXPECT_EQ(now != text, told.contains(moment)) << moment << ' ' << told[moment];
    changes += now != text;
    text = now;
  }
  EXPECT_GT(changes, 10u);
}

TEST(MachineSteps, ThoseThatAreNotAtHandAreMadeAgain) {
  const loop::Func func = parse_func(tile_and_loop);
  const auto all = list_func(func), few = list_func(func, {.instructions = 0});
  const std::size_t count = all->machine_steps().size();
  ASSERT_EQ(few->machine_steps(), all->machine_steps());
  EXPECT_FALSE(all->machine_at_hand(3)) << "nothing is printed before it is looked at";
  for (std::size_t step = 0; step < count; ++step)
    EXPECT_EQ(codegen::text_of(*few->machine(step).value()),
              codegen::text_of(*all->machine(step).value()))
        << all->machine_steps()[step];
  EXPECT_TRUE(all->machine_at_hand(0)) << "all steps of a small kernel stay at hand";
  ASSERT_TRUE(few->machine(4));
  EXPECT_TRUE(few->machine_at_hand(3)) << "who looks at a step compares it with the one before";
  EXPECT_FALSE(few->machine_at_hand(2));
}

TEST(MachineSteps, AreCancelled) {
  const auto kernel = list_func(parse_func(tile_and_loop));
  const Cancellation cancellation;
  cancellation.request();
  const auto step = kernel->machine(1, cancellation);
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().code, Code::Cancelled);
  EXPECT_TRUE(kernel->machine(1)) << "asked for again it is made";
}

}  // namespace
}  // namespace loopglass
