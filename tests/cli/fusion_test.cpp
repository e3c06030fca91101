// Arguing with fusion on the command line: verdicts, nearest misses, steps, what-if, edits,
// comparisons.
#include "tests/cli/command_line.h"

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// What strategies decide changes as they learn; so plans that a test reads closely begin with
// `none`.
class Fusion : public CommandLine {
 protected:
  std::string edits(const std::string& text) const {
    std::ofstream(folder_ / "edits.txt") << text;
    return (folder_ / "edits.txt").string();
  }
};

TEST_F(Fusion, TheLegendNeedsNoModel) {
  const Json legend = json("fuse --reasons");
  EXPECT_EQ(legend["reasons"][0]["reason"], "FUSED");
  EXPECT_THAT(legend["notation"], HasSubstr("must be"));
  EXPECT_THAT(run("fuse --reasons").out,
              HasSubstr("SECOND_ANCHOR                    The kernel would hold more anchors than "
                        "it may: operators that "
                        "kernels are built around.\n"));
  refused("fuse", 2, "MODEL is missing");
}

TEST_F(Fusion, AnEdgeIsExplained) {
  EXPECT_THAT(run("fuse lenet --strategy none --explain --edge conv1:relu1").out,
              StartsWith("conv1 -> relu1: STRATEGY_NONE\n"
                         "    %conv1 float32[1x6x28x28]\n"
                         "    strategy = none, must be one that fuses\n"
                         "    This strategy fuses nothing.\n"
                         "    bytes = 18.4 KiB\n"
                         "    In one kernel 36.8 KiB less would be written and read.\n"));
  const Json edge = json("fuse lenet --strategy none --edge conv1:relu1")["edges"];
  ASSERT_EQ(edge.size(), 1u);
  EXPECT_EQ(edge[0]["numbers"]["bytes"], 18816);
  EXPECT_EQ(edge[0]["saved_bytes"], 2 * 18816);
  EXPECT_EQ(edge[0]["workspace_bytes"], 0);
  refused("fuse lenet --edge conv1:relu2", 2, "it is read by relu1");
  refused("fuse lenet --edge conv1:rely1", 2, "did you mean 'relu1'?");
  refused("fuse lenet --edge conv1", 2, "PRODUCER:CONSUMER");
}

// Passes fold batch normalisation away; whoever knows the model asks by its names.
TEST_F(Fusion, AnEdgeOfOperatorsThatPassesReplacedIsWhatTheyAreNow) {
  const Said said = run("fuse mobilenet_v1 --edge conv0.bn:conv0.relu");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_THAT(said.error, HasSubstr("conv0.bn"));
  EXPECT_THAT(said.error, HasSubstr("the edge is conv0"));
  EXPECT_THAT(said.out, StartsWith("conv0"));
  const Json explained = json("fuse mobilenet_v1 --edge conv0.bn:conv0.relu");
  EXPECT_GT(explained["became"].size(), 1u);
  EXPECT_EQ(explained["edges"][0]["consumer"], "conv0.relu");
  refused("fuse mobilenet_v1 --edge conv0:conv0.bn", 2, "is no edge any more");
  refused("fuse mobilenet_v1 --edge conv0.bm:conv0.relu", 2, "did you mean");
}

// What stands between the ends is said without asking for all near misses.
TEST_F(Fusion, AnEdgeBringsItsNearMiss) {
  const Json apart = json("fuse lenet --strategy none --edge conv1:relu1")["edges"][0];
  EXPECT_EQ(apart["near_miss"]["change"]["kind"], "force");
  EXPECT_THAT(run("fuse lenet --strategy none --edge conv1:relu1").out,
              HasSubstr("try: --force conv1:relu1\n"));
  const Json fused = json("fuse lenet --strategy dominator --edge conv1:relu1")["edges"][0];
  EXPECT_TRUE(fused["near_miss"].is_null());
}

// A convolution reads each element for each of its results, and in windows.
TEST_F(Fusion, AnEdgeSaysWhatOneNestWouldComputeAgain) {
  const Json card = json("fuse lenet --strategy none --edge pool1:conv2")["edges"][0]["card"];
  // 16 x 10 x 10 results of 6 x 5 x 5 products, over 6 x 14 x 14 elements.
  EXPECT_NEAR(card["nests"]["times_read"].get<double>(), 16.0 * 10 * 10 * 6 * 5 * 5 / (6 * 14 * 14),
              1e-9);
  const std::string text = run("fuse lenet --strategy none --edge pool1:conv2").out;
  EXPECT_THAT(text, HasSubstr("Each element is read 204.1 times (for each of oc 16 and in windows "
                              "that overlap, kh 5 x kw 5)"));
  EXPECT_THAT(text, HasSubstr("with a halo around"));
}

TEST_F(Fusion, NearMissesAreFiltered) {
  const Json
      all = json("fuse lenet --strategy none --near-misses 50")["near_misses"],
      some =
          json("fuse lenet --strategy none --near-misses 50 --filter consumer~relu")["near_misses"];
  EXPECT_LT(some.size(), all.size());
  ASSERT_FALSE(some.empty());
  for (const Json& miss : some) EXPECT_THAT(miss["consumer"].get<std::string>(), HasSubstr("relu"));
  EXPECT_THAT(run("fuse lenet --near-misses --filter op=Softplus").out,
              HasSubstr("the filter picks out no edge"));
  refused("fuse lenet --near-misses --filter consumer~~", 2, "expected a value");
}

// Loops, kinds, path, bytes and steps, as the window's card has them.
TEST_F(Fusion, AnEdgeHasACard) {
  const std::string text = run("fuse lenet --strategy dominator --edge conv1:relu1").out;
  EXPECT_THAT(text,
              HasSubstr("loops of both: n 1, oc 6, oh 28, ow 28; reduces ic 1, kh 5, kw 5\n"));
  EXPECT_THAT(
      text,
      HasSubstr("path: conv1 (OutElementwiseFusable) -[Elementwise]-> relu1 (Elementwise)\n"));
  EXPECT_THAT(text, HasSubstr("merge: conv1 and relu1 become one kernel.\n"));
  const Json edges = json("fuse lenet --strategy dominator --edge conv1:relu1")["edges"];
  ASSERT_EQ(edges.size(), 1u);
  const Json& card = edges[0]["card"];
  EXPECT_EQ(card["nests"]["handing"], "one nest");
  EXPECT_EQ(card["nests"]["consumer"][0]["loops"][1],
            Json({{"role", "oc"}, {"extent", 6}, {"reduction", false}, {"walk", "elements"}}));
  EXPECT_EQ(card["kinds"]["path"], "Elementwise");
  EXPECT_EQ(card["path"]["post_dominator"], "relu1");
  EXPECT_EQ(card["traffic"]["saved_bytes"], edges[0]["saved_bytes"]);
  const Json steps = json("fuse lenet --strategy dominator --steps")["steps"];
  ASSERT_FALSE(card["steps"].empty());
  for (const Json& step : card["steps"])
    EXPECT_EQ(steps[step["step"].get<std::size_t>() - 1]["sentence"], step["sentence"]);
  const Json apart = json("fuse lenet --strategy none --edge conv1:relu1")["edges"][0]["card"];
  EXPECT_EQ(apart["nests"]["handing"], "memory");
  EXPECT_TRUE(apart["steps"].empty());
  EXPECT_EQ(apart["steps_missing"], "The strategy took no steps.");
  EXPECT_FALSE(json("fuse lenet --explain")["edges"][0].contains("card"));
}

TEST_F(Fusion, TheTableIsSortedAndFiltered) {
  const Json all = json("fuse lenet --explain --sort bytes");
  double before = 1e18;
  for (const Json& edge : all["edges"]) {
    EXPECT_LE(edge["numbers"]["bytes"].get<double>(), before);
    before = edge["numbers"]["bytes"];
    EXPECT_FALSE(edge["sentence"].get<std::string>().empty());
    EXPECT_EQ(edge["fused"], edge["reason"] == "FUSED");
    EXPECT_FALSE(edge["condition"].get<std::string>().empty()) << edge;
  }
  const Json some = json("fuse lenet --filter 'op=Relu & verdict=fused'");
  EXPECT_LT(some["edges"].size(), all["edges"].size());
  EXPECT_EQ(some["reasons"], Json({{"FUSED", some["edges"].size()}}));
  EXPECT_THAT(run("fuse lenet --strategy none --explain").out,
              HasSubstr("12 of 12 edges (none): 12 STRATEGY_NONE\n"));
  refused("fuse lenet --filter 'verdict=maybe'", 2, "LG8001");
  EXPECT_EQ(run("fuse lenet --sort size").exit_code, 2);
}

TEST_F(Fusion, NearestMissesComeWithAChange) {
  const Json misses = json("fuse lenet --strategy none --near-misses 4")["near_misses"];
  ASSERT_EQ(misses.size(), 4u);
  EXPECT_EQ(misses[0]["producer"], "conv1");
  EXPECT_EQ(misses[0]["saved_bytes"], 2 * 18816);
  EXPECT_EQ(misses[0]["change"]["recipe"], "--force conv1:relu1");
  for (const Json& miss : misses) {
    if (miss["change"]["kind"] != "force") continue;
    EXPECT_EQ(
        run("fuse lenet --strategy none " + miss["change"]["recipe"].get<std::string>()).exit_code,
        0);
  }
  EXPECT_THAT(run("fuse lenet --strategy none --near-misses").out,
              HasSubstr("36.8 KiB  conv1 -> relu1: STRATEGY_NONE\n"));
  for (const char* number : {"0", "-1", "99999999999999999999", "some"})
    EXPECT_EQ(run("fuse lenet --near-misses " + std::string(number)).exit_code, 2) << number;
}

// All that a miss promises comes true in the plan that its recipe makes.
TEST_F(Fusion, NearestMissesSaveWhatTheySay) {
  const Json fusion = json("fuse lenet --strategy none --near-misses 20");
  for (const Json& miss : fusion["near_misses"]) {
    const std::string recipe = miss["change"]["recipe"];
    if (recipe.empty()) continue;
    const std::string option = recipe.starts_with("--") ? recipe : "--edit '" + recipe + "'";
    const Json plans = json("fuse lenet --strategy none " + option)["plans"];
    const auto moved = [](const Json& plan) {
      return plan["written_bytes"].get<int>() + plan["read_bytes"].get<int>() +
             2 * plan["workspace_bytes"].get<int>();
    };
    EXPECT_EQ(moved(plans[0]) - moved(plans[1]), miss["saved_bytes"].get<int>()) << option;
    EXPECT_EQ(plans[1]["workspace_bytes"], miss["workspace_bytes"]) << option;
    EXPECT_NEAR(plans[0]["estimated_us"].get<double>() - plans[1]["estimated_us"].get<double>(),
                miss["saved_us"].get<double>(), 1e-6)
        << option;
  }
}

// What one kernel would only hand on within itself is no saving.
TEST_F(Fusion, TheTableSaysWhatOnlyMovesIntoAWorkspace) {
  const Json edge = json("fuse lenet --strategy none --edge relu4:fc3")["edges"][0];
  EXPECT_EQ(edge["saved_bytes"], 0);
  EXPECT_EQ(edge["workspace_bytes"], edge["numbers"]["bytes"]);
  EXPECT_THAT(run("fuse lenet --strategy none --explain").out,
              HasSubstr(" workspace  relu4 -> fc3 "));
}

TEST_F(Fusion, AMemoryLimitThatIsNotReachedIsSaid) {
  const Said plan = run("fuse lenet --memory-limit 1");
  EXPECT_EQ(plan.exit_code, 1);
  EXPECT_THAT(plan.error, HasSubstr("note: The limit of 1 B cannot be kept: the intermediates "));
  EXPECT_THAT(run("fuse lenet --memory-limit 1 --without recompute").error,
              HasSubstr("note: nothing weighs the memory limit"));
  EXPECT_EQ(run("fuse lenet --memory-limit 1GiB").error, "");
}

// Nothing that is typed is passed over in silence.
TEST_F(Fusion, OptionsThatWouldDoNothingAreRefused) {
  refused("fuse lenet --edge relu1:pool1 --near-misses", 2, "--edge");
  refused("fuse lenet --edge relu1:pool1 --compare none,dp", 2, "--edge");
  refused("fuse lenet --filter fused --steps", 2, "--filter");
  refused("fuse lenet --edge ''", 2, "'' is no edge");
  refused("fuse lenet --edge :", 2, "':' is no edge");
  EXPECT_EQ(run("fuse lenet --edit ''").exit_code, 2);
  EXPECT_EQ(run("fuse lenet --edits ''").exit_code, 2);
  EXPECT_EQ(run("fuse lenet --rounds 3").exit_code, 2);
  EXPECT_EQ(run("fuse lenet --memory-limit -1").exit_code, 2);
  EXPECT_EQ(run("fuse lenet --memory-limit 9223372036854775807").error, "");
  refused("fuse lenet --memory-limit 9223372036854775808", 2, "is too much");
  refused("fuse lenet --memory-limit 8388608TiB", 2, "'8388608TiB' is too much");
  refused("fuse lenet --memory-limit 1.5.2GB", 2, "is no size");
  for (const char* no_size : {"inf", "nan", "1e3", "4kk", "KiB", "."})
    refused(std::string("fuse lenet --memory-limit ") + no_size, 2, "is no size");
  refused("fuse lenet --memory-limit " + std::string(6000, '9'), 2, "is too much");
  EXPECT_THAT(run("fuse lenet --memory-limit 0.5kB").error, HasSubstr("The limit of 512 B "));
  refused("fuse lenet --edits /", 3, "cannot be read");
  refused("fuse lenet --edit 'split relu1' --edit 'base dp'", 2, "the edits begin before");
  EXPECT_THAT(run("calibrate --rounds abc").error, HasSubstr("'abc' is no whole number"));
  EXPECT_EQ(json("fuse lenet --filter ''")["edges"].size(), 12u);
}

TEST_F(Fusion, AFilterThatPicksNothingBySlipIsRefused) {
  refused("fuse lenet --filter 'reason=SINK_KNID'", 2, "did you mean 'SINK_KIND'?");
  const Said nothing = run("fuse lenet --filter nowhere");
  EXPECT_THAT(nothing.out, HasSubstr("0 of 12 edges (dominator)\n"));
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_TRUE(json("fuse lenet --filter SINK_KNID", 1)["edges"].empty());
}

TEST_F(Fusion, AVerdictOrAReasonMayStandAlone) {
  const auto picked = [&](const std::string& filter) {
    return json("fuse lenet --filter '" + filter + "'")["edges"];
  };
  EXPECT_EQ(picked("fused"), picked("verdict=fused"));
  EXPECT_EQ(picked("!fused"), picked("verdict=apart"));
  EXPECT_FALSE(picked("!fused").empty());
}

TEST_F(Fusion, ForcingShowsTheDifference) {
  const std::string words = "fuse lenet --strategy none --force conv1:relu1 --force conv2:relu2";
  const Json what_if = json(words);
  EXPECT_EQ(what_if["plans"][0]["kernel_count"].get<int>() -
                what_if["plans"][1]["kernel_count"].get<int>(),
            2);
  EXPECT_EQ(what_if["added"].size(), 2u);
  EXPECT_EQ(what_if["removed"].size(), 4u);
  EXPECT_EQ(what_if["differing_edges"].size(), 2u);
  EXPECT_FALSE(what_if["plans"][0].contains("time"));
  const std::string text = run(words).out;
  EXPECT_THAT(text, HasSubstr("- conv_0: conv1\n- relu_1: relu1\n"));
  EXPECT_THAT(text, HasSubstr("+ fused_conv_relu_0: conv1, relu1\n"));
  EXPECT_THAT(text,
              HasSubstr("2 edges differ:\n  conv1 -> relu1: before STRATEGY_NONE, after FUSED\n"));
  // Options that repeat leave the model alone.
  EXPECT_THAT(run("fuse --strategy none --force conv1:relu1 --edge conv1:relu1 lenet").out,
              HasSubstr("by hand"));
}

// One edge more, and all the others as they were.
TEST_F(Fusion, ForcingTearsNoKernelApart) {
  const std::string words = "fuse lenet --strategy dominator --force relu1:pool1";
  const Json what_if = json(words);
  EXPECT_EQ(what_if["plans"][1]["kernel_count"].get<int>(),
            what_if["plans"][0]["kernel_count"].get<int>() - 1);
  EXPECT_EQ(what_if["differing_edges"].size(), 1u);
  EXPECT_THAT(run(words).out, HasSubstr("through workspaces"));
  EXPECT_EQ(json(words + " --edge conv1:relu1")["edges"][0]["fused"], true);
}

TEST_F(Fusion, ForbiddingToo) {
  const Json edge =
      json("fuse lenet --strategy mapping --forbid conv1:relu1 --edge conv1:relu1")["edges"][0];
  EXPECT_EQ(edge["reason"], "FORCED_APART");
  EXPECT_TRUE(edge["forced"]);
}

TEST_F(Fusion, MeasuringTimesBothPlansAndComparesTheirResults) {
  const Json what_if =
      json("fuse lenet --strategy none --force conv1:relu1 --measure --rounds 3 --threads 1");
  for (const Json& plan : what_if["plans"]) {
    EXPECT_EQ(plan["time"]["rounds"], 3);
    EXPECT_GT(plan["time"]["median_us"].get<double>(), 0);
    EXPECT_EQ(plan["agrees"], true);
  }
  refused("fuse lenet --measure", 2, "--measure compares plans");
  refused("fuse lenet --compare none,dp --measure --threads 100000", 2, "LG8001");
  refused("bench lenet --threads 100000", 2, "LG8001");
  EXPECT_THAT(run("fuse lenet --compare none,dp --measure --rounds 3").out,
              HasSubstr("minimum time"));
}

TEST_F(Fusion, IllegalForcesAreRefusedWithTheReason) {
  refused("fuse lenet --force fc1:nothing", 2, "LG3002");
  refused("fuse lenet --force conv1:relu2", 2, "it is read by relu1");
  refused("fuse lenet --force conv1:relu1 --forbid conv1:relu1", 3,
          "conv1:relu1 is forced and forbidden");
  refused("run lenet --force fc1:relu2", 2, "LG3002");
}

TEST_F(Fusion, APartitionByHandReachesEveryCommand) {
  const std::string file =
      edits("base none\nmerge conv1, relu1, pool1\nmerge fc1, relu3  // as usual\nsplit pool1\n");
  const Json plan = json("fuse lenet --explain --edits " + file);
  EXPECT_EQ(plan["strategy"], "manual");
  EXPECT_EQ(plan["reasons"]["FUSED"], 2);
  EXPECT_EQ(plan["reasons"]["SPLIT_BY_HAND"], 1);
  EXPECT_THAT(run("emit fusion lenet --edits " + file).out, HasSubstr("conv1*, relu1"));
  for (const char* command :
       {"run lenet", "bench lenet --rounds 1", "memory lenet", "fuse lenet"}) {
    const Said said = run(std::string(command) + " --edits " + file);
    EXPECT_EQ(said.exit_code, 0) << command << ": " << said.error;
  }
  EXPECT_EQ(json("fuse lenet --edits " + file)["plans"][0]["strategy"], "none");
  EXPECT_EQ(
      json("fuse lenet --explain --edit 'merge fc2, relu4' --edits " + file)["reasons"]["FUSED"],
      3);
}

TEST_F(Fusion, EditsThatCannotBeMadeAreRefused) {
  refused("fuse lenet --edits " + edits("merge conv1, relu2"), 3, "EXTERNAL");
  refused("fuse lenet --edits " + edits("marge conv1, relu1"), 3, "LG9001");
  refused("fuse lenet --edits " + edits("base none pin conv1 merge conv1, relu1"), 3, "PINNED");
  refused("fuse lenet --strategy dp --edits " + edits("base none"), 2, "--strategy says 'dp'");
  refused("fuse lenet --edits nowhere.txt", 3, "cannot be read");
}

TEST_F(Fusion, StrategiesAreCompared) {
  const Json compared = json("fuse lenet --compare none,mapping,dp");
  ASSERT_EQ(compared["plans"].size(), 3u);
  EXPECT_EQ(compared["plans"][0]["fusion_rate"], 1);
  EXPECT_EQ(compared["plans"][0]["operator_count"], compared["plans"][1]["operator_count"]);
  for (const Json& plan : compared["plans"]) {
    EXPECT_NEAR(plan["fusion_rate"].get<double>(),
                plan["operator_count"].get<double>() / plan["kernel_count"].get<double>(), 1e-9);
    EXPECT_GT(plan["estimated_us"].get<double>(), 0);
    EXPECT_LE(plan["written_bytes"], compared["plans"][0]["written_bytes"]);
  }
  ASSERT_FALSE(compared["differing_edges"].empty());
  EXPECT_EQ(compared["calibrated"], false);
  EXPECT_THAT(run("fuse lenet --compare none,dp").out, HasSubstr("`loopglassc calibrate`"));
  for (const Json& edge : compared["differing_edges"]) EXPECT_EQ(edge["verdicts"].size(), 3u);
  EXPECT_THAT(run("fuse lenet --compare none,mapping").out, HasSubstr("operators per kernel"));
  refused("fuse lenet --compare none", 2, "two strategies");
  refused("fuse lenet --compare none,some", 2, "LG4003");
  EXPECT_EQ(run("fuse lenet --compare none,dp --explain").exit_code, 2);
}

TEST_F(Fusion, StepsAreToldInOrder) {
  const Json told = json("fuse lenet --strategy mapping --steps");
  ASSERT_FALSE(told["steps"].empty());
  EXPECT_EQ(told["steps"][0]["kind"], "seed");
  std::size_t merges = 0;
  for (const Json& step : told["steps"]) {
    merges += step["kind"] == "merge" ? 1 : 0;
    EXPECT_FALSE(step["sentence"].get<std::string>().empty());
  }
  EXPECT_GT(merges, 0u);
  EXPECT_THAT(run("fuse lenet --strategy none --steps").out,
              HasSubstr("this strategy took no steps; 13 kernels (none, heuristic)"));
}

}  // namespace
}  // namespace loopglass::app
