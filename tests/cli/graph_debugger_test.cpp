// passes --trace and --break, diff and history as commands: what they print, what is JSON, how they
// end.
#include "tests/cli/command_line.h"

#include <algorithm>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

// Which rewrites there are changes as passes are added; so what is asked for is taken from the
// trace.
class GraphDebugger : public CommandLine {};

TEST_F(GraphDebugger, TheTraceHasEveryRewrite) {
  const Json steps = json("passes lenet")["steps"],
             trace = json("passes lenet --trace")["rewrites"];
  std::size_t rewrites = 0;
  for (const Json& step : steps) rewrites += step["rewrite_count"].get<std::size_t>();
  ASSERT_EQ(trace.size(), rewrites);
  ASSERT_GT(rewrites, 0u);
  for (const Json& rewrite : trace) {
    EXPECT_FALSE(rewrite["rule"].get<std::string>().empty());
    EXPECT_EQ(rewrite["pass"], steps[rewrite["step"].get<std::size_t>()]["pass"]);
    EXPECT_GE(rewrite["time_us"].get<double>(), 0);
    for (const Json& node : rewrite["consumed"])
      EXPECT_FALSE(node["name"].get<std::string>().empty());
    // Each is a place that other commands take.
    EXPECT_EQ(run("diff lenet input " + rewrite["position"].get<std::string>()).exit_code, 0);
  }
  EXPECT_THAT(run("passes lenet --trace").out, HasSubstr(trace[0]["rule"].get<std::string>()));
}

TEST_F(GraphDebugger, BreakpointsListTheirStops) {
  const Json stops = json("passes lenet --break remove --break 'create op=Conv'")["stops"];
  ASSERT_FALSE(stops.empty());
  for (const Json& stop : stops) {
    EXPECT_EQ(stop["stage"], "graph");
    EXPECT_THAT(stop["sentence"].get<std::string>(), HasSubstr(stop["node"].get<std::string>()));
  }
  const Said text = run("passes lenet --break 'remove op!=Conv'");
  EXPECT_THAT(text.out, HasSubstr("stops when a pass removes operators whose op is not Conv"));
  EXPECT_THAT(text.out, HasSubstr("1 stop\n"));
  const Json fused = json("passes lenet --break 'fuse op=Relu'")["stops"];
  ASSERT_FALSE(fused.empty());
  EXPECT_EQ(fused[0]["stage"], "fusion");
  EXPECT_TRUE(json("passes lenet --break 'create op=LSTM'")["stops"].empty());
}

TEST_F(GraphDebugger, BreakpointsThatAreNoneAreRefused) {
  refused("passes lenet --break 'create op=Cnov'", 2, "did you mean 'Conv'?");
  refused("passes lenet --break 'creat op=Conv'", 2, "LG8001");
  refused("passes lenet --break 'create in nothing op=Conv'", 2, "LG4002");
  refused("passes lenet --break 'change @nowhere'", 2, "LG3002");
  EXPECT_EQ(run("passes --break create").exit_code, 2);
  EXPECT_EQ(run("passes --trace").exit_code, 2);
}

TEST_F(GraphDebugger, DiffCountsWhatChanged) {
  const Json whole = json("diff lenet"), steps = json("passes lenet")["steps"];
  EXPECT_EQ(whole["before"]["position"], "0");
  EXPECT_EQ(whole["after"]["position"], std::to_string(steps.size() - 1));
  EXPECT_EQ(whole["after"]["operator_count"], steps.back()["operator_count"]);
  const Json& operators = whole["counts"][0];
  EXPECT_EQ(operators["name"], "operators");
  EXPECT_EQ(operators["delta"], operators["after"].get<int>() - operators["before"].get<int>());
  int added = 0, removed = 0;
  for (const Json& node : whole["nodes"]) {
    added += node["change"] == "added";
    removed += node["change"] == "removed";
  }
  EXPECT_EQ(added - removed, operators["delta"].get<int>());
  EXPECT_FALSE(whole.contains("text"));
  // The other way round, everything is the other way round.
  EXPECT_EQ(json("diff lenet last input")["counts"][0]["delta"], -operators["delta"].get<int>());
  const Json same = json("diff lenet 1 1 --text");
  EXPECT_TRUE(same["nodes"].empty());
  EXPECT_EQ(same["text"], "");
}

TEST_F(GraphDebugger, DiffTakesPlacesInTheMiddleOfAPass) {
  const Json trace = json("passes lenet --trace")["rewrites"];
  const std::string pass = trace[0]["pass"], step = std::to_string(trace[0]["step"].get<int>());
  EXPECT_EQ(json("diff lenet input " + step + ":1")["after"]["position"], trace[0]["position"]);
  EXPECT_EQ(json("diff lenet " + step + ":0 last")["before"]["position"], step + ":0");
  EXPECT_EQ(json("diff lenet " + step + ":0 " + step)["after"]["position"], step);
  EXPECT_EQ(json("diff lenet input " + pass)["after"]["place"].get<std::string>().find("step "),
            0u);
  const Said text = run("diff lenet input last --text");
  EXPECT_THAT(text.out, HasSubstr("@@ -"));
  EXPECT_THAT(text.out, HasSubstr("FLOP"));
  refused("diff lenet input 1000", 2, "LG8001");
  refused("diff lenet input nothing", 2, "LG8001");
  refused("diff lenet input " + step + ":1000", 2, "LG8001");
}

TEST_F(GraphDebugger, HistoryTellsWhatBecameOfAnOperator) {
  const Json gone = json("passes lenet --trace")["rewrites"][0]["consumed"][0];
  const std::string name = gone["name"];
  const Json history = json("history lenet '" + name + "'");
  EXPECT_EQ(history["node"], name);
  const Json& lives = history["lives"];
  const auto life = std::find_if(lives.begin(), lives.end(),
                                 [&](const Json& l) { return l["id"] == gone["id"]; });
  ASSERT_NE(life, lives.end());
  EXPECT_TRUE((*life)["imported"]);
  EXPECT_EQ((*life)["steps"].size(), json("passes lenet")["steps"].size());
  EXPECT_EQ((*life)["steps"][0]["state"], "created");
  EXPECT_FALSE((*life)["story"].empty());
  EXPECT_EQ(
      json("history lenet '#" + std::to_string(gone["id"].get<int>()) + "'")["lives"][0]["id"],
      gone["id"]);
  EXPECT_EQ(json("history lenet '" + name + "' --at input")["lives"].size(), 1u);
  EXPECT_THAT(run("history lenet '" + name + "'").out, HasSubstr("imported with the network"));
  refused("history lenet nowhere", 2, "LG3002");
  refused("history lenet '" + name + "' --at 1000", 2, "LG8001");
}

TEST_F(GraphDebugger, PresetsStandInTheTable) {
  bool has_default = false;
  const Json listed = json("passes");
  for (const Json& row : listed["passes"])
    if (row["level"] == "preset") has_default = has_default || row["name"] == "default";
  EXPECT_TRUE(has_default);
  EXPECT_THAT(run("passes").out, HasSubstr("presets of graph passes"));
}

TEST_F(GraphDebugger, AReaderThatHasSeenEnoughIsNoError) {
  // The reader is gone before the first line; each prints more than fits into a buffer, or less.
  for (const std::string words :
       {"passes lenet --trace", "passes lenet --trace --json", "ops", "ops --json",
        "diff lenet --text", "emit graph lenet --json", "samples", "passes --help"}) {
    const auto code = folder_ / "code", noise = folder_ / "noise";
    const std::string command = "(" + std::string(LOOPGLASSC) + " " + words + " 2>" +
                                noise.string() + "; echo $? >" + code.string() + ") | true";
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(read(code), "0\n") << words;
    EXPECT_EQ(read(noise), "") << words;
  }
}

}  // namespace
}  // namespace loopglass::app
