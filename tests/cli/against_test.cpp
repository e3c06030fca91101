// Kernels beside those of a library. Where the library is not installed, what is said instead.
#include "tests/cli/command_line.h"

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
    EXPECT_TRUE(kernel["agrees"].get<bool>()) << kernel["kernel"];
    EXPECT_GT(kernel["ratio"]["median"].get<double>(), 0);
  }
}

TEST_F(BenchAgainst, RefusesWhatNobodyCanMeasureAgainst) {
  refused("bench lenet --against onnxruntime", 3, "compare_onnxruntime.mjs");
  refused("bench lenet --against magic", 2, "no library 'magic'");
}

}  // namespace
}  // namespace loopglass::app
