// What emit prints beside the lines of a stage: where they came from, and what they cost.
#include "tests/cli/command_line.h"

#include <algorithm>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Emit : public CommandLine {};

bool names(const Json& line, const std::string& name) {
  const Json& operators = line["operators"];
  return std::find(operators.begin(), operators.end(), name) != operators.end();
}

TEST_F(Emit, SaysBesideEachLineWhereItCameFrom) {
  for (const std::string stage : {"loops", "lowered", "llvm", "machine", "asm"}) {
    const Json lines = json("emit " + stage + " mlp --kernel 0 --annotate")["kernels"][0]["lines"];
    std::size_t with_both = 0;
    for (const Json& line : lines) with_both += names(line, "fc1") || names(line, "relu1");
    EXPECT_GT(with_both, 0u) << stage;
    EXPECT_FALSE(
        json("emit " + stage + " mlp --kernel 0")["kernels"][0]["lines"][0].contains("operators"));
  }
  const std::string assembly = run("emit asm mlp --kernel 0 --annotate").out;
  EXPECT_THAT(assembly, HasSubstr("// the nest that the lines come from\n//    1  "));
  EXPECT_THAT(assembly, HasSubstr("fc1"));
  // A nest's lines are its own.
  EXPECT_THAT(run("emit lowered mlp --kernel 0 --annotate").out,
              Not(HasSubstr("the nest that the lines come from")));
}

TEST_F(Emit, PicksTheLinesOfAnOperator) {
  const Json rows = json("emit asm mlp --of relu2")["kernels"];
  ASSERT_EQ(rows.size(), 1u) << "of the kernel that has it";
  EXPECT_EQ(rows[0]["name"], "fused_gemm_relu_1");
  ASSERT_FALSE(rows[0]["lines"].empty());
  for (const Json& line : rows[0]["lines"]) EXPECT_TRUE(names(line, "relu2")) << line;
  EXPECT_LT(rows[0]["lines"].size(), json("emit asm mlp --kernel 1")["kernels"][0]["lines"].size());
  EXPECT_THAT(run("emit asm mlp --of relu2").out, HasSubstr("... "));
  refused("emit asm mlp --of relu2 --kernel 0", 2, "is not in kernel '0'");
  refused("emit asm mlp --of relu22", 2, "did you mean");
  // What passes have folded away is what it was folded into.
  const Said folded = run("emit loops mobilenet_v1 --of conv0.bn --step 0");
  EXPECT_THAT(folded.error, HasSubstr("it is conv0"));
  EXPECT_THAT(folded.out, HasSubstr("// fused_"));
}

TEST_F(Emit, ShowsWhereTheTimeGoes) {
  const Json row = json("emit asm matmul --hot")["kernels"][0];
  const Json& hot = row["hot"];
  ASSERT_GT(hot["samples"].get<int>(), 20) << "timers may be coarse";
  EXPECT_GT(hot["run_us"].get<double>(), 0);
  double lines = 0, regions = 0;
  for (const Json& line : row["lines"]) lines += line["share"].get<double>();
  for (const Json& region : hot["regions"]) regions += region["share"].get<double>();
  const double elsewhere = hot["samples_elsewhere"].get<double>() / hot["samples"].get<double>();
  EXPECT_NEAR(lines + elsewhere, 1, 1e-9);
  EXPECT_NEAR(regions, lines, 1e-9);
  // A product's time goes into its innermost loop.
  EXPECT_TRUE(hot["regions"][0]["innermost"].get<bool>());
  EXPECT_GT(hot["regions"][0]["share"].get<double>(), 0.5);
  const std::string text = run("emit asm matmul --hot").out;
  EXPECT_THAT(text, HasSubstr(": an innermost loop\n"));
  const Json nest = json("emit lowered matmul --hot")["kernels"][0]["lines"];
  double of_nest = 0;
  for (const Json& line : nest) of_nest += line["share"].get<double>();
  EXPECT_GT(of_nest, 0.5);
}

TEST_F(Emit, RefusesWhatHasNoOriginOrDoesNotRun) {
  refused("emit graph mlp --annotate", 2, "--annotate");
  refused("emit te mlp --of relu1", 2, "--of");
  refused("emit llvm mlp --kernel 0 --hot", 2, "it is for lowered, asm");
  refused("emit asm mlp --hot", 2, "one kernel is looked at, and there are 4");
  refused("emit lowered mlp --kernel 0 --hot --step 0", 2, "--step");
  refused("emit asm mlp --kernel 0 --hot --annotate", 2, "--annotate");
}

}  // namespace
}  // namespace loopglass::app
