// Knobs that a person pins and values that they forbid: what is searched then, and that nothing
// else is tried.
#include "core/tune/steering.h"

#include "core/tune/tuning.h"
#include "tests/tune/kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::tune {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Sketch sketch(std::string name, std::vector<Knob> knobs) {
  return {std::move(name), "", std::move(knobs), [](std::span<const int> choices) {
            return Result<schedule::Scheduled>(
                fail(Code::ScheduleIllegal, fmt::format("{}", fmt::join(choices, ","))));
          }};
}

Space some_space() {
  Space space{"some", {}, {}, {}};
  space.sketches.push_back(sketch("a", {{"tile", {"1", "2", "4", "8"}}, {"order", {"ij", "ji"}}}));
  space.sketches.push_back(sketch("b", {{"tile", {"4", "16"}}}));
  space.promising = {{0, {2, 1}}, {1, {1}}, {0, {0, 0}}};
  return space;
}

TEST(Steering, NarrowsSketchesThatKnowTheKnob) {
  const auto steered = SteeredSpace::make(some_space(), {{KnobRule::Kind::Pin, "order", "ji"}});
  ASSERT_TRUE(steered) << to_string(steered.error());
  ASSERT_EQ(steered->space().sketches.size(), 2u);
  EXPECT_EQ(steered->space().size(), 4 + 2);
  EXPECT_EQ(steered->full({0, {3, 0}}), (Point{0, {3, 1}}));
  EXPECT_EQ(steered->steered({0, {3, 1}}), (Point{0, {3, 0}}));
  EXPECT_EQ(steered->steered({0, {3, 0}}), std::nullopt);
  EXPECT_THAT(steered->space().promising, ElementsAre(Point{0, {2, 0}}, Point{1, {1}}));
  // What is written is the full space's.
  EXPECT_EQ(steered->space().script({0, {3, 0}}).error().what, "3,1");
}

TEST(Steering, LeavesOutWhatHasNothingLeft) {
  const auto steered = SteeredSpace::make(some_space(), {{KnobRule::Kind::Pin, "tile", "2"},
                                                         {KnobRule::Kind::Pin, "tile", "8"},
                                                         {KnobRule::Kind::Forbid, "tile", "8"}});
  ASSERT_TRUE(steered);
  ASSERT_EQ(steered->space().sketches.size(), 1u);
  EXPECT_THAT(steered->space().sketches[0].knobs[0].values, ElementsAre("2"));
  EXPECT_EQ(steered->steered({1, {0}}), std::nullopt);
}

TEST(Steering, SaysWhatThereIs) {
  const auto refusal = [](const std::vector<KnobRule>& rules) {
    const auto steered = SteeredSpace::make(some_space(), rules);
    EXPECT_FALSE(steered);
    return steered ? std::string() : to_string(steered.error());
  };
  EXPECT_THAT(refusal({{KnobRule::Kind::Pin, "unroll", "4"}}), HasSubstr("order, tile"));
  EXPECT_THAT(refusal({{KnobRule::Kind::Forbid, "tile", "32"}}), HasSubstr("1; 2; 4; 8; 16"));
  EXPECT_THAT(
      refusal({{KnobRule::Kind::Pin, "tile", "16"}, {KnobRule::Kind::Forbid, "tile", "16"}}),
      AllOf(HasSubstr("nothing is left"), HasSubstr("tile=16 pinned, tile=16 forbidden")));
  EXPECT_FALSE(knob_rule(KnobRule::Kind::Pin, "tile"));
  EXPECT_FALSE(knob_rule(KnobRule::Kind::Pin, "=4"));
  EXPECT_EQ(knob_rule(KnobRule::Kind::Pin, "tile=4 x 16"),
            (KnobRule{KnobRule::Kind::Pin, "tile", "4 x 16"}));
}

// As a shell makes it of --pin unroll="4".
TEST(Steering, TextsGoWithoutTheirQuotes) {
  Space space = some_space();
  space.sketches.push_back(sketch("c", {{"unroll", {R"("1")", R"("4")"}}}));
  const auto steered = SteeredSpace::make(space, {{KnobRule::Kind::Pin, "unroll", "4"}});
  ASSERT_TRUE(steered) << to_string(steered.error());
  EXPECT_EQ(steered->space().sketches.back().knobs[0].values, std::vector<std::string>{R"("4")"});
}

// Every point of the steered space is one of the full, the same there and back, and none is lost
// that the rules allow.
TEST(Steering, BlanksDoNotMatterAndHintsAreShort) {
  Space space = some_space();
  std::vector<std::string> values;
  for (int i = 0; i < 40; ++i) values.push_back(fmt::format("[{}, 4]", i));
  space.sketches.push_back(sketch("c", {{"split", values}}));
  const auto steered = SteeredSpace::make(space, {{KnobRule::Kind::Pin, "split", "[7,4]"}});
  ASSERT_TRUE(steered) << to_string(steered.error());
  EXPECT_EQ(steered->space().sketches.back().knobs[0].values, (std::vector<std::string>{"[7, 4]"}));
  const auto refused = SteeredSpace::make(space, {{KnobRule::Kind::Pin, "split", "[7, 5]"}});
  EXPECT_THAT(refused.error().hint,
              AllOf(HasSubstr("its values: [7, 4]; "), HasSubstr("40 in all")));
  EXPECT_LT(refused.error().hint.size(), 200u);
}

TEST(Steering, PointsComeBack) {
  const Space full = some_space();
  for (const std::vector<KnobRule>& rules :
       {std::vector<KnobRule>{}, std::vector<KnobRule>{{KnobRule::Kind::Forbid, "tile", "4"}},
        std::vector<KnobRule>{{KnobRule::Kind::Pin, "tile", "4"},
                              {KnobRule::Kind::Forbid, "order", "ij"}}}) {
    const auto steered = SteeredSpace::make(full, rules);
    ASSERT_TRUE(steered);
    double kept = 0;
    for (double place = 0; place < full.size(); ++place) {
      const Point point = full.at(place);
      const auto narrow = steered->steered(point);
      kept += narrow.has_value();
      if (narrow) {
        EXPECT_EQ(steered->full(*narrow), point);
      }
    }
    EXPECT_EQ(kept, steered->space().size());
  }
}

std::string knob_value(const Tuning& tuning, const Trial& trial, const std::string& name) {
  const auto& knobs = tuning.space().sketch_of(*trial.point).knobs;
  for (std::size_t k = 0; k < knobs.size(); ++k)
    if (knobs[k].name == name)
      return knobs[k].values[static_cast<std::size_t>(trial.point->choices[k])];
  return {};
}

TEST(Steering, EverySearchKeepsToIt) {
  for (const SearchKind& kind : all_search_kinds()) {
    FakeMeasurer fake;
    TuneSettings settings;
    settings.space = "template";
    settings.search = kind.name;
    settings.cost_model = "trees-loops";
    settings.trials = 48;
    auto tuning = Tuning::begin(product(), settings, fake, {}).value();
    ASSERT_TRUE(tuning->round(12));
    const Knob& knob = tuning->space().sketches[0].knobs[0];
    ASSERT_GT(knob.values.size(), 2u);
    const std::string pinned = knob.values[1];
    const std::size_t before = tuning->trials().size();
    ASSERT_TRUE(tuning->steer({{KnobRule::Kind::Pin, knob.name, pinned}})) << kind.name;
    for (int round = 0; round < 3; ++round) ASSERT_TRUE(tuning->round(8));
    EXPECT_GT(tuning->trials().size(), before) << kind.name;
    std::set<Point> seen;
    for (std::size_t t = 1; t < tuning->trials().size(); ++t) {
      const Trial& trial = tuning->trials()[t];
      if (!trial.point) continue;
      EXPECT_TRUE(seen.insert(*trial.point).second) << kind.name << ": nothing is tried twice";
      if (t < before) continue;
      EXPECT_EQ(knob_value(*tuning, trial, knob.name), pinned) << kind.name;
      EXPECT_GT(trial.round, 1);
    }
    // What is wrong changes nothing.
    EXPECT_FALSE(tuning->steer({{KnobRule::Kind::Pin, knob.name, "nonsense"}}));
    EXPECT_EQ(tuning->rules().size(), 1u);
  }
}

TEST(Steering, OwnScriptsStandAgainstWhatIsFound) {
  FakeMeasurer fake;
  Task task = product();
  task.own_scripts = {"i_o, i_i = split(i, [-1, 4])\n"};
  const auto tuning = Tuning::begin(task, {}, fake, {});
  ASSERT_TRUE(tuning) << to_string(tuning.error());
  ASSERT_EQ((*tuning)->trials().size(), 2u);
  EXPECT_EQ((*tuning)->trials()[1].how, "a script of one's own");
  task.own_scripts = {"vectorize(nowhere)\n"};
  const auto refused = Tuning::begin(task, {}, fake, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::ScheduleHandleUnknown);
}

}  // namespace
}  // namespace loopglass::tune
