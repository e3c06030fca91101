// lens, bisect and compare as commands: what they print, what is JSON, and how they end.
#include "tests/cli/command_line.h"

namespace loopglass::app {
namespace {

TEST_F(CommandLine, DebuggerCommandsRefuseWithAHint) {
  for (const char* words :
       {"lens lenet --at 99", "lens lenet --at nothing", "lens lenet --at input:1",
        "lens lenet --bins 0", "bisect lenet 3 3", "bisect lenet --by cycles",
        "bisect lenet --tolerance -1", "compare lenet",
        "compare lenet --against none --toggle simplify",
        "compare lenet --passes none --toggle simplify", "compare lenet --toggle nothing",
        "compare lenet --against nothing", "bisect nosuchsample", "lens lenet nothing"})
    EXPECT_EQ(run(words).exit_code, 2) << words;
  EXPECT_EQ(run("lens lenet --input image=missing.pb").exit_code, 3);
}

TEST_F(CommandLine, LensShowsValues) {
  const Said table = run("lens mlp");
  EXPECT_EQ(table.exit_code, 0) << table.error;
  EXPECT_NE(table.out.find("deviation"), std::string::npos);
  const Json all = json("lens mlp --at input");
  EXPECT_EQ(all["position"], "0");
  const Json last = all["values"].back();
  EXPECT_EQ(last["type"], "float32[1x10]");
  EXPECT_EQ(last["first"].size(), 8u);
  EXPECT_EQ(last["histogram"].size(), 32u);
  EXPECT_EQ(last["nan"], 0);
  // The same seed shows the same.
  const Json one =
      json("lens mlp " + last["name"].get<std::string>() + " --at input --bins 5 --first 2");
  ASSERT_EQ(one["values"].size(), 1u);
  EXPECT_EQ(one["values"][0]["mean"], last["mean"]);
  EXPECT_EQ(one["values"][0]["histogram"].size(), 5u);
  EXPECT_NE(json("lens mlp --at input --seed 2")["values"].back()["mean"], last["mean"]);
}

TEST_F(CommandLine, LensComparesTwoPlaces) {
  const Json compared = json("lens lenet --against input");
  EXPECT_TRUE(compared["first_divergence"].is_null());
  EXPECT_EQ(compared["diverging_count"], 0);
  EXPECT_EQ(compared["incomparable_count"], 0);  // through layouts
  EXPECT_GT(compared["values"].size(), 5u);
  EXPECT_EQ(run("lens lenet --against input").exit_code, 0);
  const Json named = json("lens lenet conv1 --against input --bins 5 --first 2");
  for (const char* place : {"here", "there"}) {
    ASSERT_EQ(named[place].size(), 1u);
    EXPECT_EQ(named[place][0]["type"], "float32[1x6x28x28]");
    EXPECT_EQ(named[place][0]["histogram"].size(), 5u);
    EXPECT_EQ(named[place][0]["first"].size(), 2u);
  }
  const std::string text = run("lens lenet conv1 --against input").out;
  EXPECT_NE(text.find("conv1 at step 0 (input): float32[1x6x28x28]"), std::string::npos);
  EXPECT_NE(text.find("deviation", text.find("deviation") + 1), std::string::npos);
}

TEST_F(CommandLine, BisectFindsNothingWhereNothingIsWrong) {
  const Json report = json("bisect lenet");
  EXPECT_EQ(report["outcome"], "no-disagreement");
  EXPECT_TRUE(report["culprit"].is_null());
}

TEST_F(CommandLine, CompareSetsTwoPipelinesSideBySide) {
  const Json compared = json("compare lenet --against none --bench --rounds 3 --threads 1");
  EXPECT_TRUE(compared["agree"]);
  EXPECT_EQ(compared["right"]["step_count"], 0);
  EXPECT_EQ(compared["timeline"].size(), compared["left"]["step_count"].get<std::size_t>() + 1);
  EXPECT_TRUE(compared["timeline"][0]["same_graph"]);
  EXPECT_TRUE(compared["timeline"][1]["right"].is_null());
  for (const char* side : {"left", "right"}) {
    EXPECT_GT(compared[side]["kernel_count"], 0) << side;
    EXPECT_GT(compared[side]["arena_bytes"], 0) << side;
    EXPECT_EQ(compared[side]["time"]["rounds"], 3) << side;
  }
  const Said toggled = run("compare lenet --toggle simplify");
  EXPECT_EQ(toggled.exit_code, 0) << toggled.error;
  EXPECT_NE(toggled.out.find("default without simplify"), std::string::npos);
}

}  // namespace
}  // namespace loopglass::app
