// LLVM's passes over its IR: leaving one out, and ending the pipeline early, change the code and
// not what it computes.
#include "core/codegen/llvm_passes.h"
#include "core/codegen/object_code.h"
#include "core/codegen/target.h"
#include "tests/codegen/run_both.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace loopglass {
namespace {

using codegen::CompileOptions;
using codegen::PassRun;

// A loop that LLVM makes vectors of, and one beside it that it unrolls.
constexpr std::string_view two_loops = R"(
func nest(X: float32[1000] input, Y: float32[1000] output, S: float32[8] output) {
  for i in 1000 { Y[i] = sqrt(X[i] * X[i] + 1.0f) }
  for k in 8 {
    S[k] = 0.0f
    for r in 100 { S[k] = S[k] + X[k * 100 + r] * 0.5f }
  }
})";

std::vector<Tensor> results(const loop::Func& func, const Arguments& arguments,
                            const codegen::LlvmPasses& passes) {
  CompileOptions options;
  options.llvm_passes = passes;
  return run_kernel(*codegen::compile(func, options).value(), func, arguments);
}

bool same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, [](const Tensor& x, const Tensor& y) {
    return x.bytes() == y.bytes() && std::equal(x.data(), x.data() + x.bytes(), y.data());
  });
}

TEST(LlvmPasses, ThoseThatMayBeLeftOutAreKnownByTheNamesThatListingsShow) {
  const auto& passes = codegen::optional_llvm_passes();
  EXPECT_TRUE(std::ranges::is_sorted(passes));
  EXPECT_THAT(passes, testing::IsSupersetOf({"sroa", "licm", "loop-vectorize", "loop-unroll"}));
  EXPECT_THAT(passes, testing::Not(testing::Contains("always-inline"))) << "it is required";
  EXPECT_THAT(passes, testing::Not(testing::Contains("DevirtSCCRepeatedPass"))) << "it runs others";
}

TEST(LlvmPasses, APassThatIsLeftOutChangesTheCodeAndNotTheResult) {
  const loop::Func func = settled(parse_func(two_loops));
  const Arguments arguments = random_arguments(func);
  CompileOptions without;
  without.llvm_passes.without = {"loop-vectorize"};
  EXPECT_NE(codegen::generate(func, without)->bytes, codegen::generate(func)->bytes);
  EXPECT_TRUE(same(results(func, arguments, without.llvm_passes), results(func, arguments, {})));
  const auto steps_of = [&](const CompileOptions& options) {
    return codegen::list(func, options).value()->llvm_steps();
  };
  EXPECT_THAT(steps_of({}), testing::Contains("loop-vectorize"));
  EXPECT_THAT(steps_of(without), testing::Not(testing::Contains("loop-vectorize")));
}

// Sums at an edge: twelve lanes of sixteen, of what lies on the stack.
constexpr std::string_view edge = R"(
func edge(X: float32[3000] input, W: float32[99] input, Y: float32[16] output) {
  alloc P: float32[3000] stack
  for h in 3000 { P[h] = X[h] * 2.0f }
  alloc S: float32[16] register
  for i in 16 vectorized { S[i] = 0.0f }
  for k in 99 {
    for j in 16 vectorized { S[j] = S[j] + select(j < 12, P[j + k * 30], 0.0f) * W[k] }
  }
  for l in 16 vectorized { Y[l] = S[l] }
})";

TEST(LlvmPasses, LoadWhatIsWantedAtAnEdgeAndExpandNothing) {
  const loop::Func func = settled(parse_func(edge));
  const Arguments arguments = random_arguments(func);
  expect_same(func, arguments);
  CompileOptions without;
  without.llvm_passes.without = {"masked-loads"};
  EXPECT_TRUE(same(results(func, arguments, without.llvm_passes), results(func, arguments, {})));
  if (!codegen::host_target().has("avx512f")) return;
  const auto listings = codegen::list(func, {}).value();
  EXPECT_THAT(listings->llvm_steps(), testing::Contains("masked-loads"));
  std::string assembly;
  for (const auto& line : listings->assembly()) assembly += line.text + "\n";
  EXPECT_THAT(assembly, testing::Not(testing::HasSubstr("vexpandp")));
}

TEST(LlvmPasses, AreAmongWhatCodeIsKnownBy) {
  const loop::Func func = settled(parse_func(two_loops));
  CompileOptions without, shorter;
  without.llvm_passes.without = {"loop-vectorize"};
  shorter.llvm_passes.runs = 3;
  EXPECT_NE(codegen::code_key(func), codegen::code_key(func, without));
  EXPECT_NE(codegen::code_key(func), codegen::code_key(func, shorter));
  EXPECT_NE(codegen::code_key(func, without), codegen::code_key(func, shorter));
}

TEST(LlvmPasses, TheStepsAreThoseOfTheListings) {
  const loop::Func func = settled(parse_func(two_loops));
  std::vector<std::string> steps;
  const auto found = codegen::llvm_steps(func).value();
  for (const PassRun& step : found) steps.push_back(step.pass);
  steps.push_back("optimised");
  EXPECT_EQ(codegen::list(func).value()->llvm_steps(), steps);
}

// Wherever the pipeline ends, the code computes the same; and it ends there.
TEST(LlvmPasses, ThePipelineMayEndAfterAnyStep) {
  const loop::Func func = settled(parse_func(two_loops));
  const Arguments arguments = random_arguments(func);
  const std::vector<Tensor> expected = results(func, arguments, {});
  const auto steps = codegen::llvm_steps(func).value();
  ASSERT_GT(steps.size(), 8u);
  for (std::size_t step = 0; step < steps.size(); ++step) {
    CompileOptions options;
    options.llvm_passes.runs = steps[step].moment;
    EXPECT_TRUE(same(results(func, arguments, options.llvm_passes), expected)) << steps[step].pass;
    const auto shorter = codegen::llvm_steps(func, options).value();
    ASSERT_GE(shorter.size(), step + 1) << steps[step].pass;
    for (std::size_t i = 0; i <= step; ++i) EXPECT_EQ(shorter[i].moment, steps[i].moment);
  }
  CompileOptions all;
  all.llvm_passes.runs = steps.back().moment;
  EXPECT_EQ(codegen::generate(func, all)->bytes, codegen::generate(func)->bytes);
}

}  // namespace
}  // namespace loopglass
