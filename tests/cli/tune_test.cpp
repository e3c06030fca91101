// Tuning on the command line: what it finds, what it keeps, and how that comes to other commands.
#include "tests/cli/command_line.h"

#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <thread>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;

class Tune : public CommandLine {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string small_product() const {
    return write("product.te",
                 "input A: float32[96, 64]\nconstant B: float32[64, 80]\n"
                 "C[i, j] = sum over k of A[i, k] * B[k, j]\nY[i, j] = max(C[i, j], 0)\n");
  }
  static int lines_of(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }
};

TEST_F(Tune, FindsKeepsAndAppliesASchedule) {
  const std::string model = small_product(), records = file("r.jsonl");
  const Json found = json("tune " + model + " --trials 24 --records " + records);
  EXPECT_EQ(found["trial_count"], 24);
  EXPECT_GT(found["default_us"].get<double>(), 0);
  EXPECT_LE(found["best_us"].get<double>(), found["default_us"].get<double>());
  EXPECT_GT(found["kernels"][0]["best_gflops"].get<double>(), 0);
  EXPECT_GT(found["elapsed_us"].get<double>(), 0);
  EXPECT_FALSE(found.contains("wrong"));
  const std::string script = found["kernels"][0]["schedule"];
  EXPECT_THAT(script, HasSubstr("vectorize"));
  // A line for the workload, the default, the trials, and those of the end.
  const std::string lines = read(records);
  EXPECT_GE(lines_of(lines), 1 + 1 + 24);
  // In a fresh process the same script is the kernel's, and so is its code.
  const Said applied = run("emit schedule " + model + " --records " + records);
  EXPECT_EQ(applied.exit_code, 0) << applied.error;
  EXPECT_THAT(applied.out, HasSubstr(script.substr(0, script.size() - 1)));
  EXPECT_THAT(applied.error, HasSubstr("1 of 1 kernel scheduled by records"));
  const std::string by_hand = write("best.schedule", script);
  EXPECT_EQ(run("emit asm " + model + " --records " + records).out,
            run("emit asm " + model + " --schedule " + by_hand).out);
  // What is computed is what was computed before.
  const Json usual = json("run " + model)["outputs"],
             tuned = json("run " + model + " --records " + records)["outputs"];
  EXPECT_NEAR(usual[0]["mean"].get<double>(), tuned[0]["mean"].get<double>(), 1e-4);
  // Listed, merged with itself, and as a script.
  const Json rows = json("records " + records)["kernels"];
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["schedule"], script);
  EXPECT_EQ(rows[0]["best_us"], found["best_us"]);
  const std::string merged = file("merged.jsonl"), saved = file("saved.schedule");
  EXPECT_EQ(run("records " + records + " " + records + " --merge " + merged).exit_code, 0);
  EXPECT_EQ(lines_of(read(merged)), lines_of(lines));
  // What a file has already stays in it, and what has no records is no place for them.
  const std::string empty = write("empty.jsonl", ""), text = write("text.md", "# Notes\n");
  EXPECT_EQ(run("records " + empty + " --merge " + merged).exit_code, 0);
  EXPECT_EQ(lines_of(read(merged)), lines_of(lines));
  EXPECT_EQ(run("records " + records + " --merge " + text).exit_code, 3);
  EXPECT_EQ(read(text), "# Notes\n");
  EXPECT_EQ(run("records " + merged + " --save-schedule " + saved).exit_code, 0);
  EXPECT_THAT(run("emit schedule " + model + " --schedule " + saved).out,
              HasSubstr(script.substr(0, script.size() - 1)));
  EXPECT_THAT(run("records --trials " + records).out, HasSubstr("default schedule"));
}

TEST_F(Tune, GoesWithEverySpaceAndLayout) {
  const std::string model = small_product();
  for (const char* words : {"--space template --search annealing --cost-model trees-loops",
                            "--space sketch --search reinforcement --cost-model net --layout al",
                            "--space sketch --search genetic --cost-model none --layout nl",
                            "--space construct --search grid --cost-model analytical"}) {
    const Json found = json("tune " + model + " --trials 16 " + words);
    EXPECT_EQ(found["trial_count"], 16) << words;
    EXPECT_LE(found["best_us"].get<double>(), found["default_us"].get<double>()) << words;
    EXPECT_EQ(found["kernels"][0]["checked_against"], "the interpreter") << words;
  }
}

TEST_F(Tune, TakesASpaceOfOnesOwn) {
  const std::string model = small_product();
  const std::string space = write("mine.schedule",
                                  "C = block(\"C\")\ni, j, k = loops(C)\n"
                                  "t = sample_tile(j, 2, 16)\nj_o, j_i = split(j, t)\n"
                                  "reorder([i, j_o, k, j_i])\nvectorize(j_i)\n");
  const Json printed = json("tune " + model + " --print-space --space " + space)["kernels"];
  EXPECT_EQ(printed[0]["point_count"], 7) << "1, 2, 4, 5, 8, 10 and 16 divide 80";
  const Json found = json("tune " + model + " --search grid --trials 32 --space " + space);
  EXPECT_EQ(found["trial_count"], 7) << "there are no more";
  refused("tune " + model + " --space " + write("bad.schedule", "splat(i)\n"), 3, "splat");
  refused("tune " + model + " --space " + file("nowhere.schedule"), 3, "nowhere.schedule");
}

TEST_F(Tune, TunesANetwork) {
  const Json found = json("tune mlp --trials 8 --records " + file("r.jsonl"));
  EXPECT_GE(found["kernels"].size(), 2u);
  EXPECT_EQ(found["trial_count"], 8 * static_cast<int>(found["kernels"].size()));
  // Where nothing is faster, there is nothing to run the network with.
  const bool has_found = std::ranges::any_of(found["kernels"], [](const Json& kernel) {
    return kernel.contains("withdrawn") ||
           kernel["best_us"].get<double>() < kernel["default_us"].get<double>();
  });
  ASSERT_EQ(found.contains("network"), has_found) << found;
  if (has_found) {
    EXPECT_GT(found["network"]["default_us"].get<double>(), 0);
    EXPECT_GT(found["network"]["best_us"].get<double>(), 0);
  }
  EXPECT_THAT(run("run mlp --records " + file("r.jsonl")).error, HasSubstr("scheduled by records"));
}

// A file may have a colon in its name.
TEST_F(Tune, TriesScriptsOfEachKernel) {
  const std::string script = write("my:own.schedule", "// as it stands\n");
  for (const char* of : {"--kernel 1 --try ", "--try 1:"}) {
    const Said said = run("tune mlp --trials 2 --kernels-alone " + (of + script));
    EXPECT_EQ(said.exit_code, 0) << said.error;
    EXPECT_THAT(said.out, HasSubstr(", trial 1: ")) << of;
  }
}

TEST_F(Tune, KeepsToItsSeconds) {
  const Json found = json("tune " + small_product() + " --seconds 3");
  EXPECT_GT(found["trial_count"].get<int>(), 0);
  EXPECT_LT(found["elapsed_us"].get<double>(), 12e6) << "the leaders run once more at its end";
}

TEST_F(Tune, SaysWhatIsNotThere) {
  refused("tune mlp --space nowhere", 2, "one of construct, template, sketch");
  refused("tune mlp --search nobody", 2, "one of evolutionary");
  refused("tune mlp --cost-model nobody", 2, "one of none, trees-loops");
  refused("tune mlp --layout ll", 2, "one of nl, lr, lc, al");
  refused("tune mlp --warm-start", 2, "--records FILE");
  refused("tune " + write("five.te", "input X: float32[5]\nY[i] = X[i] * 2\n"), 3, "LG5006");
  refused("tune mlp --kernel nobody", 2, "there is no kernel");
  refused("tune mlp --trials 1 --pin tile=1", 2, "--pin KERNEL:tile=1");
  refused("tune mlp --trials 1 --ban nobody:tile=1", 2, "there is no kernel 'nobody'");
  refused("tune mlp --kernel 0 --trials 1 --ban 1:tile=1", 2, "'1' is not tuned here");
  refused("tune mlp --trials 1 --pin 0:nothing=1", 2, "has no knob 'nothing'");
  refused("records " + file("nowhere"), 3, "LG5004");
  refused("run mlp --records " + file("nowhere"), 3, "LG5004");
  const std::string notes = write("notes", "my notes\n");
  refused("tune mlp --kernel 0 --trials 1 --records " + notes, 3, "LG5004");
  EXPECT_EQ(read(notes), "my notes\n");
}

// Killed at any moment: what was measured is there, and a run that begins with it goes on.
TEST_F(Tune, LosesNothingWhereItIsKilled) {
  const std::string model = small_product(), records = file("r.jsonl");
  for (const int signal : {SIGKILL, SIGINT}) {
    const std::string command = fmt::format("exec {} tune {} --trials 100000 --records {} >{} 2>&1",
                                            LOOPGLASSC, model, records, file("said"));
    pid_t process = 0;
    char shell[] = "/bin/sh", option[] = "-c";
    std::string line = command;
    char* arguments[] = {shell, option, line.data(), nullptr};
    const int before = lines_of(read(records));
    ASSERT_EQ(::posix_spawn(&process, "/bin/sh", nullptr, nullptr, arguments, environ), 0);
    for (int i = 0; i < 600 && lines_of(read(records)) < before + 12; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::kill(process, signal);
    int status = 0;
    ::waitpid(process, &status, 0);
    EXPECT_GE(lines_of(read(records)), before + 12);
    if (signal == SIGINT) {
      EXPECT_TRUE(WIFEXITED(status)) << "it ends by itself";
      EXPECT_THAT(read(file("said")), HasSubstr("stopped before its end"));
    }
    const Said listed = run("records " + records);
    EXPECT_EQ(listed.exit_code, 0) << listed.error;
  }
  const Json more = json("tune " + model + " --trials 8 --warm-start --records " + records);
  EXPECT_EQ(more["trial_count"], 8);
  EXPECT_EQ(run("emit schedule " + model + " --records " + records).exit_code, 0);
}

TEST_F(Tune, PassesOverHalfALine) {
  const std::string model = small_product(), records = file("r.jsonl");
  json("tune " + model + " --trials 4 --records " + records);
  const std::string text = read(records);
  std::ofstream(records, std::ios::trunc) << text.substr(0, text.size() - 40);
  EXPECT_THAT(run("records " + records).error, HasSubstr("it is cut short"));
  json("tune " + model + " --trials 4 --records " + records);
  const Said listed = run("records " + records);
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(listed.error, HasSubstr("passed over"));
}

}  // namespace
}  // namespace loopglass::app
