// Tuning: what it measures, keeps and tells, with times that are known.
#include "core/tune/network_tuning.h"

#include "tests/tune/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>

namespace loopglass::tune {
namespace {

using ::testing::HasSubstr;

TuneSettings settings(std::string space = "template", std::string search = "evolutionary",
                      std::string model = "trees-stores") {
  TuneSettings settings{std::move(space), std::move(search), std::move(model)};
  settings.trials = 48;
  settings.round = 8;
  return settings;
}

struct Told {
  std::vector<std::string> scripts;
  int finals = 0;
};

Result<std::unique_ptr<Tuning>> tuned(Task task, const TuneSettings& settings, FakeMeasurer& fake,
                                      Told* told = nullptr) {
  auto tuning = TRY(Tuning::begin(std::move(task), settings, fake,
                                  [told](const Tuning&, const Trial& trial, bool is_final) {
                                    if (told && is_final) ++told->finals;
                                    else if (told) told->scripts.push_back(trial.script);
                                    return Result<void>();
                                  }));
  while (tuning->measured() < settings.trials)
    if (!TRY(tuning->round(settings.round))) break;
  TRY_VOID(tuning->finish());
  return tuning;
}

TEST(Tuning, KeepsTheFastestOfAllThatItMeasured) {
  FakeMeasurer fake;
  Told told;
  const auto tuning = tuned(product(), settings(), fake, &told);
  ASSERT_TRUE(tuning) << to_string(tuning.error());
  EXPECT_GE((*tuning)->measured(), 48u);
  EXPECT_EQ(told.scripts.size(), (*tuning)->trials().size());
  EXPECT_EQ(told.finals, 9) << "the leaders and the default schedule";
  double best = 10;
  for (const Trial& trial : (*tuning)->trials())
    best = std::min(best, trial.outcome.milliseconds());
  EXPECT_EQ((*tuning)->best_ms(), best);
  EXPECT_LE((*tuning)->best_ms(), (*tuning)->default_ms());
  EXPECT_GT((*tuning)->quality().trials, 0u);
}

// All spaces, searches and models that there are, together.
TEST(Tuning, GoesWithEverySpaceSearchAndModel) {
  for (const SpaceKind& space : all_space_kinds())
    for (const SearchKind& search : all_search_kinds())
      for (const CostModelKind& model : all_cost_model_kinds()) {
        if (!search.goes_by_model && model.name != "none") continue;
        FakeMeasurer fake;
        TuneSettings few = settings(space.name, search.name, model.name);
        few.trials = 8;
        few.round = 4;
        const auto tuning = tuned(product(), few, fake);
        ASSERT_TRUE(tuning) << to_string(tuning.error());
        EXPECT_GE((*tuning)->measured(), 8u) << space.name << search.name << model.name;
        for (const Trial& trial : (*tuning)->trials()) EXPECT_EQ(trial.words.empty(), !trial.point);
      }
}

TEST(Tuning, IsTheSameBySeed) {
  for (const char* search : {"evolutionary", "annealing", "reinforcement", "droplet", "genetic"}) {
    FakeMeasurer fake;
    Told once, again, other;
    TuneSettings by = settings("template", search);
    by.trials = 24;
    ASSERT_TRUE(tuned(product(), by, fake, &once));
    ASSERT_TRUE(tuned(product(), by, fake, &again));
    EXPECT_EQ(once.scripts, again.scripts) << search;
    by.seed = 2;
    ASSERT_TRUE(tuned(product(), by, fake, &other));
    EXPECT_NE(once.scripts, other.scripts) << search;
  }
}

TEST(Tuning, NeverGivesUpTheDefaultForSomethingSlower) {
  FakeMeasurer fake;
  std::string usual;
  fake.outcome = [&](const std::string& script) {
    if (usual.empty()) usual = script;
    return took(script == usual ? 1 : 2);
  };
  const auto tuning = tuned(product(), settings(), fake);
  ASSERT_TRUE(tuning);
  EXPECT_EQ((*tuning)->best_trial().number, 0);
  EXPECT_EQ((*tuning)->best_trial().script, usual);
}

// Luck in the search does not last: in turns the default is the faster.
TEST(Tuning, MeasuresTheLeadersOnceMore) {
  FakeMeasurer fake;
  std::string usual;
  int asked = 0;
  fake.outcome = [&](const std::string& script) {
    if (usual.empty()) usual = script;
    const bool in_turns = ++asked > 50;
    return took(script == usual ? 1.5 : in_turns ? 1.6 : 1.2);
  };
  const auto tuning = tuned(product(), settings(), fake);
  ASSERT_TRUE(tuning);
  EXPECT_EQ((*tuning)->best_trial().number, 0);
  EXPECT_EQ((*tuning)->best_ms(), 1.5);
}

// Scripts of one code run in turns once, so that none has a time of its own beside another's.
TEST(Tuning, MeasuresCodeInTurnsOnce) {
  FakeMeasurer fake;
  int asked = 0;
  fake.outcome = [&](const std::string&) {
    Outcome outcome = took(++asked % 2 == 0 ? 1 : 2);
    outcome.same_code = asked > 2;
    return outcome;
  };
  Told told;
  const auto tuning = tuned(product(), settings(), fake, &told);
  ASSERT_TRUE(tuning) << to_string(tuning.error());
  EXPECT_EQ(told.finals, 2) << "the default schedule's code, and the other";
}

TEST(Tuning, ClassesFailuresAndGoesOn) {
  FakeMeasurer fake;
  int asked = 0;
  fake.outcome = [&](const std::string&) {
    switch (++asked % 4) {
      case 0: return failed(measure::FailureKind::Crashed);
      case 2: return failed(measure::FailureKind::TimedOut);
      case 3: return failed(measure::FailureKind::Wrong);
      default: return took(2);
    }
  };
  const auto tuning = tuned(product(), settings(), fake);
  ASSERT_TRUE(tuning) << to_string(tuning.error());
  const auto failures = (*tuning)->failures();
  EXPECT_GT(failures.at("crashed"), 5);
  EXPECT_GT(failures.at("timed out"), 5);
  EXPECT_GT(failures.at("wrong result"), 5);
  for (const Trial& trial : (*tuning)->trials())
    if (trial.outcome.failure && trial.outcome.failure->kind != measure::FailureKind::Illegal) {
      EXPECT_FALSE(trial.script.empty()) << "it can be replayed";
    }
}

TEST(Tuning, SaysWhereEvenTheDefaultFails) {
  FakeMeasurer fake;
  fake.outcome = [](const std::string&) { return failed(measure::FailureKind::Crashed); };
  const auto tuning = tuned(product(), settings(), fake);
  ASSERT_FALSE(tuning);
  EXPECT_EQ(tuning.error().code, Code::WorkerCrashed);
  EXPECT_THAT(tuning.error().where, HasSubstr("default schedule"));
}

TEST(Tuning, NamesWhatThereIs) {
  EXPECT_THAT(check(settings("constrict")).error().hint, HasSubstr("did you mean 'construct'?"));
  EXPECT_THAT(check(settings("template", "magic")).error().hint, HasSubstr("evolutionary"));
  EXPECT_THAT(check(settings("template", "random", "oracle")).error().hint, HasSubstr("net"));
  FakeMeasurer fake;
  const Task task = task_of(R"(
    func twice(X: float32[64] input, Y: float32[64] output) {
      for i in 64 { block Y(v0 = i) { Y[v0] = X[v0] * 2.0f } } })");
  EXPECT_EQ(tuned(task, settings(), fake).error().code, Code::NothingToTune);
}

TEST(Tuning, MeasuresNoScriptTwice) {
  FakeMeasurer fake;
  TuneSettings small = settings("construct", "random", "none");
  small.trials = 200;
  const auto tuning = Tuning::begin(product(), small, fake, {});
  ASSERT_TRUE(tuning);
  while ((*tuning)->measured() < small.trials && (*tuning)->round(16).value()) {
  }
  EXPECT_EQ(fake.asked, static_cast<int>(fake.measured.size()));
}

// What others measured before is not proposed again, and the model knows it from the first round.
TEST(Tuning, BeginsWithRecords) {
  FakeMeasurer fake;
  const Conditions here{"a processor", "a target", "", 1};
  Records records;
  std::set<std::string> seen;
  const auto first = tuned(product(), settings(), fake);
  ASSERT_TRUE(first);
  for (const Trial& trial : (*first)->trials()) {
    records.records.push_back(record_of(**first, trial, false, here, "run"));
    seen.insert(trial.words);
  }
  const auto parsed = parse_records(to_text(records));
  ASSERT_TRUE(parsed);
  TuneSettings more = settings();
  more.seed = 5;
  const auto second = Tuning::begin(product(), more, fake, {});
  ASSERT_TRUE(second);
  (*second)->learn(*parsed, here);
  ASSERT_TRUE((*second)->round(16));
  int foretold = 0;
  for (const Trial& trial : (*second)->trials()) {
    if (!trial.point) continue;
    EXPECT_FALSE(seen.contains(trial.words)) << trial.words;
    foretold += trial.predicted.has_value();
  }
  EXPECT_GT(foretold, 8) << "the model had learned of what was there";
  // Of another machine nothing is taken.
  const auto third = Tuning::begin(product(), more, fake, {});
  (*third)->learn(*parsed, {"another processor", "a target", "", 1});
  ASSERT_TRUE((*third)->round(16));
  for (const Trial& trial : (*third)->trials()) EXPECT_FALSE(trial.predicted.has_value());
}

// What was fastest for another shape is tried, where it is legal, and not taken on trust.
TEST(Tuning, TriesWhatWasFastestElsewhere) {
  FakeMeasurer fake;
  const Conditions here{"a processor", "a target", "", 1};
  const auto first = tuned(product(), settings("construct", "random", "none"), fake);
  ASSERT_TRUE(first);
  Records records;
  for (const Trial& trial : (*first)->trials())
    records.records.push_back(record_of(**first, trial, false, here, "run"));
  ASSERT_NE((*first)->best_trial().number, 0);
  const Task larger = task_of(R"(
    func product(A: float32[48, 96] input, B: float32[96, 64] constant, C: float32[48, 64] output) {
      for i in 48 { for j in 64 { for k in 96 {
        block C(v0 = i, v1 = j, reduce v2 = k) by sum {
          init { C[v0, v1] = 0.0f }
          C[v0, v1] = C[v0, v1] + A[v0, v2] * B[v2, v1] } } } } })");
  const auto second = Tuning::begin(larger, settings(), fake, {});
  ASSERT_TRUE(second);
  ASSERT_TRUE((*second)->transfer(records, here));
  ASSERT_EQ((*second)->trials().size(), 2u);
  EXPECT_EQ((*second)->trials()[1].script, best_of(records, workload_of(product()), here)->script);
  EXPECT_THAT((*second)->trials()[1].how, HasSubstr("as kernel was fastest"));
  // Its own stands against what is found now.
  const auto again = Tuning::begin(product(), settings(), fake, {});
  ASSERT_TRUE((*again)->transfer(records, here));
  ASSERT_EQ((*again)->trials().size(), 2u);
  EXPECT_EQ((*again)->trials()[1].how, "the fastest of the records");
  // Of another kernel nothing is legal here.
  const auto third = Tuning::begin(row_sums(), settings(), fake, {});
  ASSERT_TRUE((*third)->transfer(records, here));
  EXPECT_EQ((*third)->trials().size(), 1u);
  // A person's own, with decisions in it too.
  const std::vector<Tuning::Foreign> own{
      {"t = sample([8, 4], 4)\ni_o, i_i = split(i, [-1, 4])", "mine"}, {"nonsense", "mine"}};
  const auto left = (*second)->try_scripts(own);
  ASSERT_TRUE(left);
  EXPECT_EQ(*left, 1u);
  EXPECT_EQ((*second)->trials().back().script, "i_o, i_i = split(i, [-1, 4])\n");
}

TEST(Tuning, StopsWhereItIsCancelledAndLosesNothing) {
  FakeMeasurer fake;
  const Cancellation cancellation;
  int asked = 0;
  fake.outcome = [&](const std::string&) {
    if (++asked == 12) cancellation.request();
    return took(1);
  };
  const auto tuning = Tuning::begin(product(), settings(), fake, {});
  ASSERT_TRUE(tuning);
  Result<bool> round = true;
  while (round && *round) round = (*tuning)->round(8, cancellation);
  ASSERT_FALSE(round);
  EXPECT_EQ(round.error().code, Code::Cancelled);
  EXPECT_GE((*tuning)->trials().size(), 12u);
  EXPECT_FALSE((*tuning)->failures().contains("cancelled"));
}

TEST(Tuning, EndsWhereRecordsCannotBeWritten) {
  FakeMeasurer fake;
  int told = 0;
  const auto tuning =
      Tuning::begin(product(), settings(), fake, [&](const Tuning&, const Trial&, bool) {
        return ++told > 5 ? Result<void>(fail(Code::DiskFull, "full")) : Result<void>();
      });
  ASSERT_TRUE(tuning);
  EXPECT_EQ((*tuning)->round(16).error().code, Code::DiskFull);
}

// Ways to judge a program by its constants' layout.
TEST(Tuning, JudgesByLayout) {
  for (const Layout layout : all_layouts) {
    FakeMeasurer fake;
    fake.outcome = [](const std::string& script) {
      return took(script.find("transform_layout") == std::string::npos ? 3 : 1);
    };
    TuneSettings by = settings("sketch", "random", "none");
    by.layout = layout;
    const auto tuning = tuned(product(), by, fake);
    ASSERT_TRUE(tuning) << to_string(tuning.error());
    std::set<Layout> seen;
    for (const Trial& trial : (*tuning)->trials()) {
      if (!trial.point || trial.outcome.failure) continue;
      seen.insert(trial.layout);
      const bool is_laid_out = trial.script.find("transform_layout(\"B\"") != std::string::npos;
      if (!is_laid_out) continue;
      EXPECT_EQ(trial.outcome.milliseconds(), 1) << "what is kept is laid out";
      const double judged = trial.layout == Layout::None            ? 3
                            : trial.layout == Layout::AtCompileTime ? 1
                                                                    : 4;  // and the layout's own
      EXPECT_EQ(trial.judged_ms, judged) << name(trial.layout);
    }
    EXPECT_EQ(seen.size(), layout == Layout::Adaptive ? 3u : 1u) << name(layout);
  }
}

TEST(NetworkTuning, UsesTheSecondsItHas) {
  FakeMeasurer fake;
  TuneSettings by = settings("template", "random", "none");
  by.trials = 0;
  by.seconds = 2;
  by.round = 1;
  NetworkTuning tuning(by, fake, {});
  ASSERT_TRUE(tuning.begin({product()}, nullptr, {}));
  ASSERT_TRUE(tuning.run());
  EXPECT_GE(tuning.seconds(), by.seconds / 2) << "after " << tuning.measured() << " trials";
}

TEST(NetworkTuning, SharesTrialsByWhatTheyPromise) {
  FakeMeasurer fake;
  // The convolution takes most and gains most; the sums take next to nothing.
  fake.outcome = [](const std::string& script) {
    const bool is_default = script.find("sum_order") == std::string::npos;
    if (script.find("\"S\"") != std::string::npos) return took(0.001);
    if (script.find("conv") != std::string::npos) return took(is_default ? 10 : 9);
    return took(1);
  };
  TuneSettings by = settings("template", "random", "none");
  by.trials = 32;
  std::map<std::string, int> rounds;
  NetworkTuning::Watch watch;
  watch.on_round = [&](const Tuning& tuning, const std::string& why) -> Result<void> {
    ++rounds[tuning.task().nest.name];
    EXPECT_FALSE(why.empty());
    return {};
  };
  NetworkTuning tuning(by, fake, watch);
  const Task nothing = task_of(R"(
    func twice(X: float32[64] input, Y: float32[64] output) {
      for i in 64 { block Y(v0 = i) { Y[v0] = X[v0] * 2.0f } } })");
  const auto begun = tuning.begin({product(), convolution(), row_sums(), nothing}, nullptr, {});
  ASSERT_TRUE(begun) << to_string(begun.error());
  EXPECT_EQ(tuning.tunings().size(), 3u);
  ASSERT_EQ(tuning.left().size(), 1u);
  ASSERT_TRUE(tuning.run());
  EXPECT_GE(tuning.measured(), 96u);
  EXPECT_GT(rounds["conv"], rounds["product"]);
  EXPECT_EQ(rounds["sums"], 0) << "it is not worth a trial";
}

TEST(TaskScheduler, GoesWhereTimeIs) {
  std::vector<TaskProgress> tasks{{1, {10}}, {5, {4}}, {1, {0.001}}};
  EXPECT_EQ(next_task(tasks)->task, 1u) << "20 ms of the network";
  tasks[1].best_ms = {4, 3.9};
  EXPECT_EQ(next_task(tasks)->task, 0u) << "its first round";
  tasks[0].best_ms = {10, 5};
  // What just fell by half may fall on; what hardly fell is weighed by how often it runs.
  EXPECT_NE(next_task(tasks)->task, 2u);
  tasks[0].is_done = tasks[1].is_done = true;
  EXPECT_FALSE(next_task(tasks).has_value()) << "the third takes no time";
}

}  // namespace
}  // namespace loopglass::tune
