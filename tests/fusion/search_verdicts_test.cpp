// What dynamic programming says of an edge is about that edge: whether a kernel may hold it at all,
// and what the plan would cost then. And its steps, read one after another, are the search.
#include "passes/fusion/dynamic_programming.h"
#include "passes/fusion/edge_costs.h"
#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_network.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace loopglass::fusion {
namespace {

using test::cost_of;
using test::graph_of;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

double number(const Decision& decision, const std::string& key) {
  for (const auto& [name, value] : decision.numbers)
    if (name == key) return value;
  throw std::invalid_argument(key);
}

// The relu may go with the product or with the sum, and the sum is no cheaper. All three would be
// cheapest, and are too much for the cache.
graph::Graph product_relu_sum() {
  return graph_of(R"(
  input %x: float32[512x512]
  %a: float32[512x512] = MatMul(%x, %x) "a"
  %b: float32[512x512] = Relu(%a) "b"
  %c: float32[512x1] = ReduceSum(%b) {axes = [1]} "c"
  output %c)");
}

TEST(SearchVerdicts, NameTheLimitThatForbidsWhatWouldBeCheaper) {
  const graph::Graph graph = product_relu_sum();
  const Plan plan = passes::fuse_by_dynamic_programming(graph, {}).value();
  ASSERT_EQ(plan.groups.size(), 2u);
  const Decision& apart = plan.decisions[plan.decisions[0].fused ? 1 : 0];
  EXPECT_EQ(name(apart.reason), name(Reason::WorkingSet)) << apart.sentence;
  EXPECT_THAT(apart.sentence, HasSubstr("% less"));
  EXPECT_GE(number(apart, "microseconds fused"), number(apart, "microseconds apart"));
}

// Where the limit would not be worth lifting, it is no reason.
TEST(SearchVerdicts, ALimitIsNoReasonWhereNothingIsGained) {
  const graph::Graph graph = product_relu_sum();
  Machine machine;
  machine.launch_microseconds = 0;
  PlanOptions options;
  options.cost = std::make_shared<const CostModel>(machine);
  const Plan plan = passes::fuse_by_dynamic_programming(graph, options).value();
  for (const Decision& decision : plan.decisions) {
    if (decision.fused) continue;
    EXPECT_EQ(name(decision.reason), name(Reason::NotWorthIt)) << decision.sentence;
  }
  EXPECT_GT(plan.groups.size(), 1u);
}

// Too much for the cache by itself.
TEST(SearchVerdicts, AreLimitsWhereTheEdgeItselfIsTooMuch) {
  const graph::Graph graph = graph_of(R"(
  input %x: float32[512x512]
  %a: float32[512x512] = MatMul(%x, %x) "a"
  %b: float32[512x512] = MatMul(%a, %x) "b"
  output %b)");
  const Plan plan = passes::fuse_by_dynamic_programming(graph, {}).value();
  EXPECT_EQ(name(plan.decisions.front().reason), name(Reason::WorkingSet));
}

// The plan that the verdict weighs is a plan: the cheapest one with the edge forced is no dearer,
// and none is cheaper than a plan that is proved to be the cheapest. On a machine whose kernels
// cost nothing to launch, so that not everything becomes one.
TEST(SearchVerdicts, WeighPlansThatThereAre) {
  Machine machine;
  machine.launch_microseconds = 0;
  machine.strided_penalty = 50;
  const auto cost = std::make_shared<const CostModel>(machine);
  std::vector<graph::Graph> networks{product_relu_sum()};
  for (std::uint32_t seed = 0; seed < 60; ++seed)
    networks.push_back(test::random_network(seed, {.operators = 10, .type = DataType::Float32}));
  std::size_t compared = 0;
  for (const graph::Graph& graph : networks) {
    const BlockRules rules(graph);
    PlanOptions options;
    options.cost = cost;
    const Plan plan = passes::fuse_by_dynamic_programming(graph, options).value();
    ASSERT_EQ(plan.optimality, Optimality::ProvedOptimal);
    const double chosen = cost_of(plan, rules, *cost);
    for (const Decision& decision : plan.decisions) {
      if (decision.fused) {
        EXPECT_LE(number(decision, "microseconds fused"),
                  number(decision, "microseconds apart") * (1 + 1e-9))
            << decision.sentence << "\n"
            << to_text(graph);
        continue;
      }
      EXPECT_NE(name(decision.reason), name(Reason::OutsideBeam)) << decision.sentence;
      if (decision.reason != Reason::NotWorthIt) continue;
      options.constraints.forced = {{decision.producer, decision.consumer}};
      const auto forced = passes::fuse_by_dynamic_programming(graph, options);
      if (!forced) continue;  // what lies between would have to be forced as well
      ++compared;
      const double weighed =
          chosen + number(decision, "microseconds fused") - number(decision, "microseconds apart");
      EXPECT_LE(chosen, weighed * (1 + 1e-9));
      EXPECT_LE(cost_of(*forced, rules, *cost), weighed * (1 + 1e-9)) << decision.sentence << "\n"
                                                                      << to_text(graph);
    }
  }
  EXPECT_GT(compared, 0u);
}

// Without time there is one beam of one set, and it misses cheaper plans; then it says so.
TEST(SearchVerdicts, SayWhenTheSearchMissedACheaperPlan) {
  std::size_t missed = 0;
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const graph::Graph graph =
        test::random_network(seed, {.operators = 60, .type = DataType::Float32});
    PlanOptions options;
    options.time_budget = std::chrono::milliseconds(0);
    const Plan plan = passes::fuse_by_dynamic_programming(graph, options).value();
    for (const Decision& decision : plan.decisions) {
      if (decision.reason != Reason::OutsideBeam) continue;
      ++missed;
      EXPECT_LT(number(decision, "microseconds fused"), number(decision, "microseconds apart"));
      EXPECT_NE(plan.optimality, Optimality::ProvedOptimal);
    }
  }
  EXPECT_GT(missed, 0u);
}

Plan told(const graph::Graph& graph) {
  PlanOptions options;
  options.record_events = true;
  return passes::fuse_by_dynamic_programming(graph, options).value();
}

TEST(SearchSteps, NameSetsKernelsAndCosts) {
  const graph::Graph graph = graph_of(R"(
  input %x: float32[64x64]
  %a: float32[64x64] = Relu(%x) "a"
  %b: float32[64x64] = Neg(%a) "b"
  %m: float32[64x64] = MatMul(%b, %b) "m"
  output %m)");
  const Plan plan = told(graph);
  std::vector<std::string> sentences;
  for (const PlanEvent& event : plan.events) sentences.push_back(event.sentence);
  EXPECT_EQ(sentences[0], "Each of the 3 operators is a unit to plan with.");
  EXPECT_THAT(sentences[1], HasSubstr("the greedy one of strategy mapping takes "));
  EXPECT_THAT(sentences[2], HasSubstr("Round 1: "));
  EXPECT_THAT(sentences, Contains(StartsWith("Nothing is executed; all 3 units take ")));
  EXPECT_THAT(sentences, Contains(StartsWith("Not followed: the kernel of a, b (")));
  EXPECT_THAT(sentences.back(), StartsWith("Kernel 1 of 1: a, b, m, "));
}

// Too large to be searched operator by operator: the chain is one unit, and nothing is proved.
TEST(SearchSteps, NameWhatALargeNetworkContracts) {
  std::string lines = "input %v0: float32[64x64]\n";
  for (int i = 0; i < 330; ++i)
    lines += fmt::format("%v{}: float32[64x64] = {}(%v{}) \"n{}\"\n", i + 1,
                         i % 50 == 49 ? "Softmax" : "Relu", i, i);
  const Plan plan = told(graph_of(lines + "output %v330"));
  EXPECT_THAT(plan.events[0].sentence, StartsWith("Contraction: 330 operators are "));
  EXPECT_THAT(plan.events[1].sentence, HasSubstr(" are one unit."));
  EXPECT_EQ(plan.optimality, Optimality::BestInBeam);
}

TEST(SearchSteps, TellWhatHasBeenExecutedAndWhatItCost) {
  const Plan plan = told(product_relu_sum());
  std::vector<std::string> sets;
  for (const PlanEvent& event : plan.events)
    if (event.kind == PlanEvent::Kind::Expand) sets.push_back(event.sentence);
  EXPECT_THAT(sets,
              Contains(AllOf(HasSubstr(" of 3 units are executed. The cheapest path here takes "),
                             HasSubstr("ends with the kernel of a"))));
}

// The last merges are the plan, kernel by kernel, and no merge before them is taken back.
TEST(SearchSteps, EndWithTheKernelsOfThePlan) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const graph::Graph graph =
        test::random_network(seed, {.operators = 20, .type = DataType::Float32});
    SCOPED_TRACE(seed);
    test::expect_merges_give(told(graph), graph);
  }
}

}  // namespace
}  // namespace loopglass::fusion
