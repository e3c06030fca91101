// Schedules on the command line: the reference, scripts given to kernels and taken from them, and
// whether a primitive may be applied.
#include "tests/cli/command_line.h"

#include <algorithm>

namespace loopglass::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Schedules : public CommandLine {
 protected:
  std::string script(const std::string& name, const std::string& text) const {
    const auto path = folder_ / name;
    std::ofstream(path) << text;
    return path.string();
  }
};

// SAMPLE_MACHINE.schedule: what is written by hand for the sample computes what the sample does.
TEST_F(Schedules, OfSamplesComputeTheSame) {
  int tried = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(LOOPGLASS_SOURCE_DIR "/samples/kernels")) {
    if (file.path().extension() != ".schedule") continue;
    const std::string stem = file.path().stem().string();
    const std::string sample = stem.substr(0, stem.find_last_of('_'));
    const Json by_default = json("run " + sample)["outputs"],
               by_hand = json("run " + sample + " --schedule " + file.path().string())["outputs"];
    ASSERT_EQ(by_hand.size(), by_default.size()) << stem;
    for (std::size_t i = 0; i < by_hand.size(); ++i) {
      for (const char* number : {"minimum", "maximum", "mean"})
        EXPECT_NEAR(by_hand[i][number].get<double>(), by_default[i][number].get<double>(), 1e-3)
            << stem << " " << number;
      for (std::size_t e = 0; e < by_hand[i]["first"].size(); ++e)
        EXPECT_NEAR(by_hand[i]["first"][e].get<double>(), by_default[i]["first"][e].get<double>(),
                    1e-3)
            << stem << " " << e;
    }
    ++tried;
  }
  EXPECT_GE(tried, 2);
}

// The nest before the first line, and after each.
TEST_F(Schedules, AreWalkedThroughLineByLine) {
  const Json kernels = json("emit loops matmul --schedule " LOOPGLASS_SOURCE_DIR
                            "/samples/kernels/matmul_walk.schedule --every-step")["kernels"];
  ASSERT_EQ(kernels.size(), 7u);
  const char* const lines[] = {"initial", "split", "split", "reorder", "tile", "vectorize", "bind"};
  for (std::size_t step = 0; step < kernels.size(); ++step) {
    EXPECT_THAT(kernels[step]["title"].get<std::string>(), HasSubstr(lines[step]));
    if (step > 0) {
      EXPECT_NE(kernels[step]["lines"], kernels[step - 1]["lines"]);
    }
  }
  refused("emit loops matmul --every-step --step 1", 2, "--every-step");
  refused("emit asm matmul --every-step", 2, "loops, lowered");
}

TEST_F(Schedules, PrimitivesAreListedAndExplained) {
  const Json all = json("primitives")["primitives"];
  EXPECT_GT(all.size(), 15u);
  for (const Json& primitive : all) {
    EXPECT_FALSE(primitive["doc"].get<std::string>().empty()) << primitive["name"];
    EXPECT_FALSE(primitive["parameters"].empty()) << primitive["name"];
    EXPECT_EQ(json("primitives " + primitive["name"].get<std::string>())["primitives"][0],
              primitive);
  }
  EXPECT_THAT(run("primitives split").out, HasSubstr("split(loop, factors, tail?)"));
  refused("primitives spilt", 2, "split");
}

// The nest as it was written first, and lines that speak of it by its own names.
TEST_F(Schedules, AKernelTakesAScriptAndComputesTheSame) {
  const std::string by_hand = script("by_hand", R"(// a matrix product
reorder([k, j])
j_o, j_i = split(j, [-1, 5])
vectorize(j_i)
)");
  const std::string initial = run("emit loops lenet --kernel 7 --step 0").out;
  ASSERT_THAT(initial, HasSubstr("for k in")) << initial;
  const Said scheduled = run("emit loops lenet --kernel 7 --schedule 7=" + by_hand);
  ASSERT_EQ(scheduled.exit_code, 0) << scheduled.error;
  EXPECT_THAT(scheduled.out, HasSubstr("for j_i in 5 vectorized"));
  const Json before = json("run lenet"), after = json("run lenet --schedule 7=" + by_hand);
  const double x = before["outputs"][0]["mean"], y = after["outputs"][0]["mean"];
  EXPECT_NEAR(x, y, 1e-5);
}

TEST_F(Schedules, AreWrittenAndReadBack) {
  const std::string file = (folder_ / "kept").string();
  ASSERT_EQ(run("emit loops lenet --kernel 0 --save-schedule 0=" + file).exit_code, 0);
  EXPECT_THAT(read(file), AllOf(StartsWith("// "), HasSubstr("vectorize(")));
  EXPECT_EQ(run("emit loops lenet --kernel 0 --schedule 0=" + file).out,
            run("emit loops lenet --kernel 0").out);
}

TEST_F(Schedules, AreNotWrittenToAFolderThatIsNotThere) {
  const std::filesystem::path missing = folder_ / "missing";
  refused("emit loops lenet --kernel 0 --save-schedule 0=" + (missing / "kept").string(), 3,
          "LG8002: the schedule cannot be written: there is no folder '" + missing.string() + "'");
  EXPECT_FALSE(std::filesystem::exists(missing));
}

TEST_F(Schedules, WhatIsWrongWithAScriptIsSaidWithItsPlace) {
  refused("emit loops lenet --schedule 7=" + script("typo", "splitt(j, [-1, 2])"), 3,
          "there is no primitive 'splitt'");
  refused("emit loops lenet --schedule 7=" + script("sum", "\nparallel(k)\n"), 3,
          "line 2: parallel(k)");
  refused("emit loops lenet --schedule 7=nowhere", 3, "the schedule in 'nowhere' cannot be read");
  refused("emit loops lenet --schedule " + script("any", ""), 2, "--schedule KERNEL=FILE");
  refused("emit loops lenet --schedule no=" + script("any", ""), 2, "there is no kernel 'no'");
}

TEST_F(Schedules, AScriptSaysWhichOtherKernelsItSchedules) {
  const std::string empty = script("empty", "");
  EXPECT_THAT(
      run("emit loops encoder --kernel 11 --schedule 11=" + empty).error,
      HasSubstr("note: the script of reducemean_11 also schedules 1 kernel that computes the "
                "same: reducemean_17 (17)\n"));
  EXPECT_THAT(run("emit loops encoder --kernel 2 --schedule 2=" + empty).error,
              HasSubstr("also schedules 2 kernels that compute the same: fused_matmul_add_0 (0), "
                        "fused_matmul_add_4 (4)\n"));
  EXPECT_THAT(run("emit loops encoder --kernel 7 --schedule 7=" + empty).error,
              ::testing::Not(HasSubstr("also schedules")));
}

TEST_F(Schedules, LegalSaysYesOrNoAndShowsTheClash) {
  const std::string empty = script("empty", "");
  const std::string of = "legal lenet --kernel 7 --schedule 7=" + empty + " ";
  EXPECT_TRUE(json(of + "'split(j, [-1, 5])'")["legal"]);
  const Json sums = json(of + "'reorder([k, j])'");
  EXPECT_TRUE(sums["legal"]);
  EXPECT_EQ(sums["remark"], "") << "every sum is added up in the order it was";

  const Json no = json(of + "'vectorize(k)'", 1);
  EXPECT_FALSE(no["legal"]);
  EXPECT_EQ(no["code"], "LG5001");
  EXPECT_EQ(no["searched"], "derived");
  const Json &first = no["witness"]["first"], &second = no["witness"]["second"];
  EXPECT_EQ(first["loops"]["k"], 0);
  EXPECT_EQ(second["loops"]["k"], 1);
  EXPECT_TRUE(first["stores"]);
  const Said said = run(of + "'vectorize(k)'");
  EXPECT_EQ(said.exit_code, 1);
  EXPECT_THAT(said.out, AllOf(HasSubstr("not legal: vectorize(k)"), HasSubstr("first  block"),
                              HasSubstr("k = 1")));
  EXPECT_TRUE(said.error.empty()) << said.error;
}

// Legal, and not the last line of a script.
TEST_F(Schedules, LegalSaysWhatACopyOfSymbolicSizeStillNeeds) {
  const std::string of = "legal vector_add --schedule " + script("empty", "") + " ";
  const Json legal = json(of + "'cache_read(\"C\", \"A\", \"stack\")'");
  EXPECT_TRUE(legal["legal"]);
  EXPECT_THAT(legal["remark"].get<std::string>(), HasSubstr("it needs compute_at"));
  const Json known = json("legal matmul --schedule " + script("empty", "") +
                          " 'cache_read(\"C\", \"A\", \"stack\")'");
  EXPECT_EQ(known["remark"], "");
}

TEST_F(Schedules, LegalListsWhatALoopOffers) {
  const std::string empty = script("empty", "");
  const Json all = json("legal lenet --kernel 7 --schedule 7=" + empty + " --all k")["calls"];
  int legal = 0;
  for (const Json& row : all) {
    EXPECT_THAT(row["call"].get<std::string>(), HasSubstr("k"));
    EXPECT_EQ(row.contains("reason"), !row["legal"].get<bool>());
    legal += row["legal"].get<bool>() ? 1 : 0;
    if (row["call"] == "vectorize(k)") {
      EXPECT_EQ(row["witness"]["second"]["loops"]["k"], 1);
    }
  }
  EXPECT_GT(legal, 3);
  EXPECT_LT(legal, static_cast<int>(all.size()));
  refused("legal lenet --kernel 7 --all nobody", 2, "no loop, block or buffer is called so");
  refused("legal lenet --kernel 7 'split(oc, [-1, 2])'", 2, "take a name that the nest prints");
  refused("legal lenet --kernel 7", 2, "nothing is asked");
  refused("legal lenet 'split(i, [-1, 2])'", 2, "one is wanted");
  refused("legal lenet --kernel 7 'C = block(\"C\")'", 2, "is not one primitive");
}

}  // namespace
}  // namespace loopglass::app
