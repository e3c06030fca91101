// What a kernel is thought to cost: its nests one after another, its traffic at the speed of the level
// it lives in, and a measurement before any estimate.
#include "core/fusion/cost_model.h"
#include "core/graph/text.h"

#include <gtest/gtest.h>

namespace loopglass::fusion {
namespace {

graph::Graph chain() {
  auto graph = graph::parse(R"(graph "g" {
  input %x: float32[64x64]
  %a: float32[64x64] = Relu(%x) "a"
  %b: float32[64x64] = Abs(%a) "b"
  %s: float32[64x1] = ReduceSum(%b) {axes = [1]} "s"
  %y: float32[64x64] = Sub(%b, %s) "y"
  output %y
})");
  EXPECT_TRUE(graph) << to_string(graph.error());
  return *graph;
}

TEST(Costs, FusingAChainSavesALaunchAndTheTripThroughMemory) {
  const graph::Graph graph = chain();
  const BlockRules rules(graph);
  const CostModel model;
  const std::vector<std::size_t> first{0}, second{1}, both{0, 1};
  const Cost apart = model.cost(rules, first), after = model.cost(rules, second), together = model.cost(rules, both);
  EXPECT_EQ(together.nests, 1u);
  EXPECT_LE(together.total, apart.total + after.total - 0.999 * model.constants().launch_microseconds);
  EXPECT_LT(together.memory, apart.memory + after.memory);
  EXPECT_DOUBLE_EQ(together.compute, apart.compute + after.compute);
}

TEST(Costs, NestsOfOneKernelDoNotOverlap) {
  const graph::Graph graph = chain();
  const BlockRules rules(graph);
  MachineConstants machine;
  machine.reduction_efficiency = 1e-4;  // the sum is all arithmetic
  machine.l1.gigabytes_per_second = machine.l2.gigabytes_per_second = 0.1;  // the difference all traffic
  const Cost cost = CostModel(machine).cost(rules, std::vector<std::size_t>{2, 3});
  EXPECT_EQ(cost.nests, 2u);
  EXPECT_GT(cost.total, std::max(cost.compute, cost.memory) + cost.launch);
}

TEST(Costs, AMeasurementReplacesTheEstimateOfEveryBlockOfThatStructure) {
  const graph::Graph graph = chain();
  const BlockRules rules(graph);
  CostModel model;
  const std::vector<std::size_t> block{0, 1};
  model.add_measurement(CostModel::structural_hash(graph, block), 42);
  EXPECT_TRUE(model.cost(rules, block).measured);
  EXPECT_DOUBLE_EQ(model.cost(rules, block).total, 42);
  EXPECT_FALSE(model.cost(rules, std::vector<std::size_t>{0}).measured);
}

TEST(Costs, ConstantsAndMeasurementsSurviveBeingWritten) {
  MachineConstants machine;
  machine.target = "a \"machine\"";
  machine.l2 = {2 << 20, 33.25};
  const auto again = constants_from_json(to_json(machine));
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(*again, machine);
  const Measurements measured{{1, 0.5}, {0xffffffffffffffffu, 12}};
  EXPECT_EQ(measurements_from_json(to_json(measured)).value(), measured);
}

// Costs divide by these.
TEST(Costs, NumbersThatNoMachineHasAreRefused) {
  MachineConstants machine;
  machine.peak_gflops = 0;
  EXPECT_FALSE(constants_from_json(to_json(machine)));
  EXPECT_FALSE(constants_from_json("{}"));
  EXPECT_FALSE(constants_from_json("nonsense"));
  EXPECT_FALSE(measurements_from_json(R"({"1": -3})"));
  EXPECT_FALSE(measurements_from_json(R"({"name": 3})"));
}

}  // namespace
}  // namespace loopglass::fusion
