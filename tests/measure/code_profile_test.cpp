// Where a kernel's time goes, by looking where it is.
#include "core/measure/code_profile.h"

#include "core/loop/text.h"
#include "core/measure/sampler.h"
#include "passes/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

namespace loopglass::measure {
namespace {

// Two loops, of which the second computes a hundred times as much.
constexpr const char* two_loops = R"(
func f(X: float32[4096] input, Y: float32[4096] output, Z: float32[64] output) {
  for i in 64 {
    block Z(i0 = i) {
      reads X[i0]
      writes Z[i0]
      Z[i0] = X[i0] + 1.0f
    }
  }
  for j in 4096 {
    block Y(i0 = j) {
      reads X[i0]
      writes Y[i0]
      Y[i0] = exp(exp(X[i0]))
    }
  }
})";

TEST(CodeProfile, FindsTheLoopThatTakesTheTime) {
  const auto kernel = kernel::by_default(loop::parse(two_loops).value(),
                                         {reference_machine(), passes::toolchain().loop_passes});
  ASSERT_TRUE(kernel) << to_string(kernel.error());
  const auto listings = codegen::list(kernel->lowered(), kernel->compile_options());
  ASSERT_TRUE(listings) << to_string(listings.error());
  WorkerPool workers{Program{LOOPGLASSC, {"worker"}}};
  ProfileAsked asked{*kernel, **listings};
  asked.milliseconds = 300;
  const auto profile = profile_code(asked, workers);
  ASSERT_TRUE(profile) << to_string(profile.error());
  ASSERT_GT(profile->all, 20) << "some thousand a second, or where timers are coarse 250";
  EXPECT_LT(profile->elsewhere, profile->all / 2);

  const codegen::SourceLines& assembly = (*listings)->assembly();
  std::int64_t of_second = 0, of_first = 0, sum = profile->elsewhere;
  for (std::size_t line = 0; line < assembly.size(); ++line) {
    sum += profile->samples[line];
    const auto nest_line = static_cast<std::size_t>(assembly[line].loop_line);
    if (nest_line == 0) continue;
    const std::string& text = (*listings)->loops().lines[nest_line - 1].text;
    if (text.find("exp(") != std::string::npos) of_second += profile->samples[line];
    if (text.find("+ 1.0f") != std::string::npos) of_first += profile->samples[line];
  }
  EXPECT_EQ(sum, profile->all);
  EXPECT_GT(of_second, 10 * of_first);

  const std::vector<CodeRegion> regions = hot_regions(assembly, *profile);
  ASSERT_FALSE(regions.empty());
  EXPECT_TRUE(regions.front().is_loop);
  EXPECT_TRUE(std::ranges::is_sorted(regions, std::greater(), &CodeRegion::samples));
  std::int64_t in_regions = 0;
  for (const CodeRegion& region : regions) in_regions += region.samples;
  EXPECT_EQ(in_regions + profile->elsewhere, profile->all) << "each line is in one region";
}

__attribute__((noinline)) double busy(std::chrono::milliseconds time) {
  double sum = 0;
  for (const auto end = std::chrono::steady_clock::now() + time;
       std::chrono::steady_clock::now() < end;)
    for (int i = 1; i < 1000; ++i) sum += 1.0 / i;
  return sum;
}

TEST(Sampler, LooksUntilItIsTold) {
  Sampler sampler;
  EXPECT_GT(busy(std::chrono::milliseconds(100)), 0);
  EXPECT_GT(sampler.take().size(), 10u);
  EXPECT_TRUE(sampler.take().empty()) << "it is over";
  EXPECT_GT(busy(std::chrono::milliseconds(20)), 0);
  // One after another; no more than there is room for.
  Sampler next(100, 5);
  EXPECT_GT(busy(std::chrono::milliseconds(50)), 0);
  EXPECT_LE(next.take().size(), 5u);
}

}  // namespace
}  // namespace loopglass::measure
