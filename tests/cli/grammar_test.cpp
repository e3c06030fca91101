// One grammar for all commands: places in a history, lists, and names, of which the nearest is
// told.
#include "tests/cli/command_line.h"

#include <regex>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Grammar : public CommandLine {
 protected:
  // Both print the same, and something.
  void same(const std::string& words, const std::string& others) const {
    const Said said = run(words), other = run(others);
    EXPECT_EQ(said.exit_code, 0) << words << ": " << said.error;
    EXPECT_FALSE(said.out.empty()) << words;
    EXPECT_EQ(said.out, other.out) << words << "\n" << others << ": " << other.error;
  }
  // The first step of the graph passes that made more rewrites than one.
  Json busy_step(const std::string& model) const {
    const Json passes = json("passes " + model);
    for (const Json& step : passes["steps"])
      if (step["rewrite_count"] > 1) return step;
    return {};
  }
};

// A place is written alike wherever one is asked for, and means the same.
TEST_F(Grammar, PlacesInTheGraphsHistory) {
  const std::string model = "mobilenet_v1";
  const Json step = busy_step(model);
  ASSERT_FALSE(step.is_null());
  const std::string name = step["pass"], number = std::to_string(step["step"].get<int>());
  same("emit graph " + model + " --step " + name, "emit graph " + model + " --step " + number);
  same("emit graph " + model + " --step " + name + "#1:1",
       "emit graph " + model + " --step " + number + ":1");
  same("emit graph " + model + " --step " + name + ":1",
       "emit graph " + model + " --stop-after " + name + ":1");
  same("emit graph " + model + " --step " + number + ":1",
       "emit graph " + model + " --stop-after " + number + ":1");
  same("emit graph " + model + " --step input", "emit graph " + model + " --stop-after 0");
  same("emit graph " + model + " --step last", "emit graph " + model + " --stop-after last");
  same("emit domtree " + model + " --step " + name + ":1",
       "emit domtree " + model + " --stop-after " + name + ":1");
  same("diff " + model + " input " + name + ":1", "diff " + model + " 0 " + number + ":1");
  same("lens " + model + " --at " + name, "lens " + model + " --at " + number);
}

TEST_F(Grammar, PlacesInAKernelsStages) {
  const std::string kernel = " matmul --kernel 0";
  same("emit lowered" + kernel + " --step place-allocations",
       "emit lowered" + kernel + " --step 2");
  same("emit llvm" + kernel + " --step emitted", "emit llvm" + kernel + " --step 0");
  same("emit llvm" + kernel + " --step input", "emit llvm" + kernel + " --step 0");
  same("emit machine" + kernel + " --step last", "emit machine" + kernel);
  same("emit loops" + kernel + " --step input", "emit loops" + kernel + " --step 0");
  const std::string loops = run("emit loops" + kernel + " --step split#2").out;
  static const std::regex title(R"(loop nest (\d+): .*split\()");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(loops, found, title)) << loops.substr(0, 200);
  const std::string number = found[1];
  same("locality" + kernel + " --step split#2", "locality" + kernel + " --step " + number);
  same("legal" + kernel + " --all --step split#2", "legal" + kernel + " --all --step " + number);
  refused("emit loops" + kernel + " --step split:1", 2, "has no middle to stop in");
  refused("emit lowered" + kernel + " --step place-alocations", 2, "'place-allocations'?");
  refused("emit loops" + kernel + " --step 1000", 2, "there is no step 1000");
  refused("emit loops" + kernel + " --step split#99", 2, "'split' ran");
}

TEST_F(Grammar, WhatIsNoPlace) {
  for (const std::string place : {"3:", ":3", "#2", "simplify#0", "simplify#x", "a b:c", "3#2",
                                  "simplify:-1", "99999999999999999999"})
    for (const std::string words : {"emit graph lenet --step", "passes lenet --stop-after",
                                    "lens lenet --at", "history lenet conv1 --at"})
      EXPECT_EQ(run(words + " '" + place + "'").exit_code, 2) << words << " " << place;
  refused("passes lenet --stop-after simplfy", 2, "did you mean 'simplify'?");
  refused("passes lenet --stop-after simplify#99", 2, "'simplify' ran");
  refused("passes lenet --stop-after 99", 2, "has no step 99");
  refused("passes lenet --stop-after last:2", 2, "known when all have been made");
  refused("passes lenet --stop-after input:1", 2, "cannot stop after 1 rewrites");
  refused("diff lenet simplfy", 2, "did you mean 'simplify'?");
}

// Options that take a list take commas, or are said again; what may have commas itself stays whole.
TEST_F(Grammar, Lists) {
  same("emit graph yolov4 --without fold-batch-norm,simplify",
       "emit graph yolov4 --without fold-batch-norm --without simplify");
  same("emit asm matmul --without-llvm licm,loop-unroll",
       "emit asm matmul --without-llvm loop-unroll --without-llvm licm");
  same("fuse lenet --forbid conv1:relu1,conv2:relu2",
       "fuse lenet --forbid conv1:relu1 --forbid conv2:relu2");
  same("fuse lenet --compare dp,none", "fuse lenet --compare dp --compare none");
  refused("emit graph vector_add --set n=7,m=9", 3, "no symbol 'm'");
  // The word behind a list is MODEL.
  same("emit graph --without simplify lenet", "emit graph lenet --without simplify");
  refused("run lenet --shape 'a,b=1x3'", 3, "'a,b'");
  refused("passes lenet --without simplify,nothing", 2, "'nothing'");
}

TEST_F(Grammar, PresetsStandWithOrWithoutTheirSign) {
  same("emit graph lenet --passes @canonical", "emit graph lenet --passes canonical");
  EXPECT_THAT(run("passes").out, HasSubstr("\n  @canonical "));
  EXPECT_THAT(run("explain @canonical").out, HasSubstr("@canonical (preset of graph passes): "));
  refused("passes lenet --passes @canonicle", 2, "did you mean 'canonical'?");
  refused("passes lenet --passes simplfy", 2, "did you mean 'simplify'?");
}

// What CLI11 would say of its types is not shown to people.
TEST_F(Grammar, WhatIsMissingOrTooMuchIsNamed) {
  refused("emit loops lenet --without", 2, "--without wants a value behind it");
  refused("run lenet lenet", 2, "'run' has no place for 'lenet'");
  refused("", 2, "which command?");
  refused("--color always", 2, "which command?");
}

TEST_F(Grammar, TheNearestNameIsTold) {
  const std::pair<const char*, const char*> rows[] = {
      {"fues lenet", "'fuse'"},
      {"help fues", "'fuse'"},
      {"emit lops lenet", "'loops'"},
      {"emit loops lenet --stpe 1", "'--step'"},
      {"fuse lenet --sumary", "'--summary'"},
      {"run lenet --thread=2", "'--threads'"},
      {"passes lenet --without simplfy", "'simplify'"},
      {"fuse lenet --strategy dominater", "'dominator'"},
      {"fuse lenet --compare dp,nome", "'none'"},
      {"fuse lenet --sort byte", "'bytes'"},
      {"run lente", "'lenet'"},
      {"samples lente", "'lenet'"},
      {"ops Cnov", "'Conv'"},
      {"primitives spilt", "'split'"},
      {"explain SINK_KNID", "'SINK_KIND'"},
      {"roofline lenet --experiment near-date", "'near-data'"},
      {"bench lenet --against onedn", "'onednn'"},
      {"tune lenet --search droplte", "'droplet'"},
      {"tune lenet --space sketsh", "'sketch'"},
      {"compare lenet --toggle simplfy", "'simplify'"},
      {"completion bsah", "'bash'"},
      {"explain @canonicle", "'@canonical'"},
      {"passes lenet --break 'create in simplfy op=Conv'", "'simplify'"}};
  for (const auto& [words, nearest] : rows)
    refused(words, 2, "did you mean " + std::string(nearest) + "?");
  // These depend on what the model has in it.
  refused("emit te lenet --kernel fused_conv_relu_9", 2, "did you mean 'fused_conv_relu_");
  refused("history lenet cnov1", 2, "did you mean 'conv1'?");
}

class Help : public CommandLine {};

TEST_F(Help, IsThatOfTheCommand) {
  EXPECT_EQ(run("help").out, run("--help").out);
  EXPECT_EQ(run("help fuse").out, run("fuse --help").out);
  EXPECT_EQ(run("help").exit_code, 0);
}

TEST_F(Help, ShowsACommandsOwnOptionsFirst) {
  const std::string help = run("help fuse").out;
  std::size_t before = 0;
  for (const char* part : {"\nOptions\n", "--edge", "--summary", "\nThe model\n", "--shape",
                           "\nPasses\n", "--without", "\nThe fusion plan\n", "--strategy"}) {
    const std::size_t at = help.find(part, before);
    ASSERT_NE(at, std::string::npos) << part;
    before = at;
  }
}

TEST_F(Help, FitsTheTerminal) {
  for (const int columns : {80, 120}) {
    ::setenv("COLUMNS", std::to_string(columns).c_str(), 1);
    std::size_t widest = 0;
    for (const std::string command : {"run", "tune", "export", "roofline"}) {
      std::istringstream help(run("help " + command).out);
      for (std::string line; std::getline(help, line);) widest = std::max(widest, line.size());
    }
    ::unsetenv("COLUMNS");
    EXPECT_LE(widest, static_cast<std::size_t>(columns));
    EXPECT_GT(widest, static_cast<std::size_t>(columns) - 12);
  }
}

}  // namespace
}  // namespace loopglass::app
