// Kernels under the roofs of the machine, as the command prints them.
#include "tests/cli/command_line.h"

#include <algorithm>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

class RooflineCommand : public CommandLine {};

TEST_F(RooflineCommand, SaysOfEachKernelWhatBinds) {
  const Json network = json("roofline lenet");
  const Json& roofs = network["roofs"];
  EXPECT_EQ(roofs["threads"], 1);
  EXPECT_GT(roofs["float32_gflops"].get<double>(), roofs["float64_gflops"].get<double>());
  ASSERT_EQ(roofs["levels"].size(), 4u);
  EXPECT_TRUE(roofs["levels"][3]["bytes"].is_null()) << "memory has no end";
  EXPECT_GT(roofs["launch_us"].get<double>(), 0);
  ASSERT_GT(network["kernels"].size(), 3u);
  for (const Json& kernel : network["kernels"]) {
    EXPECT_GT(kernel["alone_us"].get<double>(), 0);
    // What it takes to call it is in there.
    EXPECT_GT(kernel["network_us"].get<double>(), roofs["launch_us"].get<double>());
    EXPECT_LE(kernel["otherwise_us"].get<double>(), kernel["alone_us"].get<double>());
    EXPECT_FALSE(kernel["sentence"].get<std::string>().empty());
    EXPECT_GE(kernel["traffic_bytes"]["L1"].get<double>(),
              kernel["traffic_bytes"]["memory"].get<double>());
    const std::string bound = kernel["bound"];
    EXPECT_THAT(run("explain " + bound).out, HasSubstr("what binds a kernel"));
  }
}

TEST_F(RooflineCommand, ListsTheSlowestAndSumsUp) {
  const std::string table = run("roofline lenet --kernels 2").out;
  EXPECT_THAT(table, HasSubstr("roofs on 1 thread:"));
  EXPECT_THAT(table, HasSubstr("faster kernels"));
  EXPECT_THAT(table, HasSubstr("of the time of all kernels"));
  const std::string card = run("roofline matmul").out;
  EXPECT_THAT(card, HasSubstr("if this alone were in the way"));
  EXPECT_THAT(card, HasSubstr("try: "));
  const Json pipeline = json("roofline matmul")["kernels"][0]["pipeline"];
  EXPECT_GT(pipeline["modelled_cycles"].get<double>(), 0);
  EXPECT_GT(pipeline["measured_cycles"].get<double>(), 0);
}

// What was tried can be tried by hand.
TEST_F(RooflineCommand, PrintsExperimentsThatRun) {
  const std::string nest = run("roofline matmul --experiment near-data").out;
  EXPECT_THAT(nest, HasSubstr("_near"));
  const auto file = folder_ / "near.loops";
  std::ofstream(file) << nest;
  EXPECT_EQ(run("bench " + file.string() + " --rounds 3 --threads 1").exit_code, 0);
  refused("roofline vector_add --experiment few-loads", 2, "would change nothing");
  refused("roofline matmul --experiment magic", 2, "one of near-data, few-loads, no-arithmetic");
}

class McaCommand : public CommandLine {};

TEST_F(McaCommand, RunsTheInnermostLoopThroughAModel) {
  const Json model = json("mca matmul");
  EXPECT_GT(model["cycles"].get<double>(), 0);
  EXPECT_EQ(model["ports"].size(), model["pressure"].size());
  ASSERT_FALSE(model["instructions"].empty());
  for (const Json& each : model["instructions"]) {
    EXPECT_EQ(each["pressure"].size(), model["ports"].size());
    EXPECT_FALSE(each["text"].get<std::string>().empty());
  }
  const std::string text = run("mca matmul --timeline").out;
  EXPECT_THAT(text, HasSubstr("cycles an iteration"));
  EXPECT_THAT(text, HasSubstr("in an iteration"));
  EXPECT_THAT(text, HasSubstr("cycle by cycle"));
  refused("mca matmul --processor nobody", 2, "no model of a processor 'nobody'");
}

}  // namespace
}  // namespace loopglass::app
