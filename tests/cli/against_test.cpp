// Kernels beside those of a library. Where the library is not installed, what is said instead.
#include "core/machine/instruction_level.h"
#include "tests/cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

class BenchAgainst : public CommandLine {};

TEST_F(BenchAgainst, GivesTheLibrarysResultsOrSaysWhatIsMissing) {
  const auto ran = run("bench lenet --against onednn --rounds 2 --threads 1");
  if (ran.exit_code != 0) {
    refused("bench lenet --against onednn --rounds 2 --threads 1", 3, "LG7010");
    return;
  }
  const Json report = json("bench lenet --against onednn --rounds 2 --threads 1");
  ASSERT_EQ(report["kernels"].size(), 5u);
  for (const Json& kernel : report["kernels"]) {
    EXPECT_TRUE(kernel["agrees"].get<bool>()) << kernel["name"];
    EXPECT_GT(kernel["ratio"]["median"].get<double>(), 0);
  }
}

TEST_F(BenchAgainst, HoldsTheLibraryToTheSameInstructions) {
  const std::string bench = "bench lenet --against onednn --rounds 1 --threads 1 --kernel 5";
  if (run(bench).exit_code != 0) {
    refused(bench, 3, "LG7010");
    return;
  }
  for (const auto& [level, instructions] :
       {std::pair{"x86-64-v2", "sse4.1"}, {"x86-64-v3", "avx2"}, {"x86-64-v4", "avx512_core"}}) {
    const std::string held = fmt::format("{} --target {}", bench, level);
    const auto levels = instruction_levels();
    if (std::ranges::find(levels, level, &InstructionLevel::name) == levels.end()) {
      refused(held, 2, "no level of this processor");
      continue;
    }
    EXPECT_EQ(json(held)["against"]["instruction_set"], instructions);
  }
}

TEST_F(BenchAgainst, SaysThatATextIsNoOperator) {
  refused("bench matmul --against onednn --rounds 1 --threads 1", 3, "LG70");
  if (run("bench lenet --against onednn --rounds 1 --threads 1").exit_code == 0)
    refused("bench matmul --against onednn --rounds 1 --threads 1", 3, "Conv, MatMul or Gemm");
}

TEST_F(BenchAgainst, RefusesWhatNobodyCanMeasureAgainst) {
  refused("bench lenet --against onnxruntime", 3, "compare_onnxruntime.mjs");
  refused("bench lenet --against magic", 2, "no library 'magic'");
}

}  // namespace
}  // namespace loopglass::app
