// Operators of the same input side by side in one wider operator, where the model says that it
// pays.
#include "core/ops/registry.h"
#include "passes/graph/horizontal_cost.h"
#include "tests/pass/before_after.h"

#include <fmt/format.h>

namespace loopglass::test {
namespace {

constexpr const char* combining = "combine-parallel";

// `count` branches of `op` on one 512 x 256 input (or its transpose) with `columns` columns each;
// every branch has a bias, an Add for MatMul, and is turned round after it.
graph::Graph branches(const std::string& op, int count, std::int64_t columns,
                      ops::Attributes attributes = {}, bool biased = true) {
  graph::GraphBuilder builder("g");
  const auto node = [&](const std::string& name, const char* kind,
                        std::vector<graph::ValueId> inputs, ops::Attributes with,
                        std::uint32_t origin) {
    return builder.output(*builder.add_node(name, *ops::find_operator(kind), std::move(inputs),
                                            std::move(with), 1, {{origin}}));
  };
  const auto constant = [&](Shape shape, int seed) {
    return builder.add_constant("c", runtime::random_tensor({DataType::Float32, std::move(shape)},
                                                            static_cast<std::uint64_t>(seed)));
  };
  const bool turned = attributes.has("transB");
  const graph::ValueId x = builder.add_input("x", {DataType::Float32, {512, 256}});
  std::vector<graph::ValueId> outputs;
  for (int i = 0; i < count; ++i) {
    const graph::ValueId weights = constant(turned ? Shape{columns, 256} : Shape{256, columns}, i);
    const graph::ValueId bias = constant({columns}, 100 + i);
    const auto origin = static_cast<std::uint32_t>(2 * i);
    const std::string name = fmt::format("p{}", i);
    std::vector<graph::ValueId> inputs{x, weights};
    if (biased && op == "Gemm") inputs.push_back(bias);
    graph::ValueId y = node(name, op.c_str(), inputs, attributes, origin);
    if (biased && op == "MatMul") y = node(name + "_bias", "Add", {y, bias}, {}, origin + 1);
    outputs.push_back(node(fmt::format("y{}", i), "Transpose", {y}, {}, origin));
  }
  builder.set_outputs(outputs);
  builder.remove_unused_constants();
  return *std::move(builder).finish();
}

int count(const graph::Graph& graph, const std::string& op) {
  return static_cast<int>(std::ranges::count_if(
      graph.nodes(), [&](const graph::NodePtr& node) { return node->op->name == op; }));
}

TEST(CombineParallel, NarrowProductsFillVectorsTogether) {
  const graph::Graph before = branches("MatMul", 4, 1);
  const auto step = applied(combining, before);
  EXPECT_EQ(count(*step.result, "MatMul"), 1);
  EXPECT_EQ(count(*step.result, "Add"), 1);
  EXPECT_EQ(count(*step.result, "Slice"), 4);
  const graph::Node& wide = *step.result->find_node("p0+p1+p2+p3");
  EXPECT_EQ(step.result->value(wide.inputs[1]).type.shape, (Shape{256, 4}));
  EXPECT_EQ(wide.origin.sources, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(step.result->find_node("p2")->origin.sources, (std::vector<std::uint32_t>{4, 5}));
  ASSERT_EQ(step.rewrites.size(), 1u);
  EXPECT_EQ(step.rewrites[0].consumed.size(), 8u);  // products and biases
  EXPECT_EQ(step.rewrites[0].made.size(), 6u);      // product, bias, slices
  expect_same_meaning(before, *step.result, 1e-4);
  EXPECT_FALSE(applied(combining, *step.result).changed);
  EXPECT_FALSE(applied(combining, before, 0).changed);
}

TEST(CombineParallel, WeightsOfTransposedProductsLieBelowOneAnother) {
  const graph::Graph before = branches("Gemm", 3, 1, {{"transB", std::int64_t{1}}, {"alpha", 0.5}});
  const auto step = applied(combining, before);
  EXPECT_EQ(count(*step.result, "Gemm"), 1);
  const graph::Node& wide = *step.result->find_node("p0+p1+p2");
  EXPECT_EQ(step.result->value(wide.inputs[1]).type.shape, (Shape{3, 256}));
  EXPECT_EQ(step.result->value(wide.inputs[2]).type.shape, Shape{3});
  EXPECT_EQ(wide.attributes.real("alpha"), 0.5);
  expect_same_meaning(before, *step.result, 1e-4);
}

TEST(CombineParallel, ProductsWithoutBiasNeedNone) {
  const graph::Graph before = branches("MatMul", 2, 3, {}, false);
  const auto step = applied(combining, before);
  EXPECT_EQ(count(*step.result, "MatMul"), 1);
  EXPECT_EQ(count(*step.result, "Add"), 0);
  expect_same_meaning(before, *step.result, 1e-4);
}

TEST(CombineParallel, ProductsThatFillTheirVectorsStayApartWithTheNumbers) {
  const graph::Graph before = branches("MatMul", 3, 256);
  const auto step = applied(combining, before);
  EXPECT_FALSE(step.changed);
  ASSERT_EQ(codes(step), std::vector<std::string>{"NOT_WORTH_IT"});
  const std::map<std::string, double> numbers(step.remarks[0].numbers.begin(),
                                              step.remarks[0].numbers.end());
  EXPECT_EQ(numbers.at("flops"), 2.0 * 512 * 256 * 256 * 3);
  EXPECT_EQ(numbers.at("input_bytes_saved"), 2.0 * 512 * 256 * 4);
  EXPECT_EQ(numbers.at("idle_flops_before"), 0);
  EXPECT_EQ(numbers.at("slice_bytes"), 0);  // transposing reads slices as well as anything
}

class Unlike : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

// Products of one column each, which would pay if they were alike: all of them stay, without a
// remark.
TEST_P(Unlike, OperatorsStayApart) {
  const auto step = applied(combining, graph_of(GetParam().second));
  EXPECT_FALSE(step.changed) << GetParam().first;
  EXPECT_TRUE(step.remarks.empty()) << GetParam().first;
}

INSTANTIATE_TEST_SUITE_P(All, Unlike,
                         ::testing::Values(std::pair{"Other attributes.", R"(
  input %x: float32[512x2]
  const %w: float32[2x1] = [1, 2]
  %a: float32[512x1] = Gemm(%x, %w) "a"
  %b: float32[512x1] = Gemm(%x, %w) {alpha = 2} "b"
  output %a
  output %b)"},
                                           std::pair{"Weights that are data.", R"(
  input %x: float32[512x2]
  input %w: float32[2x1]
  %a: float32[512x1] = Gemm(%x, %w) "a"
  %b: float32[512x1] = Gemm(%x, %w) "b"
  output %a
  output %b)"},
                                           std::pair{"A bias in one of them.", R"(
  input %x: float32[512x2]
  const %w: float32[2x1] = [1, 2]
  const %c: float32[1] = [1]
  %a: float32[512x1] = Gemm(%x, %w) "a"
  %b: float32[512x1] = Gemm(%x, %w, %c) "b"
  output %a
  output %b)"},
                                           std::pair{"Other inputs.", R"(
  input %x: float32[512x2]
  input %y: float32[512x2]
  const %w: float32[2x1] = [1, 2]
  %a: float32[512x1] = Gemm(%x, %w) "a"
  %b: float32[512x1] = Gemm(%y, %w) "b"
  output %a
  output %b)"},
                                           std::pair{
                                               "Groups, whose weights do not lie side by side.", R"(
  input %x: float32[1x2x8x8]
  const %w: float32[2x1x1x1] = [1, 2]
  %a: float32[1x2x8x8] = Conv(%x, %w) {group = 2} "a"
  %b: float32[1x2x8x8] = Conv(%x, %w) {group = 2} "b"
  output %a
  output %b)"},
                                           std::pair{"Other kernels.", R"(
  input %x: float32[1x1x8x8]
  const %w: float32[1x1x1x1] = [1]
  const %v: float32[1x1x1x2] = [1, 2]
  %a: float32[1x1x8x8] = Conv(%x, %w) "a"
  %b: float32[1x1x8x7] = Conv(%x, %v) "b"
  output %a
  output %b)"}));

TEST(HorizontalCost, IsGainedByIdleLanesAndLostBySlices) {
  using passes::HorizontalBranch;
  const Machine machine = reference_machine();
  const passes::HorizontalWork products{512, 256, 512 * 256 * 4, 4, true};
  const std::vector<HorizontalBranch> narrow(4, {4, 512 * 4 * 4, true}),
      full(4, {64, 512 * 64 * 4, true});
  const auto gain = passes::horizontal_cost(products, narrow, machine);
  EXPECT_EQ(gain.idle_before, 3 * gain.flops);
  EXPECT_EQ(gain.idle_after, 0);
  EXPECT_TRUE(gain.pays());
  EXPECT_FALSE(passes::horizontal_cost(products, full, machine).pays());

  // Convolutions have their vectors along the image: nothing is idle, and the slices are copies.
  const passes::HorizontalWork convolutions{56 * 56, 32, 32 * 56 * 56 * 4, 4, false};
  const std::vector<HorizontalBranch> branches(4, {4, 4 * 56 * 56 * 4, false});
  const auto loss = passes::horizontal_cost(convolutions, branches, machine);
  EXPECT_EQ(loss.idle_before, 0);
  EXPECT_GT(loss.lost, loss.gained);
  EXPECT_FALSE(loss.pays());
}

TEST(HorizontalCost, FollowsTheMachine) {
  using passes::HorizontalBranch;
  const passes::HorizontalWork products{512, 256, 512 * 256 * 4, 4, true};
  const std::vector<HorizontalBranch> narrow(4, {4, 512 * 4 * 4, true});
  // Columns that are idle in sixteen lanes fill four.
  const auto filled =
      passes::horizontal_cost(products, narrow, machine_with_vectors("narrow", 16, 16));
  EXPECT_EQ(filled.idle_before, 0);
  EXPECT_LT(filled.gained, passes::horizontal_cost(products, narrow, reference_machine()).gained);
  // What a launch costs is gained with each product but one.
  Machine slow = reference_machine();
  slow.launch_microseconds = 100;
  EXPECT_NEAR(passes::horizontal_cost(products, narrow, slow).gained -
                  passes::horizontal_cost(products, narrow, reference_machine()).gained,
              3 * 1e3 * (100 - reference_machine().launch_microseconds), 1e-6);
}

TEST(HorizontalCost, OfVeryLittleIsNotWorthMeasuring) {
  const std::vector<passes::HorizontalBranch> tiny(8, {8, 16 * 8 * 4, true});
  EXPECT_FALSE(
      passes::horizontal_cost({16, 64, 16 * 64 * 4, 4, true}, tiny, reference_machine()).pays());
}

}  // namespace
}  // namespace loopglass::test
