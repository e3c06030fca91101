// A session in the place of a model: what was asked in the window is asked again on the command
// line.
#include "core/kernel/schedules.h"
#include "core/loop/text.h"
#include "tests/cli/command_line.h"

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SessionCommand : public CommandLine {
 protected:
  // A session of LeNet with these members beside.
  std::string session(const std::string& members = "", const char* name = "work.loopglass") const {
    std::ofstream(folder_ / name) << R"({"loopglass_session": 1, "model": "lenet")" << members
                                  << "}";
    return (folder_ / name).string();
  }
};

// The plan that a session asks for is that of the same words.
TEST_F(SessionCommand, ReplaysAsTheSameOptionsWrittenOut) {
  struct Case {
    const char *members, *words;
  };
  const Case cases[] = {
      {"", "lenet"},
      {R"(, "strategy": "dp")", "lenet --strategy dp"},
      {R"(, "passes": "fold-constants, simplify, recompute", "memory_limit": 65536)",
       "lenet --passes 'fold-constants, simplify, recompute' --memory-limit 65536"},
      {R"(, "strategy": "none", "force": ["conv1:relu1"], "forbid": ["conv2:relu2"])",
       "lenet --strategy none --force conv1:relu1 --forbid conv2:relu2"},
      {R"(, "strategy": "manual", "edits": {"base": "none", "edits": ["merge conv1, relu1", "pin fc1"]})",
       "lenet --strategy none --edit 'merge conv1, relu1' --edit 'pin fc1'"},
  };
  for (const Case& each : cases) {
    const std::string file = session(each.members);
    for (const char* view : {"", " --summary", " --explain"}) {
      const Said replayed = run("fuse " + file + view + " --json");
      const Said written = run(std::string("fuse ") + each.words + view + " --json");
      EXPECT_EQ(replayed.exit_code, 0) << each.words << replayed.error;
      EXPECT_EQ(replayed.out, written.out) << each.words << view;
    }
    EXPECT_EQ(run("memory " + file).out, run(std::string("memory ") + each.words).out);
    // And the command that it prints is such a one.
    const Json printed = json("session " + file);
    const std::string fuse = printed["commands"].back();
    EXPECT_EQ(run(fuse.substr(std::string("loopglassc ").size()) + " --json").out,
              run("fuse " + file + " --json").out)
        << fuse;
  }
}

// What is printed to be pasted into a shell is what the session holds, whatever that is.
TEST_F(SessionCommand, NoWordOfASessionGetsLooseInAShell) {
  const std::string file = session(
      R"!(, "strategy": "none; touch loose #", "view": {"beside": {"show": "strategy", "what": "$(touch loose)"}})!");
  const Said said = run("session " + file);
  ASSERT_EQ(said.exit_code, 0) << said.error;
  EXPECT_THAT(said.out, HasSubstr("--compare 'none; touch loose #,$(touch loose)'"));
}

TEST_F(SessionCommand, SaysHowTheGraphIsShown) {
  const std::string file = session(
      R"(, "view": {"folds": {"by": "blocks", "kernels": true}, "colors": "time", "workspace": "fusion"},
         "edits": {"base": "none", "edits": ["merge conv1, relu1"]})");
  const std::string said = run("session " + file).out;
  EXPECT_THAT(said, HasSubstr("folded      by blocks, kernels are boxes\n"));
  EXPECT_THAT(said, HasSubstr("colours     time\n"));
  EXPECT_THAT(said, HasSubstr("workspace   fusion\n"));
  EXPECT_THAT(said, HasSubstr("(not in use)"));
}

TEST_F(SessionCommand, WhatTheCommandLineSaysGoesBefore) {
  const std::string file = session(
      R"(, "strategy": "dp", "force": ["conv1:relu1"], "passes": "fold-constants", "shapes": [{"input": "image", "shape": [1, 1, 28, 28]}])");
  EXPECT_EQ(
      json("fuse --summary " + file + " --strategy none --forbid conv1:relu1 --passes simplify"),
      json("fuse --summary lenet --strategy none --forbid conv1:relu1 --passes simplify"));
  const std::string edited = session(
      R"(, "strategy": "manual", "edits": {"base": "none", "edits": ["merge conv1, relu1"]})",
      "edited.loopglass");
  EXPECT_EQ(json("fuse --summary " + edited + " --edit 'merge conv2, relu2'"),
            json("fuse --summary lenet --strategy none --edit 'merge conv1, relu1' --edit 'merge "
                 "conv2, relu2'"));
  EXPECT_EQ(json("fuse --summary " + edited + " --strategy dp"),
            json("fuse --summary lenet --strategy dp --edit 'merge conv1, relu1'"));
}

// Its schedules go where kernels are scheduled, and those of the command line come after.
TEST_F(SessionCommand, SchedulesKernelsAsTheWindowDid) {
  const std::string nest = run("emit loops vector_add --step 0").out;
  const auto session_of = [&](const std::string& script) {
    Json json{{"loopglass_session", 2}, {"model", "vector_add"}};
    const std::string workload =
        kernel::workload_of(loop::nameless_form(loop::parse(nest).value()));
    json["schedules"] = {{{"kernel", "vector_add"}, {"workload", workload}, {"script", script}}};
    json["workloads"][workload] = nest;
    std::ofstream(folder_ / "work.loopglass") << json;
    return (folder_ / "work.loopglass").string();
  };
  const std::string file = session_of("i_o, i_i = split(i, [-1, 4])\n");
  EXPECT_THAT(run("emit schedule " + file).out, HasSubstr("split(i, [-1, 4])"));
  EXPECT_THAT(run("emit loops " + file).out, HasSubstr("for i_i in 4 {"));
  std::ofstream(folder_ / "own.schedule") << "i_o, i_i = split(i, [-1, 2])\n";
  EXPECT_THAT(
      run("emit schedule " + file + " --schedule " + (folder_ / "own.schedule").string()).out,
      HasSubstr("split(i, [-1, 2])"));
  refused("emit schedule " + session_of("splt(i)\n"), 3, "there is no primitive 'splt'");
  EXPECT_THAT(run("tune --trials 1 " + file).error,
              HasSubstr("note: the schedules of the session are left out here"));
}

TEST_F(SessionCommand, AModelThatIsGoneIsNamedWithItsSession) {
  const std::string file = (folder_ / "work.loopglass").string();
  std::ofstream(file) << R"({"loopglass_session": 1, "model": "lennet"})";
  refused("fuse " + file, 3, "LG8011");
  EXPECT_THAT(run("fuse " + file).error, HasSubstr("work.loopglass"));
}

TEST_F(SessionCommand, CommandsWithoutPlansSayWhatTheyLeaveOut) {
  const std::string file = session(R"(, "force": ["conv1:relu1"])");
  const Said said = run("passes " + file + " --summary");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_THAT(said.error, HasSubstr("edges and edits of the session are left out"));
  refused("fuse " + file + " --subgraph if1.then_branch", 2,
          "edges and edits of the session are of the model's own graph");
}

TEST_F(SessionCommand, PrintsWhatIsInOne) {
  const std::string file = session(
      R"(, "place": {"at": "fold-constants", "selected": {"what": "operators", "names": ["conv1"]}},
          "breakpoints": [{"break": "remove op=Relu"}, {"break": "change @conv1", "enabled": false}],
          "bookmarks": [{"name": "here", "at": "input"}])");
  const Said said = run("session " + file);
  EXPECT_EQ(said.exit_code, 0) << said.error;
  EXPECT_THAT(said.out, HasSubstr("model       lenet\n"));
  EXPECT_THAT(said.out, HasSubstr("breakpoint  change @conv1 (off)\n"));
  EXPECT_THAT(said.out, HasSubstr("bookmark    here (input)\n"));
  EXPECT_THAT(said.out, HasSubstr("  loopglassc passes lenet --break 'remove op=Relu'\n"));
  EXPECT_THAT(said.out, HasSubstr("  loopglassc diff lenet input fold-constants\n"));
  EXPECT_THAT(said.out, HasSubstr("  loopglassc fuse lenet\n"));
  const Json session = json("session " + file);
  for (const Json& command : session["commands"])
    EXPECT_EQ(run(command.get<std::string>().substr(std::string("loopglassc ").size())).exit_code,
              0)
        << command;
}

TEST_F(SessionCommand, ASecondCanvasIsACommandToo) {
  const auto of = [&](const std::string& beside) {
    return session(R"(, "view": {"beside": )" + beside + "}");
  };
  const std::string step = of(R"({"show": "step", "what": "input"})");
  EXPECT_THAT(run("session " + step).out, HasSubstr("other view  step input\n"));
  EXPECT_EQ(json("session " + step)["commands"].back(), "loopglassc diff lenet input last");
  EXPECT_EQ(json("session " + of(R"({"show": "strategy", "what": "dp"})"))["commands"].back(),
            "loopglassc fuse lenet --compare dominator,dp");
  EXPECT_EQ(json("session " + of(R"({"show": "passes", "what": "none"})"))["commands"].back(),
            "loopglassc compare lenet --against none");
  for (const char* beside :
       {R"({"show": "step", "what": "input"})", R"({"show": "strategy", "what": "dp"})",
        R"({"show": "passes", "what": "none"})"}) {
    const std::string command = json("session " + of(beside))["commands"].back();
    EXPECT_EQ(run(command.substr(std::string("loopglassc ").size())).exit_code, 0) << command;
  }
}

TEST_F(SessionCommand, WhatIsNoSessionIsRefused) {
  refused("fuse " + (folder_ / "none.loopglass").string(), 3, "LG8006");
  std::ofstream(folder_ / "other.loopglass") << R"({"what": "a list of songs"})";
  refused("session " + (folder_ / "other.loopglass").string(), 3, "LG8007");
  std::ofstream(folder_ / "newer.loopglass") << R"({"loopglass_session": 9, "model": "lenet"})";
  refused("fuse " + (folder_ / "newer.loopglass").string(), 3, "LG8009");
  refused("fuse " + session(R"(, "strategy": 5)"), 3, "$.strategy");
  std::ofstream(folder_ / "cut.loopglass") << R"({"loopglass_session": 1, "mod)";
  refused("session " + (folder_ / "cut.loopglass").string(), 3, "line 1, column");
  refused("session " + (folder_ / "cut.loopglass").string(), 3, "LG8008");
  std::ofstream(folder_ / "gone.loopglass")
      << R"({"loopglass_session": 1, "model": "./gone.onnx", "stamp": {"bytes": 5, "hash": "00"}})";
  refused("fuse " + (folder_ / "gone.loopglass").string(), 3,
          "LG8011: the model of the session is not there");
}

// What is wrong with it is found in it.
TEST_F(SessionCommand, RefusalsNameTheFile) {
  for (const char* edge : {"nonsense", "conv1:nothere"}) {
    const std::string file = session(std::string(R"(, "force": [")") + edge + R"("])");
    refused("fuse " + file, 3, file + ": " + edge);
  }
  // Of the command line it is the command line's.
  EXPECT_THAT(run("fuse " + session() + " --force conv1:nothere").error,
              Not(HasSubstr("work.loopglass: conv1")));
  std::ofstream(folder_ / "again.loopglass")
      << R"({"loopglass_session": 1, "model": "again.loopglass"})";
  refused("fuse " + (folder_ / "again.loopglass").string(), 3, "names another session");
}

TEST_F(SessionCommand, APlaceHasAName) {
  refused("export graph lenet -o " + (folder_ / "a.svg").string() + " --step ''", 2, "--step");
  refused("lens lenet --against ''", 2, "--against");
  refused("history lenet conv1 --at ''", 2, "--at");
}

// A session knows what was asked of each graph of its model; the command line says which is meant.
TEST_F(SessionCommand, AnotherGraphOfTheModelHasAPlanOfItsOwn) {
  const std::string file = session(
      R"(, "subgraph": "if1.then_branch", "strategy": "dp", "force": ["a:b"],
         "graphs": [{"strategy": "none", "force": ["conv1:relu1"]},
                    {"subgraph": "if1.else_branch", "strategy": "mapping"}])");
  const Said said = run("session " + file);
  EXPECT_EQ(said.exit_code, 0) << said.error;
  EXPECT_THAT(said.out, HasSubstr("graph       the model's own: strategy none, 1 edge\n"));
  EXPECT_THAT(said.out, HasSubstr("graph       if1.else_branch: strategy mapping\n"));
  EXPECT_THAT(said.out, HasSubstr("loopglassc fuse lenet --strategy none --force conv1:relu1\n"));
  EXPECT_THAT(said.out,
              HasSubstr("loopglassc fuse lenet --subgraph if1.else_branch --strategy mapping\n"));
  // The forced edge is the first graph's: of the other one nothing is asked but a strategy.
  EXPECT_THAT(run("fuse " + file + " --subgraph if1.else_branch").error,
              Not(HasSubstr("edges and edits")));
}

TEST_F(SessionCommand, KeptSessionsAreListed) {
  ::setenv("LOOPGLASS_STATE", (folder_ / "state").c_str(), 1);
  EXPECT_THAT(run("session").out, HasSubstr("no session has been kept"));
  EXPECT_TRUE(json("session")["sessions"].empty());
  std::filesystem::create_directories(folder_ / "state" / "sessions");
  session(R"(, "place": {"at": "input"})", "state/sessions/a.loopglass");
  session(R"(, "oops": 1)", "state/sessions/b.loopglass");
  const Json rows = json("session")["sessions"];
  ASSERT_EQ(rows.size(), 2u);
  for (const Json& row : rows) {
    EXPECT_FALSE(row["in_use"]);
    EXPECT_EQ(row.contains("problem"), row["file"].get<std::string>().ends_with("b.loopglass"));
  }
  ::unsetenv("LOOPGLASS_STATE");
}

}  // namespace
}  // namespace loopglass::app
