// Measuring in workers: what is compiled here is timed there, held to the reference, and left early
// where it is slow.
#include "core/tune/measurer.h"

#include "core/default_schedule/default_schedule.h"
#include "core/machine/host.h"
#include "core/tune/verify.h"
#include "tests/tune/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace loopglass::tune {
namespace {

const measure::Program program{LOOPGLASSC, {"worker"}};

Task here(Task task) {
  task.machine = host_machine();
  return task;
}

// Children of this process that are workers, the youngest last.
std::vector<pid_t> own_workers() {
  std::vector<pid_t> workers;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name = text.rfind(") ");
    if (name == std::string::npos || text.find("(loopglassc)") == std::string::npos) continue;
    std::istringstream fields(text.substr(name + 2));
    char state = 0;
    pid_t parent = 0;
    fields >> state >> parent;
    if (parent == ::getpid() && state != 'Z') workers.push_back(std::stoi(text));
  }
  std::ranges::sort(workers);
  return workers;
}

std::string usual(const Task& task) {
  return to_script(schedule::default_schedule(task.nest, task.machine).value());
}

TEST(Measurer, TimesScriptsInTheirOrder) {
  for (const int cores : {1, 2}) {  // one after another, and compiled ahead
    Task task = here(product());
    task.machine.cores = cores;
    LocalMeasurer measurer(program);
    std::vector<std::size_t> told;
    const std::vector<std::string> scripts{"", "i_o, i_i = split(i, [-1, 4])\n", "vectorize(k)\n",
                                           "parse this\n"};
    const auto outcomes =
        measurer.measure(task, usual(task), scripts, 0, {},
                         [&](std::size_t place, const Outcome&) { told.push_back(place); });
    ASSERT_EQ(outcomes.size(), 4u);
    EXPECT_EQ(told, (std::vector<std::size_t>{0, 1, 2, 3}));
    EXPECT_GT(outcomes[0].milliseconds(), 0);
    EXPECT_GE(outcomes[0].time->rounds, 10);
    EXPECT_GT(outcomes[1].compiling_ms, 0);
    for (const std::size_t i : {2, 3}) {
      ASSERT_TRUE(outcomes[i].failure);
      EXPECT_EQ(outcomes[i].failure->kind, measure::FailureKind::Illegal);
    }
  }
}

TEST(Measurer, NoticesTheSameCode) {
  const Task task = here(product());
  LocalMeasurer measurer(program);
  // A loop of one iteration more is the same machine code.
  const std::vector<std::string> scripts{"", "// nothing\n", "unit = add_unit_loop(i)\n"};
  const auto outcomes = measurer.measure(task, "", scripts, 0, {}, {});
  EXPECT_FALSE(outcomes[0].same_code);
  EXPECT_TRUE(outcomes[1].same_code);
  EXPECT_EQ(outcomes[1].milliseconds(), outcomes[0].milliseconds());
}

TEST(Measurer, LeavesWhatIsSlowAndSaysSo) {
  const Task task = here(product());
  LocalMeasurer measurer(program);
  const auto outcomes = measurer.measure(task, "", std::vector<std::string>{""}, 1e-6, {}, {});
  ASSERT_TRUE(outcomes[0].time);
  EXPECT_TRUE(outcomes[0].left_early);
  EXPECT_EQ(outcomes[0].time->rounds, 3) << "one run may be slow for another reason";
}

TEST(Measurer, TimesInTurns) {
  const Task task = here(product());
  LocalMeasurer measurer(program);
  const std::vector<std::string> scripts{usual(task), "", "vectorize(k)\n"};
  const auto outcomes = measurer.measure_in_turns(task, usual(task), scripts, 3, {});
  EXPECT_GE(outcomes[0].time->rounds, 30);
  EXPECT_LT(outcomes[0].milliseconds(), outcomes[1].milliseconds()) << "it is tiled";
  EXPECT_TRUE(outcomes[2].failure);
}

// A worker that is killed now and then costs no answer, and none comes twice.
TEST(Measurer, OutlivesItsWorkers) {
  const Task task = here(product());
  LocalMeasurer measurer(program);
  std::vector<std::string> scripts;
  for (int i = 1; i <= 24; ++i)
    scripts.push_back("i_o, i_i = split(i, [-1, " + std::to_string(i) + "])\n");
  std::atomic<bool> done = false;
  std::jthread killer([&] {
    while (!done) {
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      if (const auto workers = own_workers(); !workers.empty()) ::kill(workers.back(), SIGKILL);
    }
  });
  std::vector<int> told(scripts.size(), 0);
  const auto outcomes = measurer.measure(task, "", scripts, 0, {},
                                         [&](std::size_t place, const Outcome&) { ++told[place]; });
  done = true;
  killer.join();
  for (std::size_t i = 0; i < scripts.size(); ++i) {
    EXPECT_EQ(told[i], 1) << i;
    EXPECT_TRUE(outcomes[i].time || outcomes[i].failure) << i;
  }
}

TEST(Measurer, Stops) {
  const Task task = here(product());
  LocalMeasurer measurer(program);
  const Cancellation cancellation;
  cancellation.request();
  const auto outcomes =
      measurer.measure(task, "", std::vector<std::string>{"", "", ""}, 0, cancellation, {});
  for (const Outcome& outcome : outcomes) {
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->kind, measure::FailureKind::Cancelled);
  }
}

TEST(Verify, ComparesWithTheInterpreter) {
  const Task task = here(convolution());
  measure::WorkerPool workers(program);
  const auto verified = verify(task, usual(task), workers);
  ASSERT_TRUE(verified) << to_string(verified.error());
  EXPECT_TRUE(verified->by_interpreter);
  EXPECT_FALSE(verify(task, "vectorize(kh)\n", workers));
}

TEST(Tolerance, GrowsWithTheTerms) {
  EXPECT_GT(tolerance_of(row_sums().nest).absolute, tolerance_of(product().nest).absolute);
}

}  // namespace
}  // namespace loopglass::tune
