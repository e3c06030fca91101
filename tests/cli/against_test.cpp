// Kernels beside those of a library. Where the library is not installed, what is said instead.
#include "core/machine/instruction_level.h"
#include "tests/cli/command_line.h"
#include "tests/schemas/schema_check.h"

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

class ByLibrary : public CommandLine {
 protected:
  void SetUp() override {
    if (run("run mlp --library onednn").exit_code == 0) return;
    refused("run mlp --library onednn", 3, "LG7010");
    GTEST_SKIP() << "oneDNN is not installed";
  }
};

TEST_F(ByLibrary, ANetworkGivesWhatItGave) {
  const Json generated = json("run lenet"), mixed = json("run lenet --library 0=onednn");
  EXPECT_FALSE(generated.contains("library"));
  ASSERT_EQ(mixed["library"]["kernels"].size(), 1u);
  EXPECT_EQ(mixed["library"]["kernels"][0]["by"], "library");
  const Json &ours = generated["outputs"][0]["first"], &theirs = mixed["outputs"][0]["first"];
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_NEAR(ours[i].get<double>(), theirs[i].get<double>(), 1e-5) << i;
}

TEST_F(ByLibrary, IsTimedBesideGeneratedCodeWithTheReasonForEachKernel) {
  const Json report = json("bench lenet --library onednn --rounds 3 --threads 1");
  EXPECT_EQ(schema_problems(report), "");
  EXPECT_EQ(report["library"]["library"], "oneDNN");
  EXPECT_GT(report["with_library"]["median_us"].get<double>(), 0);
  EXPECT_GT(report["generated"]["median_us"].get<double>(), 0);
  ASSERT_EQ(report["library"]["kernels"].size(), 5u);
  for (const Json& kernel : report["library"]["kernels"]) {
    EXPECT_FALSE(kernel["reason"].get<std::string>().empty());
    const bool is_faster = kernel.contains("ratio") && kernel["ratio"]["low"].get<double>() > 1;
    EXPECT_EQ(kernel["by"], is_faster ? "library" : "generated code") << kernel.dump();
  }
  const Said said = run("bench lenet --library onednn --rounds 3 --threads 1");
  EXPECT_THAT(said.out, HasSubstr("by generated code alone"));
}

TEST_F(ByLibrary, RefusesWhatItCannotCompute) {
  refused("run mlp --library 3=onednn", 3, "holds no convolution or product");
  refused("run mlp --library 7=onednn", 2, "there is no kernel '7'");
  refused("run mlp --library magic", 2, "no library 'magic'");
  refused("run mlp --library 0=onednn --library magic", 2, "'onednn' and 'magic'");
  refused("run mlp --library onednn --interpreted", 2, "nothing is compiled");
  for (const char* other : {"--per-line", "--record", "--against onednn", "--kernel 0"})
    refused(std::string("bench mlp --library onednn --threads 1 ") + other, 2, "--library");
}

}  // namespace
}  // namespace loopglass::app
