// What shells offer, asked of the shells themselves where they are installed.
#include "tests/cli/command_line.h"

#include <algorithm>
#include <set>

namespace loopglass::app {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

class Completion : public CommandLine {
 protected:
  static bool is_installed(const std::string& shell) {
    return std::system(("command -v " + shell + " >/dev/null").c_str()) == 0;
  }

  // Lines that the shell prints when it runs the text.
  std::vector<std::string> said_by(const std::string& shell, const std::string& text) const {
    const auto script = folder_ / "script", out = folder_ / "said";
    std::ofstream(script) << text;
    const std::string command =
        shell + " " + script.string() + " >" + out.string() + " 2>" + (folder_ / "error").string();
    EXPECT_EQ(std::system(command.c_str()), 0) << read(folder_ / "error");
    EXPECT_EQ(read(folder_ / "error"), "") << text;
    std::vector<std::string> lines;
    std::istringstream said(read(out));
    for (std::string line; std::getline(said, line);) lines.push_back(line);
    return lines;
  }
  // What bash puts for the last word of the line.
  std::vector<std::string> in_bash(const std::string& line) const {
    return said_by("bash", "source <(" + std::string(LOOPGLASSC) +
                               " completion bash)\n"
                               "COMP_LINE='" +
                               line +
                               "' COMP_POINT=${#COMP_LINE}\n"
                               "COMP_WORDBREAKS=$' \\t\\n\"\\'@><=;|&(:'\n"
                               "_loopglassc\n"
                               "for word in \"${COMPREPLY[@]}\"; do echo \"$word\"; done\n");
  }
  // What fish offers for it, each with a tab and a description behind.
  std::vector<std::string> in_fish(const std::string& line) const {
    auto offers = said_by("fish --no-config", std::string(LOOPGLASSC) +
                                                  " completion fish | source\n"
                                                  "complete -C '" +
                                                  line + "'\n");
    for (std::string& offer : offers) offer.resize(std::min(offer.size(), offer.find('\t')));
    return offers;
  }
};

TEST_F(Completion, OfBash) {
  EXPECT_EQ(in_bash("loopglassc em"), std::vector<std::string>{"emit"});
  EXPECT_THAT(in_bash("loopglassc "), IsSupersetOf({"run", "help", "completion"}));
  EXPECT_EQ(in_bash("loopglassc --color al"), std::vector<std::string>{"always"});
  EXPECT_EQ(in_bash("loopglassc --color always em"), std::vector<std::string>{"emit"});
  EXPECT_THAT(in_bash("loopglassc emit "), IsSupersetOf({"graph", "asm"}));
  EXPECT_EQ(in_bash("loopglassc emit graph len"), std::vector<std::string>{"lenet"});
  EXPECT_EQ(in_bash("loopglassc emit graph --kernel 0 len"), std::vector<std::string>{"lenet"});
  EXPECT_EQ(in_bash("loopglassc emit graph lenet --ste"), std::vector<std::string>{"--step"});
  EXPECT_THAT(in_bash("loopglassc fuse lenet --strategy "), Contains("dp"));
  EXPECT_EQ(in_bash("loopglassc fuse lenet --strategy=domin"),
            std::vector<std::string>{"dominator"});
  EXPECT_EQ(in_bash("loopglassc tune lenet --search dropl"), std::vector<std::string>{"droplet"});
  // A list goes on behind its last comma, and a preset behind its sign.
  EXPECT_EQ(in_bash("loopglassc run lenet --without simplify,reassoc"),
            std::vector<std::string>{"simplify,reassociate"});
  EXPECT_EQ(in_bash("loopglassc run lenet --passes @canon"), std::vector<std::string>{"canonical"});
  EXPECT_THAT(in_bash("loopglassc lens lenet --at "), IsSupersetOf({"input", "last", "simplify"}));
}

TEST_F(Completion, OfBashHasFiles) {
  std::ofstream(folder_ / "model.onnx").flush();
  const std::string begun = (folder_ / "mod").string();
  EXPECT_EQ(in_bash("loopglassc run " + begun), std::vector{(folder_ / "model.onnx").string()});
  EXPECT_EQ(in_bash("loopglassc run lenet --edits " + begun),
            std::vector{(folder_ / "model.onnx").string()});
  EXPECT_TRUE(in_bash("loopglassc run lenet --strategy " + begun).empty());
}

// What bash knows is what the help says, command by command.
TEST_F(Completion, HasAllOptions) {
  for (const std::string& command : in_bash("loopglassc ")) {
    const std::string help = run("help " + command).out;
    for (const std::string& option : in_bash("loopglassc " + command + " --"))
      EXPECT_THAT(help, ::testing::HasSubstr(option)) << command;
  }
}

TEST_F(Completion, OfFish) {
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed";
  EXPECT_THAT(in_fish("loopglassc em"), Contains("emit"));
  EXPECT_THAT(in_fish("loopglassc emit gr"), Contains("graph"));
  EXPECT_THAT(in_fish("loopglassc emit graph lenet --ste"), Contains("--step"));
  EXPECT_THAT(in_fish("loopglassc fuse lenet --strategy domin"), Contains("dominator"));
  EXPECT_THAT(in_fish("loopglassc run lenet --without simplify,reassoc"),
              Contains("simplify,reassociate"));
}

// Its completion only works while a line is edited: here the script is read, and what it says of a
// command is what _arguments takes.
TEST_F(Completion, OfZsh) {
  if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  const std::string script = run("completion zsh").out;
  EXPECT_THAT(said_by("zsh -f", "compdef() { echo registered $2 }\n" + script +
                                    "\necho $+functions[_loopglassc]\n"),
              ::testing::ElementsAre("registered loopglassc", "1"));
  EXPECT_THAT(said_by("zsh -f", "compdef() { }\n" + script +
                                    "_arguments() {\n"
                                    "  if [ -n \"$state\" ]; then print -l -- \"$@\"\n"
                                    "  else state=arguments words=(emit); fi\n}\n"
                                    "state=\n_loopglassc\n"),
              Contains(::testing::HasSubstr("--step=[")));
}

}  // namespace
}  // namespace loopglass::app
