// A farm with a real server: jobs are done once, whatever dies.
#include "core/farm/farm_measurer.h"
#include "core/farm/worker.h"
#include "tests/farm/server.h"
#include "tests/tune/kernels.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

namespace loopglass::farm {
namespace {

using namespace std::chrono_literals;
using measure::FailureKind;
using ::testing::HasSubstr;
using tune::Outcome;

constexpr auto held_for = 1s;  // tests have no patience

Capability some_kind() { return {"some processor", "x86-64, AVX2", "0123", 4}; }

std::unique_ptr<Queue> queue_at(const std::string& url) {
  auto queue = Queue::open({url}, "test", held_for);
  EXPECT_TRUE(queue) << to_string(queue.error());
  if (!queue) throw std::runtime_error("there is no farm");
  return *std::move(queue);
}

// A worker in a thread of this process, which measures nothing: times follow from the scripts.
class Hand {
 public:
  Hand(const std::string& url, std::string name, std::chrono::milliseconds each = 0ms)
      : queue_(queue_at(url)) {
    measurer.outcome = [this, each](const std::string& script) {
      std::this_thread::sleep_for(each);
      const std::lock_guard lock(mutex_);
      scripts_.push_back(script);
      return tune::took(1 + static_cast<double>(script.size()));
    };
    settings_.name = std::move(name);
    settings_.capability = some_kind();
    settings_.machine.cores = 4;
    thread_ = std::jthread([this] {
      const auto done = work(
          *queue_, measurer, settings_, [](const std::string&) {}, cancellation);
      if (!done) ADD_FAILURE() << settings_.name << ": " << to_string(done.error());
    });
  }
  ~Hand() { stop(); }
  void stop() {
    cancellation.request();
    if (thread_.joinable()) thread_.join();
  }
  std::vector<std::string> scripts() {
    const std::lock_guard lock(mutex_);
    return scripts_;
  }

  tune::FakeMeasurer measurer;
  Cancellation cancellation;

 private:
  std::unique_ptr<Queue> queue_;
  WorkerSettings settings_;
  std::mutex mutex_;
  std::vector<std::string> scripts_;
  std::jthread thread_;
};

std::vector<std::string> scripts(int count, int from = 0) {
  std::vector<std::string> made;
  for (int i = from; i < from + count; ++i)
    made.push_back(fmt::format("i_o, i_i = split(i, [-1, {}])\n", i + 1));
  return made;
}

class Farm : public ::testing::Test {
 protected:
  std::vector<Outcome> measure(const std::vector<std::string>& scripts,
                               const Cancellation& cancellation = {}) {
    const auto queue = queue_at(server_.url());
    FarmMeasurer measurer(*queue, some_kind(), [this](const std::string& sentence) {
      const std::lock_guard lock(mutex_);
      said_ += sentence + "\n";
    });
    std::vector<int> told(scripts.size());
    const auto outcomes =
        measurer.measure(task_, "", scripts, 0, cancellation,
                         [&](std::size_t place, const Outcome&) { ++told[place]; });
    EXPECT_THAT(told, ::testing::Each(1)) << "each is told of once";
    return outcomes;
  }
  void expect_times(const std::vector<std::string>& scripts, const std::vector<Outcome>& outcomes) {
    ASSERT_EQ(outcomes.size(), scripts.size());
    for (std::size_t i = 0; i < scripts.size(); ++i)
      EXPECT_DOUBLE_EQ(outcomes[i].milliseconds(), 1 + static_cast<double>(scripts[i].size()))
          << (outcomes[i].failure ? to_string(outcomes[i].failure->diagnostic) : "");
  }
  std::string said() {
    const std::lock_guard lock(mutex_);
    return said_;
  }

  Server server_;
  tune::Task task_ = tune::product();

 private:
  std::mutex mutex_;
  std::string said_;
};

TEST_F(Farm, SharesJobsOutAndTellsWhoDidThem) {
  Hand one(server_.url(), "one", 5ms), two(server_.url(), "two", 5ms);
  const auto asked = scripts(40);
  const auto outcomes = measure(asked);
  expect_times(asked, outcomes);
  std::map<std::string, int> shares;
  for (const Outcome& outcome : outcomes) ++shares[outcome.worker];
  EXPECT_EQ(shares.size(), 2u);
  EXPECT_EQ(one.scripts().size() + two.scripts().size(), 40u) << "each was measured once";
}

TEST_F(Farm, MeasuresInTurnsOnOneMachine) {
  Hand one(server_.url(), "one"), two(server_.url(), "two");
  const auto queue = queue_at(server_.url());
  FarmMeasurer measurer(*queue, some_kind(), [](const std::string&) {});
  const auto asked = scripts(9);
  const auto outcomes = measurer.measure_in_turns(task_, "", asked, 5, {});
  expect_times(asked, outcomes);
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.worker, outcomes[0].worker);
}

TEST_F(Farm, DoesNothingTwice) {
  Hand one(server_.url(), "one", 2ms);
  auto asked = scripts(10);
  asked.push_back(asked.front());  // in one round
  expect_times(asked, measure(asked));
  // By two at once, who share some.
  const auto more = scripts(20, 5);
  std::jthread other([&] { expect_times(more, measure(more)); });
  expect_times(more, measure(more));
  other.join();
  EXPECT_EQ(one.scripts().size(), 25u);
}

TEST_F(Farm, GivesWhatADeadWorkerHeldToAnother) {
  const auto asked = scripts(6);
  std::jthread tuner([&] { expect_times(asked, measure(asked)); });
  {
    // It takes one and is never heard of again.
    const auto dead = queue_at(server_.url());
    Result<std::unique_ptr<Queue::Taken>> taken = std::unique_ptr<Queue::Taken>();
    for (int i = 0; i < 40 && taken && !*taken; ++i)
      taken = dead->take(some_kind().digest(), 250ms);
    ASSERT_TRUE(taken && *taken);
    EXPECT_EQ((*taken)->deliveries(), 1);
  }
  Hand one(server_.url(), "one");
  tuner.join();
  EXPECT_EQ(one.scripts().size(), 6u);
}

// A schedule that takes its machine down takes two down, and no more.
TEST_F(Farm, GivesUpWhatKillsItsWorkers) {
  const auto asked = scripts(1);
  std::vector<Outcome> outcomes;
  std::jthread tuner([&] { outcomes = measure(asked); });
  for (int time = 1; time <= most_deliveries; ++time) {
    const auto dead = queue_at(server_.url());
    Result<std::unique_ptr<Queue::Taken>> taken = std::unique_ptr<Queue::Taken>();
    for (int i = 0; i < 40 && taken && !*taken; ++i)
      taken = dead->take(some_kind().digest(), 250ms);
    ASSERT_TRUE(taken && *taken);
    EXPECT_EQ((*taken)->deliveries(), time);
  }
  Hand one(server_.url(), "one");
  tuner.join();
  ASSERT_TRUE(outcomes[0].failure);
  EXPECT_EQ(outcomes[0].failure->kind, FailureKind::Lost);
  EXPECT_THAT(outcomes[0].failure->diagnostic.what, HasSubstr("2 workers"));
  EXPECT_TRUE(one.scripts().empty());
  // Asked for again, it is tried again.
  expect_times(asked, measure(asked));
}

// One that was stopped comes back after another has done its job: nobody hears it.
TEST_F(Farm, HearsTheFirstResultOnly) {
  const auto asked = scripts(1);
  std::vector<Outcome> outcomes;
  std::jthread tuner([&] { outcomes = measure(asked); });
  const auto slow = queue_at(server_.url());
  Result<std::unique_ptr<Queue::Taken>> taken = std::unique_ptr<Queue::Taken>();
  for (int i = 0; i < 40 && taken && !*taken; ++i) taken = slow->take(some_kind().digest(), 250ms);
  ASSERT_TRUE(taken && *taken);
  Hand one(server_.url(), "one");
  tuner.join();
  expect_times(asked, outcomes);
  ASSERT_TRUE((*taken)->finish({(*taken)->id(), "slow", 0, {tune::took(99)}}));
  const auto kept = slow->result_of(some_kind().digest(), (*taken)->id());
  ASSERT_TRUE(kept && *kept);
  EXPECT_EQ((*kept)->worker, "one");
  EXPECT_EQ(slow->load().value().results, 1u);
  EXPECT_EQ(slow->load().value().jobs, 0u);
}

// What cannot be answered, or was deleted under it, ends no worker.
TEST_F(Farm, OutlivesAJobThatCannotBeAnswered) {
  Hand one(server_.url(), "one");
  one.measurer.outcome = [](const std::string& script) {
    Outcome outcome;
    if (!script.starts_with('?')) return tune::took(1 + static_cast<double>(script.size()));
    outcome.failure =
        measure::Failure{FailureKind::Refused,
                         {Code::UsageInvalid, std::string(1'900, 'x'), std::string(1'900, 'y')}};
    return outcome;
  };
  const auto queue = queue_at(server_.url());
  Job job = job_of(task_, "");
  for (int i = 0; i < 900; ++i) job.scripts.push_back(fmt::format("?{}", i));
  job.turns = 1;
  ASSERT_TRUE(queue->submit(some_kind().digest(), job).value());
  const auto asked = scripts(4);
  expect_times(asked, measure(asked));
  // A job is taken from the queue behind its answer.
  for (int i = 0; i < 100 && queue->load().value().jobs > 0; ++i) std::this_thread::sleep_for(50ms);
  EXPECT_EQ(queue->load().value().jobs, 0u);
}

// A long job stays with its worker for as long as that says so.
TEST_F(Farm, LeavesALongJobToItsWorker) {
  Hand one(server_.url(), "one", 3s), two(server_.url(), "two", 3s);
  const auto asked = scripts(1);
  expect_times(asked, measure(asked));
  EXPECT_EQ(one.scripts().size() + two.scripts().size(), 1u);
}

TEST_F(Farm, OutlivesItsServer) {
  Hand one(server_.url(), "one", 20ms), two(server_.url(), "two", 20ms);
  const auto asked = scripts(100);
  std::vector<Outcome> outcomes;
  std::jthread tuner([&] { outcomes = measure(asked); });
  for (int i = 0; i < 2; ++i) {
    std::this_thread::sleep_for(400ms);
    server_.kill();
    std::this_thread::sleep_for(300ms);
    server_.start();
  }
  tuner.join();
  expect_times(asked, outcomes);
}

TEST_F(Farm, OutlivesItsServersStore) {
  Hand one(server_.url(), "one", 20ms);
  const auto asked = scripts(60);
  std::vector<Outcome> outcomes;
  std::jthread tuner([&] { outcomes = measure(asked); });
  std::this_thread::sleep_for(400ms);
  server_.kill();
  server_.forget_everything();
  server_.start();
  tuner.join();
  expect_times(asked, outcomes);
}

TEST_F(Farm, WaitsForAWorkerAndMayBeStopped) {
  const Cancellation cancellation;
  std::vector<Outcome> outcomes;
  std::jthread tuner([&] { outcomes = measure(scripts(3), cancellation); });
  for (int i = 0; i < 200 && !said().contains("no worker"); ++i) std::this_thread::sleep_for(50ms);
  EXPECT_THAT(said(), HasSubstr("no worker of this kind"));
  cancellation.request();
  tuner.join();
  for (const Outcome& outcome : outcomes) {
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->kind, FailureKind::Cancelled);
  }
  EXPECT_EQ(queue_at(server_.url())->load().value().jobs, 0u) << "nobody wants them any more";
  // Asked for again soon after, they are done.
  Hand one(server_.url(), "one");
  expect_times(scripts(3), measure(scripts(3)));
}

TEST_F(Farm, KnowsItsWorkers) {
  const auto queue = queue_at(server_.url());
  EXPECT_TRUE(queue->workers().value().empty());
  {
    Hand one(server_.url(), "one");
    for (int i = 0; i < 100 && queue->workers().value().empty(); ++i)
      std::this_thread::sleep_for(50ms);
    const auto workers = queue->workers().value();
    ASSERT_EQ(workers.size(), 1u);
    EXPECT_EQ(workers[0].name, "one");
    EXPECT_EQ(workers[0].capability, some_kind());
  }
  EXPECT_TRUE(queue->workers().value().empty()) << "who ends says so";
}

TEST(ChooseWorker, TakesOnesOwnKindOrTheOnlyOne) {
  const Capability own = some_kind();
  Capability other = own, older = own;
  other.processor = "another processor";
  older.compiler = "0000";
  const auto worker = [](std::string name, const Capability& kind) {
    return WorkerNotice{std::move(name), kind, {}, {}, 0};
  };
  EXPECT_EQ(choose_worker({worker("a", other), worker("b", own)}, own, "")->name, "b");
  EXPECT_EQ(choose_worker({worker("a", other)}, own, "")->name, "a");
  EXPECT_EQ(choose_worker({worker("a", other), worker("b", own)}, own, "a")->name, "a");
  for (const auto& [workers, wanted, words] :
       std::vector<std::tuple<std::vector<WorkerNotice>, std::string, std::string>>{
           {{}, "", "no worker"},
           {{worker("a", older)}, "", "this version"},
           {{worker("a", older)}, "a", "another version"},
           {{worker("a", own)}, "b", "'b'"}}) {
    const auto chosen = choose_worker(workers, own, wanted);
    ASSERT_FALSE(chosen);
    EXPECT_EQ(chosen.error().code, Code::FarmWithoutWorkers);
    EXPECT_THAT(chosen.error().what, HasSubstr(words));
  }
  Capability third = own;
  third.target = "x86-64, AVX-512";
  const auto several = choose_worker({worker("a", other), worker("b", third)}, own, "");
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().hint, HasSubstr("a (another processor"));
}

TEST(Address, NeedsATokenOrTlsOverANetwork) {
  for (const char* good :
       {"nats://127.0.0.1:4222", "127.0.0.1", "localhost:4222", "nats://[::1]:4222",
        "tls://farm.example:4222", "nats://secret@farm.example:4222"})
    EXPECT_TRUE(check({good})) << good;
  EXPECT_TRUE(check({"nats://farm.example:4222", "secret"}));
  for (const char* bad :
       {"", "nats://", "http://127.0.0.1", "nats://farm.example:4222", "10.0.0.1:4222",
        "localhost,farm.example", "nats:// 127.0.0.1", "nats://localhost.example"})
    EXPECT_FALSE(check({bad})) << bad;
}

// A server whose store is full says so, and what it has is not lost.
TEST(Address, KeepsItsSecrets) {
  EXPECT_EQ(shown({"nats://secret@farm.example:4222"}), "nats://farm.example:4222");
  EXPECT_EQ(shown({"user:pass@word@127.0.0.1"}), "127.0.0.1");
  EXPECT_EQ(shown({"tls://farm.example"}), "tls://farm.example");
  const auto refused = Queue::open({"nats://secret@127.0.0.1:1"}, "test");
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_string(refused.error()).find("secret"), std::string::npos);
}

TEST(FullStore, IsToldAndMadeRoomIn) {
  const std::filesystem::path config =
      std::filesystem::temp_directory_path() / fmt::format("farm-{}.conf", ::getpid());
  std::ofstream(config) << "jetstream { max_file_store: 65536 }\n";
  const Server small({"-c", config.string()});
  const auto queue = queue_at(small.url());
  FarmMeasurer measurer(*queue, some_kind(), [](const std::string&) {});
  // Long scripts fill it.
  std::vector<std::string> asked;
  for (int i = 0; i < 40; ++i)
    asked.push_back(fmt::format("i_o, i_i = split(i, [-1, {}])\n", i + 1) + std::string(4000, '#') +
                    "\n");
  const auto outcomes = measurer.measure(tune::product(), "", asked, 0, {}, {});
  ASSERT_EQ(outcomes.size(), asked.size());
  for (const Outcome& outcome : outcomes) {
    ASSERT_TRUE(outcome.failure);
    EXPECT_EQ(outcome.failure->diagnostic.code, Code::FarmRefused);
    EXPECT_THAT(outcome.failure->diagnostic.hint, HasSubstr("full"));
  }
  // With a worker that takes them as they come, there is room for a few at a time.
  Hand one(small.url(), "one");
  const auto few = std::vector<std::string>(asked.begin(), asked.begin() + 4);
  for (const Outcome& outcome : measurer.measure(tune::product(), "", few, 0, {}, {}))
    EXPECT_FALSE(outcome.failure) << to_string(outcome.failure->diagnostic);
  std::filesystem::remove(config);
}

TEST(Connecting, SaysWhatIsWrong) {
  const auto refused = [](const Address& address) {
    const auto queue = Queue::open(address, "test");
    EXPECT_FALSE(queue);
    return queue ? Diagnostic{} : queue.error();
  };
  EXPECT_EQ(refused({"nats://127.0.0.1:1"}).code, Code::FarmUnreachable);
  const Server guarded({"--auth", "secret"});
  EXPECT_THAT(refused({guarded.url()}).hint, HasSubstr("LOOPGLASS_FARM_TOKEN"));
  EXPECT_TRUE(Queue::open({guarded.url(), "secret"}, "test"));
  EXPECT_EQ(refused({guarded.url(), "secret", "/nowhere/ca.pem"}).code, Code::UsageInvalid);
}

}  // namespace
}  // namespace loopglass::farm
