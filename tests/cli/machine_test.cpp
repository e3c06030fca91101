// What the command line makes of the machine it runs on: processors, limits, and a cache that
// several processes write at once, that they are killed while writing, or that cannot be written.
#include "tests/cli/command_line.h"

#include "app/common/calibration.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>
#include <vector>

namespace loopglass::app {
namespace {

namespace fs = std::filesystem;

class Machine : public CommandLine {
 protected:
  // The command after something that changes what it runs under.
  Said under(const std::string& limits, const std::string& words) const {
    return run_in({.folder = fs::current_path()}, "/bin/sh",
                  {"-c", limits + " " + LOOPGLASSC + " " + words}, folder_);
  }
  // Below a file there can be no folder, whoever one is.
  void forbid_cache() const {
    std::ofstream(folder_ / "file") << "in the way";
    ::setenv("LOOPGLASS_CACHE", (folder_ / "file" / "cache").c_str(), 1);
  }
};

int first_allowed_processor() {
  cpu_set_t set;
  ::sched_getaffinity(0, sizeof set, &set);
  int processor = 0;
  while (!CPU_ISSET(processor, &set)) ++processor;
  return processor;
}

TEST_F(Machine, TheAffinityDecidesHowManyThreadsThereAre) {
  const std::string one = fmt::format("taskset -c {}", first_allowed_processor());
  for (const char* command : {"bench lenet --rounds 2 --json", "run lenet --json"}) {
    const Said said = under(one, command);
    ASSERT_EQ(said.exit_code, 0) << said.error;
    EXPECT_EQ(said.json()["threads"], 1) << command;
  }
  const Said said = under(one, "bench lenet --rounds 2 --json");
  EXPECT_EQ(said.json()["processors"]["affinity"], 1);
  EXPECT_EQ(said.json()["processors"]["usable"], 1);
}

// Stacks of a thousand threads do not fit.
TEST_F(Machine, WhereFewThreadsCanBeMadeThereAreFewAndItSaysSo) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's shadow alone is more than the limit";
#endif
  const Said said = under("ulimit -v 3000000;", "run lenet --threads 1000 --json");
  ASSERT_EQ(said.exit_code, 0) << said.error;
  EXPECT_THAT(said.error, ::testing::HasSubstr("of 1000 threads could be made"));
  EXPECT_LT(said.json()["threads"], 1000);
  EXPECT_EQ(said.json()["outputs"], json("run lenet --threads 1")["outputs"]);
}

TEST_F(Machine, WhatFreshOutputsCostIsSaidApart) {
  const Json report = json("bench encoder --rounds 2 --threads 1");
  EXPECT_EQ(report["fresh_outputs"]["bytes"], 128 * 768 * 4);
  EXPECT_GE(report["fresh_outputs"]["median_us"], 0);
  EXPECT_THAT(run("bench lenet --rounds 2 --threads 1").out,
              ::testing::HasSubstr("outputs are kept from run to run"));
}

TEST_F(Machine, SamplesRunWhereTheCacheCannotBeWritten) {
  const Json kept = json("run lenet");
  forbid_cache();
  const Said said = run("run lenet --json");
  ASSERT_EQ(said.exit_code, 0) << said.error;
  EXPECT_THAT(said.error, ::testing::HasSubstr("the sample is made anew each time"));
  EXPECT_EQ(said.json(), kept);
  refused("samples lenet", 3, "error LG8002");
}

TEST_F(Machine, SamplesRunWhereTheDiskIsFull) {
  const auto out = folder_ / "said";
  const std::string full =
      fmt::format("(ulimit -f 0; {} run lenet 2>&1) | cat >{}", LOOPGLASSC, out.string());
  ASSERT_EQ(std::system(full.c_str()), 0);
  EXPECT_THAT(read(out), ::testing::HasSubstr("the sample is made anew each time"));
  EXPECT_THAT(read(out), ::testing::HasSubstr("probabilities: float32[1x10]"));
}

// Before anything is measured: nothing has been printed.
TEST_F(Machine, WhatCannotBeKeptIsNotMeasured) {
  forbid_cache();
  refused("calibrate --rounds 1", 3, "error LG8002");
  refused("bench lenet --rounds 1 --record", 3, "error LG8002");
  EXPECT_EQ(run("calibrate --rounds 1 --dry-run").exit_code, 0);
}

// Twelve processes, each with kernels of its own, several times: all are there in the end.
TEST_F(Machine, ProcessesThatRecordAtOnceLoseNoKernels) {
  constexpr std::uint64_t processes = 12, rounds = 10, kernels = 4;
  std::vector<pid_t> children;
  for (std::uint64_t process = 0; process < processes; ++process) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (std::uint64_t round = 0; round < rounds; ++round) {
        fusion::Measurements mine;
        for (std::uint64_t i = 0; i < kernels; ++i)
          mine[(process * rounds + round) * kernels + i] = {1.0 + static_cast<double>(i)};
        if (!keep(mine)) ::_exit(1);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  ASSERT_TRUE(host_cost_model());
  EXPECT_EQ(host_cost_model()->measurements().size(), processes * rounds * kernels);
}

// Killed at any moment, they leave no part of a sample behind once another has been written.
TEST_F(Machine, KilledWritersLeaveNothing) {
  fs::remove_all(folder_ / "cache");
  for (int hundredths = 1; hundredths <= 20; ++hundredths)
    under(fmt::format("timeout -s KILL 0.{:02}", hundredths), "samples mobilenet_v1");
  ASSERT_EQ(run("samples mobilenet_v1").exit_code, 0);
  ASSERT_EQ(run("samples mlp").exit_code, 0);
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "cache"))
    if (entry.is_regular_file()) files.push_back(entry.path().filename().string());
  EXPECT_THAT(files, ::testing::UnorderedElementsAre("mlp.onnx", "mobilenet_v1.onnx"));
}

}  // namespace
}  // namespace loopglass::app
