// Parts of the tuning workspace by themselves: words, the map of two knobs, the table of trials.
#include "views/tuning/knob_map.h"
#include "views/tuning/run_words.h"
#include "views/tuning/trial_table.h"

#include <QTest>

#include <gmock/gmock.h>
#include <limits>

namespace loopglass::views {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ShownTrial some_trial(int number, double ms, bool left_early) {
  ShownTrial trial;
  trial.number = number;
  trial.ms = ms;
  trial.left_early = left_early;
  if (number > 0) trial.point = tune::Point{0, {0, 0}};
  return trial;
}

TEST(RunWords, SayWhyWhatWasFasterIsNotTaken) {
  ShownRun run;
  run.state = RunState::Done;
  run.trials = {some_trial(0, 2, false), some_trial(1, 1, false)};
  for (ShownTrial& trial : run.trials) trial.in_turns_ms = trial.ms;
  run.best = 0;
  const std::string too_little = "nothing was faster by the 3 % that count",
                    network = "slower in the network: the default schedule stays";
  EXPECT_THAT(run_html(run).toStdString(), AllOf(HasSubstr(too_little), Not(HasSubstr(network))));
  run.is_withdrawn = true;
  EXPECT_THAT(run_html(run).toStdString(), AllOf(HasSubstr(network), Not(HasSubstr(too_little))));
}

// A cell whose trials were all left early is no other trial's.
TEST(KnobMapTest, ACellIsOfItsOwnTrials) {
  ShownRun run;
  run.sketches = std::make_shared<const std::vector<ShownSketch>>(
      std::vector<ShownSketch>{{"a", {{"tile", {"4"}}, {"group", {"1"}}}}});
  run.trials = {some_trial(0, 2, false), some_trial(1, 9, true)};
  KnobMap map;
  map.resize(400, 300);
  map.show();
  std::vector<int> chosen;
  QObject::connect(&map, &KnobMap::trialChosen, &map, [&](int trial) { chosen.push_back(trial); });
  auto* cells = map.findChild<QWidget*>("knobCells");
  const auto click = [&] {
    map.show_run(&run, 0, std::numeric_limits<int>::max(), -1);
    QTest::mouseClick(cells, Qt::LeftButton, {}, cells->rect().center());
  };
  click();
  EXPECT_TRUE(chosen.empty());
  run.trials.push_back(some_trial(2, 1, false));
  click();
  EXPECT_EQ(chosen, (std::vector<int>{2}));
}

TEST(TrialTableTest, SortsMicroseconds) {
  ShownRun run;
  run.trials = {some_trial(0, 0.00725, false), some_trial(1, 0.00724, false),
                some_trial(2, 0.0001, true)};
  TrialTable table;
  table.show(run);
  const auto key = [&](int row) {
    return table.index(row, TrialTable::Time).data(TrialTable::sort_role).toDouble();
  };
  EXPECT_LT(key(1), key(0));
  EXPECT_LT(key(0), key(2)) << "what was left early comes behind";
}

}  // namespace
}  // namespace loopglass::views
