// The same graph fused in other ways: planned, run and timed.
#include "core/debug/what_if.h"

#include "tests/debug/debug_graphs.h"

#include <gmock/gmock.h>

#include <cmath>

namespace loopglass::debug {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const graph::Graph> network() {
  return std::make_shared<const graph::Graph>(additions());
}

TEST(WhatIf, PlansEveryVariantOfTheSameGraph) {
  const auto graph = network();
  PlanVariant forbidden{"mapping", {}, {}};
  forbidden.constraints.forbidden = {fusion::find_edge(*graph, "b:c").value()};
  const auto edits = std::make_shared<const fusion::EditScript>(
      fusion::parse_edits("base none merge a, b").value());
  const auto outcomes =
      what_if(passes::toolchain(), graph, {{"none", {}, {}}, forbidden, {"manual", {}, edits}})
          .value();
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_EQ(outcomes[0].plan->groups.size(), graph->nodes().size());
  EXPECT_NE(outcomes[1].plan->group_of(graph->find_node("b")->id),
            outcomes[1].plan->group_of(graph->find_node("c")->id));
  EXPECT_EQ(outcomes[2].plan->groups.size(), graph->nodes().size() - 1);
  EXPECT_GT(outcomes[0].summary.written_bytes, outcomes[2].summary.written_bytes);
  EXPECT_FALSE(outcomes[0].time);
}

TEST(WhatIf, MeasuresInTurnsAndComparesResults) {
  const auto graph = network();
  WhatIfOptions options;
  options.measure = true;
  options.threads = 1;
  options.rounds = 3;
  const auto outcomes = what_if(passes::toolchain(), graph,
                                {{"none", {}, {}}, {"mapping", {}, {}}, {"dp", {}, {}}}, options);
  ASSERT_TRUE(outcomes) << to_string(outcomes.error());
  for (const PlanOutcome& outcome : *outcomes) {
    ASSERT_TRUE(outcome.time);
    EXPECT_EQ(outcome.time->rounds, 3);
    EXPECT_GT(outcome.time->median_ms, 0);
    EXPECT_LE(outcome.time->lower_quartile_ms, outcome.time->upper_quartile_ms);
    EXPECT_TRUE(outcome.agrees);
    const auto turns = times_in_turns(outcomes->front(), outcome);
    ASSERT_TRUE(turns);
    EXPECT_EQ(turns->turns, 3);
    EXPECT_DOUBLE_EQ(turns->after_ms, outcome.time->median_ms);
  }
  const auto others = what_if(passes::toolchain(), graph, {{"none", {}, {}}}, options);
  ASSERT_TRUE(others);
  EXPECT_FALSE(times_in_turns(outcomes->front(), others->front())) << "not in the same turns";
}

// By the signs of the turns alone.
TEST(TimesInTurns, AreNoChanceWhereNearlyAllAgree) {
  std::vector<double> before(15, 2.0), after(15, 1.0);
  EXPECT_DOUBLE_EQ(runtime::times_in_turns(before, after).ratio, 0.5);
  EXPECT_DOUBLE_EQ(chance(runtime::times_in_turns(before, after)), 2 * std::exp2(-15));
  after[0] = after[1] = 3;
  EXPECT_EQ(runtime::times_in_turns(before, after).agreeing, 13);
  EXPECT_TRUE(is_certain(runtime::times_in_turns(before, after)));
  after[2] = 3;
  EXPECT_FALSE(is_certain(runtime::times_in_turns(before, after)));
  EXPECT_FALSE(is_certain(runtime::TimesInTurns())) << "of no turn nothing is known";
  EXPECT_DOUBLE_EQ(chance(runtime::times_in_turns(before, before)), 1);
}

TEST(WhatIf, WhatIsIllegalIsRefusedWithItsReason) {
  const auto graph = network();
  PlanVariant variant{"none", {}, {}};
  variant.constraints.forced = {fusion::Edge{graph->find_node("a")->id, graph->find_node("d")->id}};
  const auto outcomes = what_if(passes::toolchain(), graph, {variant});
  ASSERT_FALSE(outcomes);
  EXPECT_EQ(outcomes.error().code, Code::PlanInvalid);
  EXPECT_THAT(outcomes.error().what, HasSubstr("EXTERNAL"));
  EXPECT_EQ(what_if(passes::toolchain(), graph, {{"nothing", {}, {}}}).error().code,
            Code::StrategyUnknown);
}

TEST(WhatIf, InputsAreTakenByName) {
  WhatIfOptions options;
  options.measure = true;
  options.rounds = 1;
  options.warm_up = 0;
  options.threads = 1;
  options.inputs = Inputs{};
  EXPECT_EQ(what_if(passes::toolchain(), network(), {{"none", {}, {}}}, options).error().code,
            Code::InputMismatch);
  options.rounds = 0;
  EXPECT_EQ(what_if(passes::toolchain(), network(), {{"none", {}, {}}}, options).error().code,
            Code::UsageInvalid);
}

// A session of its own makes the partition by hand wherever kernels are used.
TEST(SessionEdits, DecideTheKernelsThatRun) {
  auto session = session_on(additions(), "none");
  session->set_strategy("manual");
  session->set_fusion_edits(std::make_shared<const fusion::EditScript>(
      fusion::parse_edits("base none merge a, b, c").value()));
  const auto plan = session->plan().value();
  EXPECT_EQ(plan->groups.size(), session->graph().value()->nodes().size() - 2);
  EXPECT_EQ(session->fusion_edits()->edits.size(), 1u);
  ASSERT_TRUE(session->executor());
  session->set_fusion_edits(nullptr);
  EXPECT_NE(session->plan().value(), plan);
  // They go with the model.
  session->set_fusion_edits(std::make_shared<const fusion::EditScript>());
  session->open(model_of(additions()), "again");
  EXPECT_EQ(session->fusion_edits(), nullptr);
}

}  // namespace
}  // namespace loopglass::debug
