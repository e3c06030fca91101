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
  const Json& distance = network["distance"];
  double in_network = 0, alone = 0;
  for (const Json& kernel : network["kernels"]) {
    in_network += kernel["network_us"].get<double>();
    alone += kernel["alone_us"].get<double>();
  }
  EXPECT_NEAR(distance["network_us"].get<double>(), in_network, 1e-6 * in_network);
  EXPECT_NEAR(distance["alone_us"].get<double>(), alone, 1e-6 * alone);
  EXPECT_LE(distance["near_us"].get<double>(), distance["alone_us"].get<double>());
  EXPECT_TRUE(json("roofline lenet --kernel 0")["distance"].is_null());
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

// Their shapes are those that kernels are judged at.
TEST_F(RooflineCommand, TakesInputsAsTheyAreGiven) {
  const std::string set = (folder_ / "set").string();
  ASSERT_EQ(run("run vector_add --set n=4096 --npy --save " + set).exit_code, 0);
  const std::string file = set + "/input_0.npy";
  const Json kernel = json("roofline vector_add --input A=" + file)["kernels"][0];
  EXPECT_EQ(kernel["flops"].get<double>(), 4096);
  refused("roofline vector_add --input Z=" + file, 3, "the model has no input 'Z'");
  refused("roofline lenet --kernel 0 --input image=" + file, 3, "and was given float32[4096]");
}

// From the nest as it is written to the kernel as it is scheduled, a step a primitive.
TEST_F(RooflineCommand, FollowsASchedule) {
  const Json kernel = json("roofline mlp --kernel 1 --trail")["kernels"][0];
  const Json& steps = kernel["trail"]["steps"];
  const auto nests = json("emit loops mlp --kernel 1 --every-step")["kernels"].size();
  ASSERT_EQ(steps.size() + kernel["trail"]["left_out"].size(), nests);
  EXPECT_EQ(steps.front()["step"], 0);
  EXPECT_EQ(steps.front()["line"], "as it is written");
  EXPECT_EQ(steps.back()["time_us"], kernel["alone_us"]);
  EXPECT_LT(steps.back()["time_us"].get<double>(), steps.front()["time_us"].get<double>());
  const std::string table = run("roofline mlp --kernel 1 --trail").out;
  EXPECT_THAT(table, HasSubstr("line of the schedule"));
  EXPECT_THAT(table, HasSubstr("vectorize("));
}

// By the number that --kernel takes.
TEST_F(RooflineCommand, NumbersItsKernels) {
  const std::string table = run("roofline lenet --kernels 1").out;
  EXPECT_THAT(table, HasSubstr("#  kernel"));
  const Json network = json("roofline lenet");
  const Json& last = network["kernels"].back();
  const Json alone =
      json("roofline lenet --kernel " + std::to_string(last["number"].get<int>()))["kernels"];
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0]["name"], last["name"]);
  EXPECT_EQ(alone[0]["number"], last["number"]);
}

// 24 channels in tiles of two vectors: the loop passes make 16 + 8 lanes of them.
TEST_F(RooflineCommand, CountsWhatIsCompiled) {
  const Json network = json("roofline efficientnet_b0 --kernel 20");
  const Json& kernel = network["kernels"][0];
  EXPECT_EQ(kernel["flops_computed"], kernel["flops"]);
  EXPECT_NE(kernel["bound"], "TAIL");
  const double peak_us =
      kernel["flops"].get<double>() / network["roofs"]["float32_gflops"].get<double>() * 1e-3;
  EXPECT_GE(kernel["otherwise_us"].get<double>(),
            0.99 * std::min(peak_us, kernel["alone_us"].get<double>()));
}

// One size of one cache, whoever is asked.
TEST_F(RooflineCommand, HasTheCachesThatOtherCommandsHave) {
  const Json network = json("roofline matmul");
  const Json machine = json("calibrate --rounds 1 --dry-run");
  const Json first = json("roofline vector_add")["roofs"];
  for (const std::size_t level : {0, 1, 2})
    EXPECT_EQ(network["roofs"]["levels"][level]["bytes"], first["levels"][level]["bytes"]);
  const Json figures = machine["machine"];
  EXPECT_EQ(network["roofs"]["levels"][2]["bytes"], figures["l3_bytes"]["value"])
      << figures.dump(1);
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

// LLVM leaves out what is computed again and again: a share of more than all is explained.
TEST_F(RooflineCommand, AndBenchSayWhyAKernelIsAboveARoof) {
  const auto file = folder_ / "again.loops";
  std::ofstream(file) << "func again(X: float32[4096] input, Y: float32[4096] output) {\n"
                         "  for i in 4096 { for t in 1000 { Y[i] = X[i] * 2.0f } }\n}\n";
  const std::string why = "its machine code does not do all that stands in the nest";
  EXPECT_THAT(run("bench " + file.string() + " --threads 1").out, HasSubstr(why));
  EXPECT_THAT(run("bench " + file.string() + " --threads 1 --kernel 0").out, HasSubstr(why));
  EXPECT_THAT(run("roofline " + file.string()).out, HasSubstr(why));
  EXPECT_THAT(run("bench matmul --threads 1").out, ::testing::Not(HasSubstr(why)));
}

class McaCommand : public CommandLine {};

TEST_F(McaCommand, RunsTheInnermostLoopThroughAModel) {
  // By the roofs that are measured here, which mca finds kept.
  const std::string fitting =
      json("roofline matmul")["kernels"][0]["pipeline"]["processor"].get<std::string>();
  const Json model = json("mca matmul");
  EXPECT_GT(model["cycles"].get<double>(), 0);
  EXPECT_EQ(model["ports"].size(), model["pressure"].size());
  ASSERT_FALSE(model["instructions"].empty());
  for (const Json& each : model["instructions"]) {
    EXPECT_EQ(each["pressure"].size(), model["ports"].size());
    EXPECT_FALSE(each["text"].get<std::string>().empty());
  }
  EXPECT_EQ(model["processor_reason"], "fits_measurements");
  EXPECT_EQ(model["processor"], fitting);
  EXPECT_GT(model["measured_cycles"].get<double>(), 0);
  const Json asked = json("mca matmul --processor skylake-avx512");
  EXPECT_EQ(asked["processor"], "skylake-avx512");
  EXPECT_EQ(asked["processor_reason"], "asked");
  EXPECT_THAT(run("mca matmul --processor skylake-avx512").out, HasSubstr("which was asked for"));
  const std::string text = run("mca matmul --timeline").out;
  EXPECT_THAT(text, HasSubstr("as measured"));
  EXPECT_THAT(text, HasSubstr("foretells best what multiply-adds take here"));
  EXPECT_THAT(text, HasSubstr("cycles an iteration"));
  EXPECT_THAT(text, HasSubstr("in an iteration"));
  EXPECT_THAT(text, HasSubstr("cycle by cycle"));
  refused("mca matmul --processor nobody", 2, "no model of a processor 'nobody'");
}

}  // namespace
}  // namespace loopglass::app
