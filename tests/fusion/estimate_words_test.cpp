// Estimates in words: digits only of a machine that was calibrated, and no gain within the error.
#include "core/fusion/estimate_words.h"
#include "core/fusion/gain.h"
#include "core/fusion/layer_words.h"
#include "core/machine/machine_json.h"
#include "passes/fusion/dynamic_programming.h"
#include "passes/fusion/mapping.h"
#include "samples/samples.h"
#include "tests/graph/parsed.h"

#include <gmock/gmock.h>

#include <regex>

namespace loopglass::fusion {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CostModel calibrated(double error) {
  Machine machine;
  machine.processor = "this machine";
  machine.peak_gflops.from = Provenance::Measured;
  machine.estimate_error = error;
  return CostModel(machine);
}

TEST(EstimateWords, AreTimesOnlyWhereTheMachineWasCalibrated) {
  const CostModel defaults;
  EXPECT_EQ(EstimateWords(defaults, 200)(150), "75.0 %");
  EXPECT_EQ(EstimateWords(calibrated(0.1), 200)(150), "150 µs");
}

// A rule that says 12.3 must be less than 12.3 would be none.
TEST(EstimateWords, HaveAsManyDigitsAsTellThemApart) {
  const auto [one, other] = EstimateWords(calibrated(0.1), 1).both(2353.51, 2353.62);
  EXPECT_EQ(one, "2.3535 ms");
  EXPECT_EQ(other, "2.3536 ms");
  const CostModel defaults;
  const auto [least, most] = EstimateWords(defaults, 2353.62).both(2353.51, 2353.62);
  EXPECT_EQ(least, "99.995 %");
  EXPECT_EQ(most, "100.000 %");
  const auto [same, again] = EstimateWords(calibrated(0.1), 1).both(5, 5);
  EXPECT_EQ(same, again);
}

// Six digits of an estimate are no more than three and a difference.
TEST(EstimateWords, SayTheDifferenceOfWhatThreeDigitsDoNotTellApart) {
  const CostModel defaults;
  const auto weighed = [](const EstimateWords& words, double one, double other) {
    return words.weighed(one, "in one kernel", other, "in two");
  };
  EXPECT_EQ(weighed(EstimateWords(defaults, 200), 150, 200),
            "25.00 % less in one kernel than in two");
  EXPECT_EQ(weighed(EstimateWords(calibrated(0.1), 1), 150, 200),
            "150 µs in one kernel, 200 µs in two");
  EXPECT_EQ(weighed(EstimateWords(calibrated(0.1), 1), 2353.1, 2353.6),
            "0.02 % less in one kernel than in two");
  EXPECT_EQ(weighed(EstimateWords(defaults, 2353.1), 2353.6, 2353.1),
            "0.02 % more in one kernel than in two");
  EXPECT_EQ(weighed(EstimateWords(defaults, 5), 5, 5), "the same in one kernel as in two");
}

TEST(EstimateWords, RankWhatTakesLongerLater) {
  EXPECT_THAT(ranks({30, 10, 20, 10}), ElementsAre("4th", "1st", "3rd", "1st"));
}

TEST(Gains, BelowTheErrorAreNone) {
  const CostModel model = calibrated(0.1);
  const auto of = [&](double time) { return estimated(model, {Cost{.total = time}}); };
  EXPECT_EQ(judge(of(100), of(95)), Gain::None);
  EXPECT_EQ(judge(of(100), of(80)), Gain::Gain);
  EXPECT_EQ(judge(of(80), of(100)), Gain::Loss);
  EXPECT_EQ(judge(of(100), of(100)), Gain::None);
}

TEST(Gains, OfAMachineThatWasNotCalibratedAreNotKnown) {
  const CostModel model;
  EXPECT_EQ(judge(estimated(model, {Cost{.total = 100}}), estimated(model, {Cost{.total = 1}})),
            Gain::Unknown);
}

// A measured kernel is wrong by what its rounds differ, not by what the model is wrong.
TEST(Gains, OfMeasuredKernelsGoByTheirSpread) {
  const CostModel model = calibrated(0.5);
  const auto measured = [&](double time, double spread) {
    return estimated(model, {Cost{.measured = true, .spread = spread, .total = time}});
  };
  EXPECT_EQ(judge(measured(100, 0.01), measured(95, 0.01)), Gain::Gain);
  EXPECT_EQ(judge(measured(100, 0.1), measured(95, 0.1)), Gain::None);
}

TEST(TypicalError, IsTheMedianFactorEitherWay) {
  EXPECT_DOUBLE_EQ(typical_error({1, 1, 1}), 0);
  EXPECT_NEAR(typical_error({2, 0.5, 1}), 1, 1e-12);
  EXPECT_NEAR(typical_error({1.1, 1 / 1.1, 1.1, 3}), 0.1, 1e-12);
}

TEST(TypicalError, IsKeptWithTheConstants) {
  const auto again = machine_from_json(to_json(calibrated(0.25).machine()));
  ASSERT_TRUE(again);
  EXPECT_DOUBLE_EQ(again->estimate_error, 0.25);
  const CostModel model(*again);
  EXPECT_DOUBLE_EQ(model.error().value(), 0.25);
  EXPECT_THAT(model.notes().back(), HasSubstr("factor of more than 1.25"));
  EXPECT_FALSE(CostModel().error());
}

NearMiss miss(double saved, Gain gain) {
  NearMiss miss;
  miss.change.kind = Change::Kind::Force;
  miss.saved_microseconds = saved;
  miss.gain = gain;
  return miss;
}

TEST(GainWords, PromiseNothingThatNobodyKnows) {
  EXPECT_THAT(gain_words({miss(12.3, Gain::Gain), miss(0.3, Gain::None), miss(-40, Gain::Loss)}),
              ElementsAre("12.3 µs", "no gain", "−40.0 µs"));
  EXPECT_THAT(gain_words({miss(1, Gain::Unknown), miss(5, Gain::Unknown), miss(-1, Gain::Unknown),
                          miss(0, Gain::Unknown), NearMiss{}}),
              ElementsAre("2nd", "1st", "more", "no gain", "–"));
}

// Whatever a strategy says of a machine that nobody measured, it names no time.
TEST(EstimateWords, StrategiesNameNoTimesWithoutCalibration) {
  const graph::Graph graph = samples::find_sample("lenet")->build(0).value();
  PlanOptions options;
  options.record_events = true;
  const std::regex time("[0-9] ?(µs|us|ms)\\b");
  const auto check = [&](const Plan& plan) {
    for (const Decision& decision : plan.decisions)
      for (const std::string& text : {decision.condition, decision.sentence})
        EXPECT_FALSE(std::regex_search(text, time)) << text;
    for (const PlanEvent& event : plan.events)
      EXPECT_FALSE(std::regex_search(event.sentence, time)) << event.sentence;
  };
  check(passes::fuse_by_dynamic_programming(graph, options).value());
  check(passes::fuse_by_mapping(graph, options).value());
  options.cost = std::make_shared<const CostModel>(calibrated(0.1));
  const Plan timed = passes::fuse_by_dynamic_programming(graph, options).value();
  EXPECT_TRUE(std::ranges::any_of(timed.decisions, [&](const Decision& decision) {
    return decision.condition.find("µs") != std::string::npos;
  }));
}

TEST(NumberWords, NameUnits) {
  EXPECT_EQ(number_words("microseconds fused", 12.3, true), "time fused = 12.3 µs");
  EXPECT_EQ(number_words("microseconds fused", 12.3, false), std::nullopt);
  EXPECT_EQ(number_words("bytes", 3211264, false), "bytes = 3.06 MiB");
  EXPECT_EQ(number_words("phase", 1, false), "phase = 1");
}

TEST(OptimalityWords, SayUnderWhat) {
  EXPECT_THAT(optimality_words(Optimality::ProvedOptimal, CostModel()),
              HasSubstr("uncalibrated cost model"));
  EXPECT_THAT(optimality_words(Optimality::ProvedOptimal, calibrated(0.1)),
              HasSubstr("within the limits"));
}

TEST(LayerWords, NameTheOperatorsWithoutWhatTheyShare) {
  const graph::Graph graph = test::graph_of(R"(
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "layer1.0.conv3"
  %b: float32[4] = Relu(%a) "layer1.0.add"
  %c: float32[4] = Relu(%b) "layer1.0.relu3"
  %d: float32[4] = Relu(%c) "other"
  %e: float32[4] = Relu(%d) "last"
  output %e)");
  Group group;
  for (const graph::NodePtr& node : graph.nodes()) group.nodes.push_back(node->id);
  EXPECT_EQ(layer_words(group, graph), "layer1.0.conv3 + add + relu3 + 2 more");
  group.nodes.resize(4);
  EXPECT_EQ(layer_words(group, graph), "layer1.0.conv3 + add + relu3 + other");
  group.nodes.resize(1);
  EXPECT_EQ(layer_words(group, graph), "layer1.0.conv3");
}

// Scopes that are shared are left out also where they are not all that the first has.
TEST(LayerWords, OfAnotherScopeWhatIsDifferent) {
  const graph::Graph graph = test::graph_of(R"(
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "block1/attention/query/matmul"
  %b: float32[4] = Relu(%a) "block1/attention/output/add"
  %c: float32[4] = Relu(%b) "block1/attention/query/bias"
  %d: float32[4] = Relu(%c) "block10/norm"
  output %d)");
  Group group;
  for (const graph::NodePtr& node : graph.nodes()) group.nodes.push_back(node->id);
  EXPECT_EQ(layer_words(group, graph),
            "block1/attention/query/matmul + …output/add + bias + block10/norm");
}

}  // namespace
}  // namespace loopglass::fusion
