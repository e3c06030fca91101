// What a CI job asks: bounds, and a result of before that the present one must not be worse than.
#include "tests/cli/command_line.h"

#include <fmt/format.h>

namespace loopglass::app {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Gates : public CommandLine {
 protected:
  // What the command printed as JSON, changed, as a file.
  std::string baseline(const Json& document) const {
    const std::string path = (folder_ / "baseline.json").string();
    std::ofstream(path) << document.dump();
    return path;
  }
  static std::vector<std::string> worse(const Json& document) {
    std::vector<std::string> sentences;
    const Json changes = document["changes"];
    for (const Json& change : changes)
      if (change["worse"]) sentences.push_back(change["sentence"]);
    return sentences;
  }
};

TEST_F(Gates, CountKernels) {
  const int kernels = json("fuse lenet")["kernel_count"];
  for (const char* words :
       {"fuse lenet", "fuse lenet --summary", "memory lenet", "bench lenet --rounds 1"}) {
    const std::string command = std::string(words) + " --max-kernels ";
    EXPECT_EQ(run(command + std::to_string(kernels)).exit_code, 0) << words;
    const Said said = run(command + std::to_string(kernels - 1));
    EXPECT_EQ(said.exit_code, 1) << words;
    EXPECT_EQ(
        said.error.substr(said.error.find("exceeded: ")),
        fmt::format("exceeded: {} kernels, 1 more than --max-kernels {}\n", kernels, kernels - 1));
    EXPECT_EQ(json(command + std::to_string(kernels - 1), 1)["exceeded"].size(), 1u) << words;
    EXPECT_THAT(json(command + std::to_string(kernels))["exceeded"], IsEmpty());
  }
}

TEST_F(Gates, WeighTheArena) {
  const std::uint64_t arena = json("memory lenet")["arena_bytes"];
  for (const char* words :
       {"fuse lenet", "fuse lenet --summary", "memory lenet", "bench lenet --rounds 1"}) {
    const std::string command = std::string(words) + " --max-arena ";
    EXPECT_EQ(run(command + std::to_string(arena)).exit_code, 0) << words;
    const Json document = json(command + std::to_string(arena - 1), 1);
    EXPECT_EQ(document["arena_bytes"], arena) << words;
    EXPECT_THAT(document["exceeded"].dump(), HasSubstr("1 B more than --max-arena")) << words;
  }
}

TEST_F(Gates, TimeTheNetwork) {
  EXPECT_EQ(run("bench mlp --rounds 2 --max-ms 100000").exit_code, 0);
  const Said said = run("bench mlp --rounds 2 --max-ms 0.000001");
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_THAT(said.error, HasSubstr("exceeded: the median is "));
  EXPECT_THAT(said.error, HasSubstr("more than --max-ms 1e-06"));
  refused("fuse mlp --max-ms 1", 2, "LG8001");
}

TEST_F(Gates, AResultIsNoWorseThanItself) {
  for (const char* words : {"fuse lenet", "fuse lenet --summary", "memory lenet"}) {
    const std::string before = baseline(json(words));
    const Said said = run(std::string(words) + " --baseline " + before);
    EXPECT_EQ(said.exit_code, 0) << words << said.error;
    EXPECT_THAT(said.out, HasSubstr("since " + before + ": no change\n")) << words;
    const Json document = json(std::string(words) + " --baseline " + before);
    EXPECT_EQ(document["baseline"], before);
    EXPECT_THAT(document["changes"], IsEmpty());
  }
}

TEST_F(Gates, MoreKernelsAndLostEdgesAreWorse) {
  const std::string before = baseline(json("fuse lenet"));
  const Said said = run("fuse lenet --strategy none --baseline " + before);
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_THAT(said.error, HasSubstr("edge conv1 -> relu1 is STRATEGY_NONE instead of FUSED\n"));
  EXPECT_THAT(said.error, HasSubstr("13 kernels instead of 9\n"));
  EXPECT_THAT(said.out, HasSubstr("  kernel relu_1 is new\n"));
  const Json document = json("fuse lenet --strategy none --baseline " + before, 1);
  EXPECT_THAT(worse(document), Contains("13 kernels instead of 9"));
  // The other way round it is better, and told all the same.
  const std::string worse_before = baseline(json("fuse lenet --strategy none"));
  const Said better = run("fuse lenet --baseline " + worse_before);
  EXPECT_EQ(better.exit_code, 0) << better.error;
  EXPECT_THAT(better.out, HasSubstr("9 kernels instead of 13"));
}

TEST_F(Gates, MoreBytesAreWorse) {
  Json before = json("memory lenet");
  const std::int64_t arena = before["arena_bytes"];
  before["arena_bytes"] = arena / 2;
  const Json document = json("memory lenet --baseline " + baseline(before), 1);
  ASSERT_EQ(worse(document).size(), 1u);
  EXPECT_THAT(worse(document)[0], HasSubstr("the arena "));
  EXPECT_THAT(worse(document)[0], HasSubstr("(+100.0 %)"));
  before["arena_bytes"] = arena * 2;
  EXPECT_EQ(json("memory lenet --baseline " + baseline(before))["changes"].size(), 1u);
}

// Beyond the quartiles of both, and by more than the tolerance; single kernels are only told of.
TEST_F(Gates, TimesHaveToBeBeyondTheirSpread) {
  const std::string words = "bench mlp --rounds 5 --threads 1";
  const Json now = json(words);
  const auto scaled = [&](double factor) {
    Json before = now;
    const auto scale = [factor](Json& times) {
      for (const char* key : {"median_us", "lower_quartile_us", "upper_quartile_us", "minimum_us"})
        times[key] = times[key].get<double>() * factor;
    };
    scale(before);
    for (Json& kernel : before["kernels"]) scale(kernel);
    return words + " --baseline " + baseline(before);
  };
  const Said slower = run(scaled(0.01));
  EXPECT_EQ(slower.exit_code, 1);
  EXPECT_THAT(slower.error, HasSubstr("the network takes "));
  EXPECT_THAT(slower.error, Not(HasSubstr("kernel fused"))) << "told of, and no reason";
  EXPECT_THAT(slower.out, HasSubstr("  kernel fused_gemm_relu_0 takes "));
  const Said faster = run(scaled(100));
  EXPECT_EQ(faster.exit_code, 0) << faster.error;
  EXPECT_THAT(faster.out, HasSubstr("the network takes "));
}

TEST_F(Gates, OnlyWhatCanBeComparedIs) {
  refused("fuse lenet --baseline /nowhere", 3, "the baseline");
  refused("fuse lenet --baseline " + baseline(Json::array()), 2, "it is no JSON object");
  refused("fuse lenet --baseline " + baseline(Json::object()), 2, "it names no schema");
  refused("fuse lenet --baseline " + baseline(json("fuse lenet --summary")), 2,
          "it is loopglass.fuse-summary/1");
  refused("fuse mlp --baseline " + baseline(json("fuse lenet")), 2, "of the model 'lenet'");
  Json before = json("bench mlp --rounds 1 --threads 1");
  before["threads"] = 7;
  refused("bench mlp --rounds 1 --threads 1 --baseline " + baseline(before), 2, "on 7 threads");
  before["threads"] = 1;
  before["machine"] = "abacus";
  refused("bench mlp --rounds 1 --threads 1 --baseline " + baseline(before), 2, "another machine");
  // Whatever else stands in the file.
  before = json("fuse lenet");
  before["kernels"] = "none";
  refused("fuse lenet --baseline " + baseline(before), 2, "has no kernels that could be compared");
  before = json("fuse lenet");
  before["edges"] = Json::array({1, Json::object({{"fused", "yes"}})});
  refused("fuse lenet --baseline " + baseline(before), 2, "no edges[0].producer");
  before = json("fuse lenet");
  before.erase("kernel_count");
  refused("fuse lenet --baseline " + baseline(before), 2, "no kernel_count");
  before = json("memory lenet");
  for (const Json& damaged : {Json(), Json("much")}) {
    before["arena_bytes"] = damaged;
    refused("memory lenet --baseline " + baseline(before), 2, "no arena_bytes");
  }
}

// What it is called by does not tell models apart, nor what they are asked to take.
TEST_F(Gates, OtherInputsAreOtherWork) {
  const Json before = json("memory vector_add --set n=1000");
  EXPECT_EQ(before["inputs"][0]["type"], "float32[1000]");
  EXPECT_EQ(run("memory vector_add --set n=1000 --baseline " + baseline(before)).exit_code, 0);
  refused("memory vector_add --set n=10 --baseline " + baseline(before), 2, "of other inputs than");
}

TEST_F(Gates, ChangesHaveTheirNumbers) {
  Json before = json("memory lenet");
  const std::int64_t arena = before["arena_bytes"];
  before["arena_bytes"] = arena / 2;
  const Json document = json("memory lenet --max-arena 1 --baseline " + baseline(before), 1);
  const Json &change = document["changes"][0], &bound = document["exceeded"][0];
  EXPECT_EQ(change["field"], "arena_bytes");
  EXPECT_EQ(change["before"], arena / 2);
  EXPECT_EQ(change["after"], arena);
  EXPECT_EQ(bound["field"], "arena_bytes");
  EXPECT_EQ(bound["value"], arena);
  EXPECT_EQ(bound["limit"], 1);
}

// A question that nothing answers is not good.
TEST_F(Gates, NothingIsNoSuccess) {
  EXPECT_EQ(run("memory lenet --memory-limit 1").exit_code, 1);
  EXPECT_EQ(run("run lenet --memory-limit 1").exit_code, 1);
  EXPECT_EQ(run("bench lenet --rounds 1 --memory-limit 1").exit_code, 1);
  EXPECT_EQ(run("memory lenet --memory-limit 1GiB").exit_code, 0);
  EXPECT_EQ(run("fuse lenet --filter nowhere").exit_code, 1);
  EXPECT_EQ(run("fuse lenet --filter FUSED").exit_code, 0);
  EXPECT_EQ(run("explain NO_SUCH_REASON").exit_code, 2);
}

}  // namespace
}  // namespace loopglass::app
