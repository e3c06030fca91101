// loopglassc export, end to end.
#include "tests/cli/command_line.h"

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

class ExportCommand : public CommandLine {
 protected:
  std::string in_folder(const std::string& name) const { return (folder_ / name).string(); }
};

TEST_F(ExportCommand, WritesEveryFormAndTellsSo) {
  for (const auto& [words, file, begin] : {std::tuple{"graph lenet", "g.svg", "<?xml"},
                                           {"graph lenet --step 0", "g.pdf", "%PDF"},
                                           {"domtree lenet --post", "d.png", "\x89PNG"},
                                           {"memory lenet --strategy none", "m.SVG", "<?xml"},
                                           {"bench mlp --rounds 3 --threads 1", "b.svg", "<?xml"},
                                           {"html mlp", "p.html", "<!DOCTYPE html>"}}) {
    const Said said = run(std::string("export ") + words + " -o " + in_folder(file));
    EXPECT_EQ(said.exit_code, 0) << words << said.error;
    EXPECT_THAT(said.out, HasSubstr(file));
    EXPECT_TRUE(read(in_folder(file)).starts_with(begin)) << words;
  }
  const Json told = json("export graph mlp -o " + in_folder("j.svg"));
  EXPECT_EQ(told["bytes"], std::filesystem::file_size(in_folder("j.svg")));
}

// The same plan as everywhere else.
TEST_F(ExportCommand, TakesWhatIsAskedOfThePlan) {
  ASSERT_EQ(run("export graph lenet --strategy none -o " + in_folder("none.svg")).exit_code, 0);
  // As a session asks for it.
  std::ofstream(in_folder("s.loopglass"))
      << R"({"loopglass_session": 4, "model": "lenet", "strategy": "none"})";
  ASSERT_EQ(
      run("export graph " + in_folder("s.loopglass") + " -o " + in_folder("session.svg")).exit_code,
      0);
  EXPECT_EQ(read(in_folder("session.svg")), read(in_folder("none.svg")));
  ASSERT_EQ(run("export graph lenet --forbid conv1:relu1 -o " + in_folder("forbid.svg")).exit_code,
            0);
  EXPECT_THAT(read(in_folder("none.svg")), HasSubstr("STRATEGY_NONE"));
  EXPECT_THAT(read(in_folder("forbid.svg")), HasSubstr("FORCED_APART"));
}

// What is said of a disk that is full is said of a file that may grow no further.
TEST_F(ExportCommand, WhereThereIsNoRoomNothingIsLeftAndItSaysSo) {
  ASSERT_EQ(run("samples").exit_code, 0);
  const std::string limited = "bash -c 'ulimit -f 1; exec " + std::string(LOOPGLASSC) +
                              " export graph lenet -o " + in_folder("g.svg") + "' 2>" +
                              in_folder("said");
  ASSERT_EQ(run("export graph lenet -o " + in_folder("room.svg")).exit_code, 0);
  EXPECT_EQ(WEXITSTATUS(std::system(limited.c_str())), 3);
  EXPECT_THAT(read(in_folder("said")), HasSubstr("LG8016: the exported file cannot be written"));
  EXPECT_THAT(read(in_folder("said")), HasSubstr("hint: "));
  EXPECT_FALSE(std::filesystem::exists(in_folder("g.svg")));
}

TEST_F(ExportCommand, Refusals) {
  refused("export graph lenet -o " + in_folder("g.txt"), 2,
          "LG8012: graph cannot be written as '.txt'");
  refused("export html lenet -o " + in_folder("g.svg"), 2, "the file's name ends in .html, .htm");
  refused("export graph lenet -o " + in_folder("noending"), 2, "has no ending");
  refused("export graph lenet", 2, "--output");
  refused("export graph lenet -o " + in_folder("missing/g.svg"), 3,
          "LG8013: the exported file cannot be written: there is no folder '" +
              in_folder("missing") + "'");
  EXPECT_FALSE(std::filesystem::exists(in_folder("missing")));
  refused("export picture lenet -o x.svg", 2, "picture");
  refused("export graph lenet -o " + in_folder("no/folder.svg"), 3, "LG8013");
  refused("export graph lenet --step 999 -o " + in_folder("g.svg"), 2, "step");
  refused("export graph no-such-model -o " + in_folder("g.svg"), 2, "no-such-model");
  refused("export graph lenet -o /dev/full/x.svg", 3, "LG8013");
}

// What is exported has a use for every option, or says which has.
TEST_F(ExportCommand, OptionsWithoutAnEffectAreRefused) {
  const std::string svg = " -o " + in_folder("g.svg"), page = " -o " + in_folder("p.html");
  for (const auto& [words, said] :
       {std::pair{"memory lenet --step 1" + svg, "--step is about graph, domtree and html"},
        {"bench lenet --step 1" + svg, "--step is about"},
        {"graph lenet --time" + svg, "--time is about html"},
        {"graph lenet --post" + svg, "--post is about domtree"},
        {"html lenet --post" + page, "--post is about domtree"},
        {"graph lenet --threads 2" + svg, "--threads is about what is timed"},
        {"graph lenet --color model --threads 2" + svg, "--color model is of one thread"},
        {"graph lenet --color bytes --rounds 3" + svg, "--rounds is about what is timed"},
        {"html lenet --rounds 3" + page, "--rounds is about what is timed"},
        {"memory lenet --fold blocks" + svg, "--fold is about the drawing of a graph"}})
    refused("export " + words, 2, said);
  EXPECT_FALSE(std::filesystem::exists(in_folder("g.svg")));
  EXPECT_EQ(run("export graph lenet --color time --rounds 2 --threads 1" + svg).exit_code, 0);
  EXPECT_EQ(run("export html mlp --time --rounds 2" + page).exit_code, 0);
}

// Without the window program beside it there is nothing that draws.
TEST_F(ExportCommand, SaysWhereTheWindowProgramIsMissing) {
  std::filesystem::create_directory(folder_ / "alone");
  const std::string alone = in_folder("alone/loopglassc");
  std::filesystem::copy_file(LOOPGLASSC, alone);
  const std::string command =
      alone + " export graph lenet -o " + in_folder("g.svg") + " 2>" + in_folder("said");
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_THAT(read(in_folder("said")), HasSubstr("LG8015"));
  EXPECT_FALSE(std::filesystem::exists(in_folder("g.svg")));
}

}  // namespace
}  // namespace loopglass::app
