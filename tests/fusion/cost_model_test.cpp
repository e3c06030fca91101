// What a kernel is thought to cost: its nests one after another, its traffic at the speed of the
// level it lives in, and a measurement before any estimate.
#include "core/fusion/cost_model.h"
#include "tests/graph/parsed.h"

#include <gtest/gtest.h>

namespace loopglass::fusion {
namespace {

graph::Graph chain_with_a_sum() {
  return test::graph_of(R"(
  input %x: float32[64x64]
  %a: float32[64x64] = Relu(%x) "a"
  %b: float32[64x64] = Abs(%a) "b"
  %s: float32[64x1] = ReduceSum(%b) {axes = [1]} "s"
  %y: float32[64x64] = Sub(%b, %s) "y"
  output %y)");
}

TEST(Costs, FusingAChainSavesALaunchAndTheTripThroughMemory) {
  const graph::Graph graph = chain_with_a_sum();
  const BlockRules rules(graph);
  const CostModel model;
  const std::vector<std::size_t> first{0}, second{1}, both{0, 1};
  const Cost apart = model.cost(rules, first), after = model.cost(rules, second),
             together = model.cost(rules, both);
  EXPECT_EQ(together.nests, 1u);
  EXPECT_LE(together.total,
            apart.total + after.total - 0.999 * model.machine().launch_microseconds);
  EXPECT_LT(together.memory, apart.memory + after.memory);
  EXPECT_DOUBLE_EQ(together.compute, apart.compute + after.compute);
}

// What an activation does to an element while it is in a register takes next to nothing; a function
// takes as long there as anywhere.
TEST(Costs, AnActivationOnTheWaySavesItsTripThroughMemory) {
  const auto saved_of_memory = [](const std::string& activation) {
    const graph::Graph graph = test::graph_of(
        "input %x: float32[1x64x56x56]\ninput %w: float32[64x64x3x3]\n"
        "%c: float32[1x64x56x56] = Conv(%x, %w) {pads = [1, 1, 1, 1]} \"c\"\n"
        "%y: float32[1x64x56x56] = " +
        activation + "(%c) \"y\"\noutput %y");
    const BlockRules rules(graph);
    const CostModel model;
    const Cost first = model.cost(rules, std::vector<std::size_t>{0}),
               second = model.cost(rules, std::vector<std::size_t>{1}),
               both = model.cost(rules, std::vector<std::size_t>{0, 1});
    return (first.total + second.total - both.total) / second.memory;
  };
  EXPECT_GT(saved_of_memory("Relu"), 0.8);
  EXPECT_LT(saved_of_memory("Sigmoid"), saved_of_memory("Relu"));
}

TEST(Costs, NestsOfOneKernelDoNotOverlap) {
  const graph::Graph graph = chain_with_a_sum();
  const BlockRules rules(graph);
  Machine machine;
  machine.reduction_efficiency = 1e-4;  // the sum is all arithmetic
  // The difference all traffic.
  machine.l1.gigabytes_per_second = machine.l2.gigabytes_per_second = 0.1;
  const Cost cost = CostModel(machine).cost(rules, std::vector<std::size_t>{2, 3});
  EXPECT_EQ(cost.nests, 2u);
  EXPECT_GT(cost.total, std::max(cost.compute, cost.memory) + cost.launch);
}

// Of one operator, which is read by another unless it is the last.
double cost_of(const std::string& shape, const std::string& operation, bool last = false) {
  const graph::Graph graph = test::graph_of(
      R"(
  input %x: float32[1x64x8x8]
  %a: float32[1x64x8x8] = Relu(%x) "a"
  %b: float32[1x64x8x8] = Abs(%x) "b"
  %m: float32[)" +
      shape + "] = " + operation + " \"m\"\n" +
      (last ? "output %m" : "%y: float32[" + shape + "] = Neg(%m) \"y\" output %y"));
  return CostModel().cost(BlockRules(graph), std::vector<std::size_t>{2}).total;
}

TEST(Costs, PuttingThingsIntoTheirPlaceCostsNothing) {
  EXPECT_EQ(cost_of("1x128x8x8", "Concat(%a, %b) {axis = 1}"), 0);
  EXPECT_EQ(cost_of("64x64", "Reshape(%a) {shape = [64, 64]}"), 0);
  EXPECT_EQ(cost_of("1x64x8x2", "Slice(%a) {starts = [3], ends = [5], axes = [3], steps = [1]}"),
            0);
  // A caller's memory is its own.
  EXPECT_GT(cost_of("1x128x8x8", "Concat(%a, %b) {axis = 1}", true), 0);
  EXPECT_GT(cost_of("1x128x8x8", "Concat(%a, %x) {axis = 1}"), 0);
  // What is there twice is copied once.
  EXPECT_GT(cost_of("1x128x8x8", "Concat(%a, %a) {axis = 1}"), 0);
  // Another order, and the same element again and again, are work.
  EXPECT_GT(cost_of("1x8x64x8", "Transpose(%a) {perm = [0, 2, 1, 3]}"), 0);
  EXPECT_GT(cost_of("4x64x8x8", "Expand(%a) {shape = [4, 64, 8, 8]}"), 0);
}

TEST(Costs, AMeasurementReplacesTheEstimateOfEveryBlockOfThatStructure) {
  const graph::Graph graph = chain_with_a_sum();
  const BlockRules rules(graph);
  CostModel model;
  const std::vector<std::size_t> block{0, 1};
  model.add_measurements({{CostModel::structural_hash(graph, block), {42}}});
  EXPECT_TRUE(model.cost(rules, block).measured);
  EXPECT_DOUBLE_EQ(model.cost(rules, block).total, 42);
  EXPECT_FALSE(model.cost(rules, std::vector<std::size_t>{0}).measured);
}

// A measured kernel and an estimated one are added up in a plan, so both must be of one scale.
class ScaledCosts : public ::testing::Test {
 protected:
  // All elementwise, each of another shape.
  static graph::Graph rows() {
    return test::graph_of(R"(
  input %x: float32[8x64]
  input %z: float32[16x64]
  input %w: float32[32x64]
  input %v: float32[48x64]
  %a: float32[8x64] = Relu(%x) "a"
  %b: float32[16x64] = Relu(%z) "b"
  %c: float32[32x64] = Relu(%w) "c"
  %d: float32[48x64] = Relu(%v) "d"
  %s: float32[8x1] = ReduceSum(%a) {axes = [1]} "s"
  output %s
  output %b
  output %c
  output %d)");
  }

  // The first operators took that many times their estimates.
  Measurements measured(const std::vector<double>& factors) const {
    Measurements found;
    for (std::size_t node = 0; node < factors.size(); ++node) {
      const std::vector<std::size_t> block{node};
      const double time = factors[node] * CostModel().cost(rules_, block).total;
      found[CostModel::structural_hash(graph_, block)] =
          CostModel().measurement(rules_, block, time);
    }
    return found;
  }
  double ratio(const CostModel& model, std::size_t node) const {
    const std::vector<std::size_t> block{node};
    return model.cost(rules_, block).total / CostModel().cost(rules_, block).total;
  }

  const graph::Graph graph_ = rows();
  const BlockRules rules_{graph_};
};

TEST_F(ScaledCosts, EstimatesAreMultipliedByTheMedianOfTheirKind) {
  CostModel model;
  model.add_measurements(measured({2, 100, 3}));
  EXPECT_NEAR(ratio(model, 1), 100, 1e-9);  // as measured
  EXPECT_NEAR(ratio(model, 3), 3, 1e-9);    // one disturbed measurement does not count for much
  const Cost cost = model.cost(rules_, std::vector<std::size_t>{3});
  EXPECT_NEAR(cost.total, std::max(cost.compute, cost.memory) + cost.launch, 1e-9);
  EXPECT_DOUBLE_EQ(cost.scale, 3);
}

TEST_F(ScaledCosts, AKindThatWasHardlyMeasuredGoesByAllOthers) {
  CostModel model;
  model.add_measurements(measured({2, 2.5, 3}));
  EXPECT_EQ(model.kernel_class(rules_, std::vector<std::size_t>{4}), KernelClass::Reduction);
  EXPECT_NEAR(ratio(model, 4), 2.5, 1e-9);
  EXPECT_TRUE(model.scale(KernelClass::Reduction).of_all);
  EXPECT_FALSE(model.scale(KernelClass::Elementwise).of_all);
}

TEST_F(ScaledCosts, TooFewMeasurementsScaleNothing) {
  CostModel model;
  model.add_measurements(measured({2, 2}));
  EXPECT_NEAR(ratio(model, 0), 2, 1e-9);
  EXPECT_DOUBLE_EQ(ratio(model, 3), 1);
}

TEST_F(ScaledCosts, EstimatesByOtherConstantsScaleNothing) {
  Machine machine;
  machine.launch_microseconds = 2 * machine.launch_microseconds;
  CostModel model(machine);
  model.add_measurements(measured({2, 2, 2}));
  EXPECT_DOUBLE_EQ(model.scale(KernelClass::Elementwise).factor, 1);
}

TEST_F(ScaledCosts, ThePlanIsToldWhereItsCostsComeFrom) {
  CostModel model;
  ASSERT_EQ(model.notes().size(), 1u);
  EXPECT_TRUE(model.notes().front().starts_with("Estimates go by typical rates"));
  Machine machine;
  machine.processor = "this machine";
  machine.peak_gflops.from = Provenance::Measured;
  EXPECT_EQ(CostModel(machine).notes().front(),
            "Estimates are for this machine, as it was calibrated.");
  model.add_measurements(measured({2, 2.5, 3}));
  const std::vector<std::string> notes = model.notes();
  ASSERT_EQ(notes.size(), 2 + kernel_classes.size());
  EXPECT_EQ(notes.back(),
            "Estimates of elementwise kernels are multiplied by 2.5, the median of measured / "
            "estimated over 3 measured elementwise kernels.");
}

TEST(Costs, MeasurementsSurviveBeingWritten) {
  const Measurements measured{{1, {0.5}},
                              {0xffffffffffffffffu, {12, 8, 0.25, 99, KernelClass::MatrixProduct}}};
  EXPECT_EQ(measurements_from_json(to_json(measured)).value(), measured);
}

// Costs divide by these.
TEST(Costs, TimesThatNoKernelTakesAreRefused) {
  EXPECT_FALSE(measurements_from_json(R"({"1": {"microseconds": -3}})"));
  EXPECT_FALSE(measurements_from_json(R"({"name": {"microseconds": 3}})"));
  EXPECT_FALSE(measurements_from_json(R"({"1": {"microseconds": 3, "estimate": 0}})"));
}

}  // namespace
}  // namespace loopglass::fusion
