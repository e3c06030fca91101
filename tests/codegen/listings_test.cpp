// What is shown of the way to machine code: LLVM IR step by step and assembly, each line with the
// line of the loop nest it came from.
#include "tests/codegen/listing_text.h"
#include "tests/codegen/run_both.h"

#include "core/codegen/pipeline.h"
#include "core/codegen/source_lines.h"
#include "core/codegen/workbench.h"
#include "core/machine/host.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>
#include <numeric>
#include <thread>

namespace loopglass {
namespace {

using codegen::KernelListings;
using codegen::SourceLine;
using testing::HasSubstr;

// The register tile of a matrix product.
std::string tile_of(int rows, int columns) {
  return fmt::format(R"(
func tile(A: float32[{0}, 512] input, B: float32[512, {1}] constant, C: float32[{0}, {1}] output) {{
  alloc acc: float32[{0}, {1}] register
  for i in {0} unrolled {{ for l in {1} vectorized {{ acc[i, l] = 0.0f }} }}
  for k in 512 {{
    for r in {0} unrolled {{ for m in {1} vectorized {{ acc[r, m] = acc[r, m] + A[r, k] * B[k, m] }} }}
  }}
  for s in {0} unrolled {{ for n in {1} vectorized {{ C[s, n] = acc[s, n] }} }}
}})",
                     rows, columns);
}
const std::string tile = tile_of(14, 32);

int line_of(const KernelListings& kernel, std::string_view text) {
  const auto& lines = kernel.loops().lines;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].text.find(text) != std::string::npos) return static_cast<int>(i) + 1;
  throw std::runtime_error("no such line");
}

// Not lane by lane, as processors without arithmetic of float16 would be made to.
TEST(Listings, HalvesAreComparedAsVectors) {
  const auto kernel = list_func(parse_func(R"(
@contract func f(X: float16[16, 128] input, Y: float16[16, 128] output) {
  alloc most: float16[128] register
  for i in 128 vectorized { most[i] = float16(-inf) }
  for k in 16 { for l in 128 vectorized { most[l] = max(most[l], X[k, l]) } }
  for c in 128 vectorized {
    for j in 16 { Y[j, c] = float16(exp(float32(X[j, c]) - float32(most[c]))) } }
})"));
  EXPECT_THAT(codegen::text_of(kernel->assembly()),
              testing::Not(testing::ContainsRegex("vcvtph2ps[ \t]+xmm")));
}

TEST(Listings, AccumulatorsOfATileStayInRegisters) {
  // As many rows of two vectors as leave registers for an operand each of A and B.
  const Machine machine = host_machine();
  const int rows = (machine.vector_registers - 3) / 2;
  const auto kernel = list_func(parse_func(tile_of(rows, 2 * machine.lanes(4))));
  int inner = line_of(*kernel, "A[r, k]");
  int multiply_adds = 0;
  for (const SourceLine& line : kernel->assembly()) {
    if (line.loop_line != inner) continue;
    if (line.text.find("vfmadd") != std::string::npos) ++multiply_adds;
    EXPECT_THAT(line.text, testing::Not(HasSubstr("[rsp")))
        << "the stack is touched in the inner loop";
  }
  EXPECT_GE(multiply_adds, 2 * rows) << codegen::text_of(kernel->assembly());
}

TEST(Listings, LlvmBeginsAsEmittedAndEndsOptimised) {
  const auto kernel = list_func(parse_func(tile));
  const auto& steps = kernel->llvm_steps();
  ASSERT_GE(steps.size(), 3u);
  EXPECT_EQ(steps.front(), "emitted");
  EXPECT_EQ(steps.back(), "optimised");
  const std::string emitted = codegen::text_of(*kernel->llvm(0).value()),
                    optimised = codegen::text_of(*kernel->llvm(steps.size() - 1).value());
  EXPECT_THAT(emitted, HasSubstr("%acc = alloca"));
  EXPECT_THAT(optimised, testing::Not(HasSubstr("alloca")));
  EXPECT_THAT(optimised, HasSubstr("<32 x float>"));
}

// Two chains of functions of their own, a reduction and a guard: enough for most of LLVM's passes
// to find something to do.
constexpr std::string_view parallel_rows = R"(
func rows(X: float32[64, 100] input, W: float32[100] constant, Y: float32[64, 100] output, S: float32[64] output) {
  alloc T: float32[64, 100] workspace
  for i in 64 parallel {
    for j in 100 { T[i, j] = select(j < 90, exp(X[i, j] * W[j]), 0.0f) }
    S[i] = 0.0f
    for r in 100 { S[i] = S[i] + T[i, r] }
  }
  for k in 64 parallel {
    for m in 100 {
      if m >= 1 { Y[k, m] = T[k, m] / S[k] + X[k, m - 1] } else { Y[k, m] = sqrt(abs(X[k, m])) }
    }
  }
})";

constexpr std::string_view integers = R"(
func indices(I: int64[32] input, X: float32[256] input, Y: float32[32, 4] output) {
  for i in 32 {
    for j in 4 { Y[i, j] = X[min(max(I[i] * 4 + j, 0), 255)] * 2.0f }
  }
})";

// Steps are found by hashes, for printing every time would take most of the time there is. Here
// every moment is printed: a pass is told to have changed the text when it did, and only then.
TEST(Listings, APassIsAStepExactlyWhenItChangesTheText) {
  for (const std::string_view source : {std::string_view(tile), parallel_rows, integers}) {
    const loop::Func func = parse_func(source);
    const codegen::Plan plan = codegen::make_plan(func, {}).value();
    codegen::LineMap lines;
    loop::print(func, &lines);
    const auto bench_of = [&] { return codegen::Workbench::with(func, plan, 3, &lines).value(); };

    const auto recorded = bench_of();
    std::map<std::size_t, std::string> told;  // the pass that ran last, by moment
    for (const codegen::PassRun& run : codegen::optimise_recorded(*recorded, {}, {}).runs)
      told[run.moment] = run.pass;

    const auto printed = bench_of();
    std::vector<std::size_t> every(20000);
    std::iota(every.begin(), every.end(), 0);
    std::string before;
    std::size_t changes = 0, last = 0;
    codegen::optimise_until(
        *printed, {}, every,
        [&](std::size_t moment, const std::string& pass) {
          std::string now = codegen::text_of(codegen::list_module(printed->module()));
          const bool changed = moment > 0 && now != before;
          EXPECT_EQ(told.contains(moment) ? told[moment] : "", changed ? pass : "")
              << func.name << ", pass " << moment;
          changes += changed;
          last = moment;
          before = std::move(now);
        },
        {});
    EXPECT_GE(changes, 4u) << func.name;
    EXPECT_LT(last, every.back()) << "not every pass was looked at";
  }
}

// A kernel of many loops has many passes over each of them. Were the whole kernel looked at after
// each, twice as many loops would take four times the work.
TEST(Listings, WhatAPassOverALoopDidIsLookedForAroundTheLoop) {
  const auto work = [](int loops) {
    std::string text = "func many(X: float32[4096] input, Y: float32[4096] output) {\n";
    for (int i = 0; i < loops; ++i)
      text += fmt::format(
          "  for i{0} in 64 {{ for j{0} in 64 {{ Y[i{0} * 64 + j{0}] = sqrt({1}[i{0} + j{0} * 64]) "
          "}} }}\n",
          i, i == 0 ? "X" : "Y");
    const loop::Func func = parse_func(text + "}");
    const auto bench =
        codegen::Workbench::with(func, codegen::make_plan(func, {}).value(), 3).value();
    const codegen::Recording recording = codegen::optimise_recorded(*bench, {}, {});
    return std::pair(recording.runs.size(), recording.blocks_hashed);
  };
  const auto [runs, blocks] = work(20);
  const auto [twice_runs, twice_blocks] = work(40);
  EXPECT_GT(twice_runs, runs + 20) << "passes over loops are told one by one";
  EXPECT_LT(twice_blocks, 5 * blocks / 2);
}

// Of a large kernel not all steps are at hand at once. Whichever are, they are the same.
TEST(Listings, StepsThatAreNotAtHandAreMadeAgain) {
  const loop::Func func = parse_func(parallel_rows);
  const auto all = list_func(func), few = list_func(func, {.instructions = 0});
  const std::size_t count = all->llvm_steps().size();
  ASSERT_EQ(few->llvm_steps().size(), count);
  ASSERT_GT(count, 6u);
  EXPECT_FALSE(all->llvm_at_hand(1)) << "nothing is printed before it is looked at";
  EXPECT_TRUE(all->llvm_at_hand(count - 1)) << "but the last";
  for (std::size_t step = 0; step < count; ++step)
    EXPECT_EQ(codegen::text_of(*few->llvm(step).value()),
              codegen::text_of(*all->llvm(step).value()))
        << all->llvm_steps()[step];
  EXPECT_TRUE(all->llvm_at_hand(0)) << "all steps of a small kernel stay at hand";
  ASSERT_TRUE(few->llvm(4));
  EXPECT_TRUE(few->llvm_at_hand(3)) << "who looks at a step compares it with the one before";
  EXPECT_FALSE(few->llvm_at_hand(2));
  EXPECT_FALSE(few->llvm_at_hand(5));
}

TEST(Listings, AreCancelledBetweenPasses) {
  const Cancellation cancellation;
  cancellation.request();
  const auto made = codegen::list(parse_func(tile), {}, cancellation);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::Cancelled);
  const auto kernel = list_func(parse_func(tile));
  const auto step = kernel->llvm(1, cancellation);
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().code, Code::Cancelled);
  EXPECT_TRUE(kernel->llvm(1)) << "asked for again it is made";
}

TEST(Listings, InstructionsNameTheirLoopLine) {
  const auto kernel = list_func(parse_func(
      "func f(X: float32[64] input, Y: float32[64] output) {\n"
      "  for i in 4 { for l in 16 vectorized { Y[i * 16 + l] = sqrt(X[i * 16 + l]) } } }"));
  const auto optimised = kernel->llvm(kernel->llvm_steps().size() - 1).value();
  int store = line_of(*kernel, "Y[i * 16 + l] =");
  bool in_llvm = false, in_assembly = false;
  for (const SourceLine& line : *optimised)
    if (line.text.find("@llvm.sqrt") != std::string::npos &&
        line.text.find("declare") == std::string::npos)
      in_llvm |= line.loop_line == store;
  for (const SourceLine& line : kernel->assembly())
    if (line.text.find("sqrt") != std::string::npos) in_assembly |= line.loop_line == store;
  EXPECT_TRUE(in_llvm) << codegen::text_of(*optimised);
  EXPECT_TRUE(in_assembly) << codegen::text_of(kernel->assembly());
}

TEST(Listings, NeitherMetadataNorDirectivesAreShown) {
  const auto kernel = list_func(parse_func(tile));
  std::string assembly = codegen::text_of(kernel->assembly());
  for (std::size_t step = 0; step < kernel->llvm_steps().size(); ++step) {
    std::string ir = codegen::text_of(*kernel->llvm(step).value());
    EXPECT_THAT(ir, testing::Not(testing::ContainsRegex(", ?![a-z]")));
    EXPECT_THAT(ir, testing::Not(HasSubstr("!DILocation")));
    EXPECT_THAT(ir, testing::Not(HasSubstr("!dbg")));
  }
  EXPECT_THAT(assembly, testing::Not(HasSubstr(".loc")));
  EXPECT_THAT(assembly, testing::Not(HasSubstr(".cfi")));
  EXPECT_THAT(assembly, testing::Not(HasSubstr(".debug")));
  EXPECT_THAT(assembly, HasSubstr("kernel:"));
}

// Every label that is jumped to is shown, and no other local one.
TEST(Listings, LabelsAreThoseJumpedTo) {
  const auto kernel = list_func(parse_func(tile));
  std::string assembly = codegen::text_of(kernel->assembly());
  for (const SourceLine& line : kernel->assembly()) {
    if (!line.text.starts_with(".L")) continue;
    std::string label = line.text.substr(0, line.text.find(':'));
    EXPECT_NE(assembly.find(' ' + label), std::string::npos) << label;
  }
}

TEST(Listings, MayBeAskedForFromSeveralThreads) {
  const auto kernel = list_func(parse_func(tile), {.instructions = 0});
  std::string seen[2];
  {
    std::jthread other([&] { seen[0] = codegen::text_of(*kernel->llvm(1).value()); });
    seen[1] = codegen::text_of(*kernel->llvm(1).value());
  }
  EXPECT_EQ(seen[0], seen[1]);
}

}  // namespace
}  // namespace loopglass
