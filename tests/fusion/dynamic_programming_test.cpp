// Dynamic programming finds what an exhaustive search finds: the recurrence over all sets of
// executed operators and all legal blocks, with no contraction, no bound and no beam.
#include "passes/fusion/dynamic_programming.h"
#include "core/graph/text.h"
#include "passes/fusion/ideal_search.h"
#include "passes/fusion/mapping.h"
#include "tests/fusion/plans.h"
#include "tests/random/network_count.h"
#include "tests/random/random_network.h"

#include <gtest/gtest.h>
#include <random>

namespace loopglass {
namespace {

using fusion::BlockRules;
using fusion::CostModel;
using test::cost_of;

double cheapest_by_exhaustion(const BlockRules& rules, const CostModel& cost) {
  const std::size_t nodes = rules.graph().nodes().size(), sets = std::size_t{1} << nodes;
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> needs(nodes, 0);
  for (std::size_t node = 0; node < nodes; ++node)
    for (const std::size_t need : rules.predecessors(node)) needs[node] |= std::size_t{1} << need;
  std::vector<std::pair<std::size_t, double>> blocks;  // all legal ones, and what they cost
  for (std::size_t set = 1; set < sets; ++set) {
    std::vector<std::size_t> members;
    for (std::size_t node = 0; node < nodes; ++node)
      if (set >> node & 1) members.push_back(node);
    if (members.size() == 1 || !rules.refuse(members))
      blocks.emplace_back(set, cost.cost(rules, members).total);
  }
  const auto is_ideal = [&](std::size_t set) {
    for (std::size_t node = 0; node < nodes; ++node)
      if (set >> node & 1 && (needs[node] & ~set) != 0) return false;
    return true;
  };
  std::vector<double> best(sets, never);
  best[0] = 0;
  for (std::size_t set = 1; set < sets; ++set) {
    if (!is_ideal(set)) continue;
    for (const auto& [block, block_cost] : blocks)
      if ((block & ~set) == 0) best[set] = std::min(best[set], best[set & ~block] + block_cost);
  }
  return best[sets - 1];
}

constexpr int parts = 4;  // which run side by side

class DynamicProgrammingPart : public ::testing::TestWithParam<int> {};

TEST_P(DynamicProgrammingPart, EqualsExhaustiveSearchOnSmallNetworks) {
  int compared = 0;
  for (auto seed = static_cast<std::uint32_t>(GetParam());
       compared < test::network_count(500) / parts; seed += parts) {
    const graph::Graph network = test::random_network(
        seed, {.operators = 2 + static_cast<int>(seed % 10), .type = DataType::Float32});
    if (network.nodes().size() > 12) continue;
    ++compared;
    const BlockRules rules(network);
    const CostModel cost;
    const auto plan = passes::fuse_by_dynamic_programming(network, {});
    ASSERT_TRUE(plan) << to_string(plan.error()) << "\n" << to_text(network);
    ASSERT_TRUE(fusion::verify(*plan, network));
    EXPECT_EQ(plan->optimality, fusion::Optimality::ProvedOptimal);
    const double exhaustive = cheapest_by_exhaustion(rules, cost),
                 found = cost_of(*plan, rules, cost);
    ASSERT_NEAR(found, exhaustive, 1e-6 * exhaustive)
        << "seed " << seed << "\n"
        << to_text(network) << fusion::to_text(*plan, network);
  }
}

INSTANTIATE_TEST_SUITE_P(Part, DynamicProgrammingPart, ::testing::Range(0, parts));

// Measured times follow no rule: two kernels may be faster than one, and a larger one than its
// part.
TEST(DynamicProgramming, EqualsExhaustiveSearchWhateverWasMeasured) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const graph::Graph network = test::random_network(
        seed, {.operators = 2 + static_cast<int>(seed % 8), .type = DataType::Float32});
    if (network.nodes().size() > 10) continue;
    const BlockRules rules(network);
    std::mt19937 random(seed);
    fusion::Measurements measured;
    const auto measure = [&](const std::vector<std::size_t>& block) {
      const double factor = std::uniform_real_distribution<double>(0.2, 5)(random);
      const double time = factor * CostModel().cost(rules, block).total;
      measured[CostModel::structural_hash(network, block)] =
          CostModel().measurement(rules, block, time);
    };
    for (std::size_t node = 0; node < network.nodes().size(); ++node) {
      if (random() % 2 == 0) measure({node});
      for (const std::size_t reader : rules.successors(node))
        if (random() % 2 == 0) measure({node, reader});
    }
    auto cost = std::make_shared<CostModel>();
    cost->add_measurements(measured);
    fusion::PlanOptions options;
    options.cost = cost;
    const auto plan = passes::fuse_by_dynamic_programming(network, options);
    ASSERT_TRUE(plan) << to_string(plan.error());
    EXPECT_EQ(plan->optimality, fusion::Optimality::ProvedOptimal);
    const double exhaustive = cheapest_by_exhaustion(rules, *cost);
    ASSERT_NEAR(cost_of(*plan, rules, *cost), exhaustive, 1e-6 * exhaustive)
        << "seed " << seed << "\n"
        << to_text(network) << fusion::to_text(*plan, network);
  }
}

// Contraction is a shortcut of the search, not another answer.
TEST(DynamicProgramming, ContractsOnlyWhatTheCheapestPlanKeepsTogether) {
  const CostModel cost;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const graph::Graph network =
        test::random_network(seed, {.operators = 9, .type = DataType::Float32});
    if (network.nodes().size() > 14) continue;
    const BlockRules rules(network);
    const auto contracted = passes::make_units(rules, {}),
               single = passes::make_units(rules, {}, false);
    ASSERT_TRUE(contracted && single);
    EXPECT_EQ(single->count(), network.nodes().size());
    const auto found = passes::search_ideals(rules, *contracted, cost, {}, {}, {});
    const auto exact = passes::search_ideals(rules, *single, cost, {}, {}, {});
    ASSERT_TRUE(found && exact);
    EXPECT_NEAR(found->cost, exact->cost, 1e-6 * exact->cost) << "seed " << seed << "\n"
                                                              << to_text(network);
  }
}

// Too large for one search: planned in pieces, never worse than the greedy plan, and honest about
// it.
TEST(DynamicProgramming, PlansLargeNetworksRegionByRegion) {
  const graph::Graph network =
      test::random_network(11, {.operators = 1200, .type = DataType::Float32});
  fusion::PlanOptions options;
  options.time_budget = std::chrono::milliseconds(200);
  const auto plan = passes::fuse_by_dynamic_programming(network, options);
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_TRUE(fusion::verify(*plan, network));
  EXPECT_EQ(plan->optimality, fusion::Optimality::BestInBeam);
  const BlockRules rules(network);
  const CostModel cost;
  const auto greedy = passes::fuse_by_mapping(network, options);
  ASSERT_TRUE(greedy);
  EXPECT_LE(cost_of(*plan, rules, cost), cost_of(*greedy, rules, cost) * (1 + 1e-9));
}

TEST(DynamicProgramming, SaysWhenItDidNotLookEverywhere) {
  const graph::Graph network =
      test::random_network(3, {.operators = 40, .type = DataType::Float32});
  const BlockRules rules(network);
  const auto units = passes::make_units(rules, {});
  ASSERT_TRUE(units);
  const auto narrow = passes::search_ideals(rules, *units, CostModel(), {},
                                            {.beam = 1, .blocks_per_ideal = 50}, {});
  ASSERT_TRUE(narrow);
  EXPECT_FALSE(narrow->complete);
  EXPECT_GT(narrow->outside_beam, 0u);
  const passes::IdealSearchOptions wide{.beam = 32, .blocks_per_ideal = 50};
  const auto better = passes::search_ideals(rules, *units, CostModel(), {}, wide, {});
  ASSERT_TRUE(better);
  EXPECT_LE(better->cost, narrow->cost);
  passes::IdealSearchOptions below = wide;
  below.upper_bound = better->cost;
  below.record_events = true;
  const auto bounded = passes::search_ideals(rules, *units, CostModel(), {}, below, {});
  ASSERT_TRUE(bounded);
  EXPECT_GT(bounded->pruned_by_bound, 0u);
  const auto pruned = [](const fusion::PlanEvent& event) {
    return event.reason == fusion::Reason::PrunedByBound;
  };
  EXPECT_TRUE(std::any_of(bounded->events.begin(), bounded->events.end(), pruned));
}

}  // namespace
}  // namespace loopglass
