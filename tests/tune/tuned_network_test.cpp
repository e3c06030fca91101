// What is faster alone and slower in its network is given up, and said at once.
#include "core/tuned_network.h"

#include "core/tuning_task.h"
#include "samples/samples.h"
#include "tests/session/session_on.h"
#include "tests/tune/kernels.h"

#include <gmock/gmock.h>

namespace loopglass::tune {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

const std::string as_it_stands = "// as it stands\n";

class TunedNetwork : public ::testing::Test {
 protected:
  // Kernels as they stand seem to be twice as fast, or twice as slow.
  void tune(double own_ms) {
    measurer_.outcome = [own_ms](const std::string& script) {
      return took(script.find('=') == std::string::npos ? own_ms : 2.0);
    };
    TuneSettings settings;
    settings.trials = 1;
    tuning_ = std::make_unique<NetworkTuning>(settings, measurer_, NetworkTuning::Watch{});
    const auto plan = session_->plan().value();
    std::vector<const fusion::Group*> groups;
    for (const fusion::Group& group : plan->groups) groups.push_back(&group);
    std::vector<Task> tasks = tuning_tasks(*session_, groups, 1);
    for (Task& task : tasks)
      if (task.kernel.find("softmax") == std::string::npos) task.own_scripts = {as_it_stands};
    ASSERT_TRUE(tuning_->begin(std::move(tasks), nullptr, {}));
    ASSERT_TRUE(tuning_->run());
  }
  Result<NetworkTimes> keep(const Cancellation& cancellation = {}) {
    return keep_what_pays(
        *tuning_, *session_, 1, workers_,
        [this](const Tuning& each) -> Result<void> {
          withdrawn_.push_back(each.task().kernel);
          return {};
        },
        cancellation);
  }

  std::unique_ptr<Session> session_ = session_on(samples::find_sample("mlp")->build(0).value());
  FakeMeasurer measurer_;
  measure::WorkerPool workers_{measure::Program{LOOPGLASSC, {"worker"}}};
  std::unique_ptr<NetworkTuning> tuning_;
  std::vector<std::string> withdrawn_;
};

TEST_F(TunedNetwork, GivesUpWhatIsSlowerThere) {
  tune(1);
  const auto times = keep();
  ASSERT_TRUE(times) << to_string(times.error());
  EXPECT_THAT(withdrawn_, Not(IsEmpty()));
  EXPECT_LE(times->turns.ratio, 1);
  for (const auto& each : tuning_->tunings())
    if (std::ranges::count(withdrawn_, each->task().kernel) > 0)
      EXPECT_EQ(each->best_trial().number, 0) << each->task().kernel;
}

TEST_F(TunedNetwork, HasNothingToGiveUpWhereNothingWasFound) {
  tune(4);
  const auto times = keep();
  ASSERT_TRUE(times) << to_string(times.error());
  EXPECT_THAT(withdrawn_, IsEmpty());
}

TEST_F(TunedNetwork, IsCancelled) {
  tune(1);
  Cancellation cancellation;
  cancellation.request();
  const auto times = keep(cancellation);
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().code, Code::Cancelled);
  EXPECT_THAT(withdrawn_, IsEmpty());
}

}  // namespace
}  // namespace loopglass::tune
