// A farm of processes on the command line: tuning by it, and what becomes of a run whose workers,
// server and tuner die.
#include "tests/cli/command_line.h"
#include "tests/farm/server.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace loopglass::app {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

// A process of the shell's that this one may kill.
class Running {
 public:
  explicit Running(const std::string& command) {
    char shell[] = "/bin/sh", option[] = "-c";
    std::string line = "exec " + command;
    char* arguments[] = {shell, option, line.data(), nullptr};
    EXPECT_EQ(::posix_spawn(&process_, "/bin/sh", nullptr, nullptr, arguments, environ), 0);
  }
  ~Running() { end(SIGKILL); }
  Running(const Running&) = delete;
  void send(int signal) const {
    if (process_ != 0) ::kill(process_, signal);
  }
  int end(int signal) {
    send(signal);
    return wait();
  }
  // Its status.
  int wait() {
    int status = 0;
    if (process_ != 0) ::waitpid(process_, &status, 0);
    process_ = 0;
    return status;
  }

 private:
  pid_t process_ = 0;
};

class FarmCommands : public CommandLine {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string product() const {
    std::ofstream(folder_ / "product.te")
        << "input A: float32[96, 64]\nconstant B: float32[64, 80]\n"
           "C[i, j] = sum over k of A[i, k] * B[k, j]\nY[i, j] = max(C[i, j], 0)\n";
    return file("product.te");
  }
  std::string worker_command(const std::string& name) const {
    return fmt::format("{} worker --connect {} --share-machine --held-for 1 --name {} >>{} 2>&1",
                       LOOPGLASSC, server_.url(), name, file(name));
  }
  void wait_for_workers(std::size_t count) const {
    for (int i = 0; i < 200; ++i) {
      if (json("farm --connect " + server_.url())["workers"].size() >= count) return;
      std::this_thread::sleep_for(50ms);
    }
    FAIL() << "no worker came";
  }
  // Lines of trials, by run and number, how often each is there.
  std::map<std::pair<std::string, int>, int> trials_in(const std::string& records) const {
    std::map<std::pair<std::string, int>, int> counts;
    std::istringstream lines(read(records));
    for (std::string line; std::getline(lines, line);) {
      const Json record = Json::parse(line);
      if (record.contains("trial") && !record["final"].get<bool>())
        ++counts[{record["run"], record["trial"]}];
    }
    return counts;
  }

  farm::Server server_;
};

TEST_F(FarmCommands, TuneByAWorker) {
  const std::string model = product(), by_farm = " --farm " + server_.url();
  refused("tune " + model + by_farm, 3, "LG5009");
  Running worker(worker_command("one"));
  wait_for_workers(1);
  const Json found = json("tune " + model + by_farm + " --trials 16 --records " + file("r.jsonl"));
  EXPECT_EQ(found["trial_count"], 16);
  EXPECT_LE(found["best_us"].get<double>(), found["default_us"].get<double>());
  EXPECT_EQ(found["kernels"][0]["checked_against"], "the interpreter");
  EXPECT_THAT(read(file("r.jsonl")), HasSubstr(R"("worker":"one")"));
  EXPECT_THAT(run("emit schedule " + model + " --records " + file("r.jsonl")).error,
              HasSubstr("1 of 1 kernel scheduled by records"));
  // What the farm knows it does not do again.
  const Json once = json("farm --connect " + server_.url());
  EXPECT_EQ(once["job_count"], 0);
  EXPECT_EQ(json("tune " + model + by_farm + " --trials 16")["trial_count"], 16);
  EXPECT_LE(json("farm --connect " + server_.url())["result_count"].get<int>(),
            once["result_count"].get<int>() + 1)
      << "but for the leaders";
  EXPECT_EQ(worker.end(SIGTERM), 0);
  EXPECT_THAT(read(file("one")), HasSubstr("one: ends"));
}

TEST_F(FarmCommands, SayWhatIsNotThere) {
  refused("worker --connect nats://127.0.0.1:1", 3, "LG5007");
  refused("farm --connect nats://127.0.0.1:1", 3, "LG5007");
  refused("tune mlp --farm nats://127.0.0.1:1", 3, "LG5007");
  refused("tune mlp --farm http://127.0.0.1", 2, "nats://HOST:PORT");
  refused("worker --connect nats://farm.example:4222", 2, "token or TLS");
  refused("worker --share-machine", 2, "--connect");
  refused("farm", 2, "--connect");
  refused("worker --connect " + server_.url() + " --held-for 0", 2, "0.5");
  const Running worker(fmt::format("{} worker --connect {} --name first >{} 2>&1", LOOPGLASSC,
                                   server_.url(), file("first")));
  wait_for_workers(1);
  refused("worker --connect " + server_.url(), 2, "--share-machine");
  refused("tune " + product() + " --farm-worker second --farm " + server_.url(), 3, "LG5009");
}

TEST_F(FarmCommands, SayWhereTheirOutputIsLost) {
  for (const char* json : {"", " --json"}) {
    const std::string command = fmt::format("{} farm --connect {}{} >/dev/full 2>{}", LOOPGLASSC,
                                            server_.url(), json, file("error"));
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 3);
    EXPECT_THAT(read(file("error")), HasSubstr("LG8002"));
  }
}

// Workers are killed and stopped at random, the server once: every trial ends in one record.
TEST_F(FarmCommands, LoseNothingWhereWorkersDie) {
  constexpr int trials = 300;
  const std::string records = file("r.jsonl");
  std::vector<std::unique_ptr<Running>> workers;
  int number = 0;
  const auto new_worker = [&] {
    return std::make_unique<Running>(worker_command(fmt::format("worker-{}", number++)));
  };
  for (int i = 0; i < 2; ++i) workers.push_back(new_worker());
  wait_for_workers(2);
  Running tuner(fmt::format(
      "{} tune {} --farm {} --search random --space sketch --cost-model none "
      "--trials {} --records {} --json >{} 2>{}",
      LOOPGLASSC, product(), server_.url(), trials, records, file("out"), file("error")));
  std::atomic<bool> is_over = false;
  std::jthread waits([&] {
    tuner.wait();
    is_over = true;
  });
  std::mt19937 random(7);
  bool was_killed = false;
  for (int step = 0; !is_over; ++step) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300 + random() % 1500));
    auto& worker = workers[random() % workers.size()];
    if (random() % 4 == 0) {
      worker->send(SIGSTOP);
      std::this_thread::sleep_for(1500ms);
      worker->send(SIGCONT);
    } else {
      worker->end(SIGKILL);
      worker = new_worker();
    }
    if (step == 5 && !std::exchange(was_killed, true)) {
      server_.kill();
      std::this_thread::sleep_for(500ms);
      server_.start();
    }
  }
  waits.join();
  const Json found = Json::parse(read(file("out")), nullptr, false);
  ASSERT_FALSE(found.is_discarded()) << read(file("error"));
  EXPECT_EQ(found["trial_count"], trials);
  EXPECT_TRUE(was_killed);
  int measured = 0;
  for (const auto& [trial, count] : trials_in(records)) {
    EXPECT_EQ(count, 1) << trial.second;
    ++measured;
  }
  EXPECT_GE(measured, trials + 1) << "all of them, the default schedule, and what was refused";
  // What a worker had done and died before it said so comes once more, and is dropped.
  Json left;
  for (int i = 0; i < 200; ++i) {
    left = json("farm --connect " + server_.url())["job_count"];
    if (left == 0) break;
    std::this_thread::sleep_for(100ms);
  }
  EXPECT_EQ(left, 0) << "nothing is left";
}

TEST_F(FarmCommands, GoOnWhereTheTunerIsKilled) {
  const std::string records = file("r.jsonl");
  Running worker(worker_command("one"));
  wait_for_workers(1);
  const std::string command = fmt::format(
      "tune {} --farm {} --trials 60 --search grid --cost-model none --warm-start "
      "--records {}",
      product(), server_.url(), records);
  {
    Running tuner(fmt::format("{} {} >/dev/null 2>&1", LOOPGLASSC, command));
    for (int i = 0; i < 400 && trials_in(records).size() < 10; ++i)
      std::this_thread::sleep_for(50ms);
    tuner.end(SIGKILL);
  }
  EXPECT_GE(trials_in(records).size(), 10u);
  const Json found = json(command);
  EXPECT_LE(found["best_us"].get<double>(), found["default_us"].get<double>());
  for (const auto& [trial, count] : trials_in(records)) EXPECT_EQ(count, 1) << trial.second;
}

}  // namespace
}  // namespace loopglass::app
