// 3 x 3 convolutions as transforms around matrix products: which ones, in which layouts, and that
// what comes out is the convolution.
#include "passes/graph/winograd_error.h"

#include "core/ops/registry.h"
#include "tests/ops/arrays.h"
#include "tests/pass/before_after.h"

#include <fmt/format.h>

namespace loopglass::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A machine that has time for anything but arithmetic.
Machine slow_at_arithmetic() {
  Machine machine = reference_machine();
  machine.peak_gflops = 1;
  machine.launch_microseconds = 0;
  return machine;
}

// Of an image by constant weights of numbers that are no whole ones, with a bias.
graph::Graph convolution(const Shape& image, const Shape& weights, ops::Attributes attributes,
                         const char* op = "Conv", std::int64_t filters = 8,
                         DataType type = DataType::Float32) {
  graph::GraphBuilder builder("convolution");
  const auto constant = [&](const char* name, const Shape& shape, unsigned seed) {
    const Tensor numbers = ops::random_floats(shape, seed);
    if (type == DataType::Float32) return builder.add_constant(name, numbers);
    const auto floats = numbers.as<float>();
    const std::vector<double> doubles(floats.begin(), floats.end());
    return builder.add_constant(name, Tensor::of<double>(shape, doubles));
  };
  const graph::ValueId x = builder.add_input("x", {type, image}), w = constant("w", weights, 3),
                       b = constant("b", {filters}, 4);
  const auto node = builder.add_node("conv", *ops::find_operator(op), {x, w, b},
                                     std::move(attributes), 1, {}, {"y"});
  if (!node) throw std::invalid_argument(to_string(node.error()));
  builder.set_outputs({builder.output(*node)});
  return *std::move(builder).finish();
}

const std::vector<std::int64_t> around{1, 1, 1, 1}, two{2, 2};

graph::Graph small_convolution() {
  return convolution({1, 8, 9, 9}, {8, 8, 3, 3}, {{"pads", around}});
}

std::vector<std::string> operators(const graph::Graph& graph) {
  std::vector<std::string> names;
  for (const graph::NodePtr& node : graph.nodes()) names.push_back(node->op->name);
  return names;
}

pass::Step<graph::Graph> filtered(const graph::Graph& before, const Machine& machine,
                                  const char* pass = "winograd-f4") {
  for (const pass::GraphPass& each : passes::graph_passes(machine))
    if (each.info.name == pass)
      return *pass::apply(each, std::make_shared<const graph::Graph>(before));
  throw std::invalid_argument(pass);
}

TEST(WinogradPass, MakesThreeOperatorsOfAConvolution) {
  const graph::Graph before = small_convolution();
  for (const char* pass : {"winograd-f2", "winograd-f4"}) {
    const auto step = filtered(before, slow_at_arithmetic(), pass);
    EXPECT_THAT(operators(*step.result),
                ElementsAre("LayoutTransform", "LayoutWinogradInput", "MatMul",
                            "LayoutWinogradOutput", "LayoutTransform"));
    expect_same_meaning(before, *step.result);
    ASSERT_EQ(step.rewrites.size(), 1u);
    EXPECT_EQ(step.rewrites[0].rule, pass);
    ASSERT_EQ(step.remarks.size(), 1u);
    EXPECT_EQ(step.remarks[0].code, "FILTERED");
    EXPECT_THAT(step.remarks[0].text, HasSubstr("it then errs by"));
    // The result keeps its name.
    EXPECT_EQ(step.result->value(step.result->outputs()[0]).name, "y");
  }
}

// Layouts that were chosen for the convolution stay.
TEST(WinogradPass, ReadsAndWritesAsTheConvolutionDid) {
  const graph::Graph before = convolution({1, 2, 9, 9, 16}, {2, 2, 3, 3, 16, 16},
                                          {{"pads", around},
                                           {"layout", "NCHW16c"},
                                           {"weights_layout", "OIHW16i16o"},
                                           {"result_layout", "NHWC"}},
                                          "LayoutConv", 32);
  const auto step = filtered(before, slow_at_arithmetic());
  EXPECT_THAT(operators(*step.result),
              ElementsAre("LayoutWinogradInput", "MatMul", "LayoutWinogradOutput"));
  expect_same_meaning(before, *step.result, 1e-4);
}

TEST(WinogradPass, LeavesWhatDoesNotPay) {
  // All memory, no arithmetic.
  Machine machine = reference_machine();
  machine.l2.bytes = machine.l3.bytes = 1;
  machine.memory_gigabytes_per_second = 0.01;
  const auto step = filtered(small_convolution(), machine);
  EXPECT_THAT(operators(*step.result), ElementsAre("Conv"));
  EXPECT_THAT(codes(step), ElementsAre("NOT_WORTH_IT"));
}

TEST(WinogradPass, LeavesOtherConvolutionsAndSaysWhy) {
  const auto left = [](const graph::Graph& graph) {
    const auto step = filtered(graph, slow_at_arithmetic());
    EXPECT_THAT(operators(*step.result), ElementsAre("Conv"));
    return codes(step);
  };
  const Shape image{1, 8, 9, 9}, weights{8, 8, 3, 3};
  EXPECT_THAT(left(convolution(image, weights, {{"pads", around}, {"strides", two}})),
              ElementsAre("STRIDES"));
  EXPECT_THAT(left(convolution(image, weights, {{"dilations", two}})), ElementsAre("DILATIONS"));
  EXPECT_THAT(left(convolution(image, {8, 4, 3, 3}, {{"group", std::int64_t{2}}})),
              ElementsAre("GROUPS"));
  EXPECT_THAT(left(convolution(image, weights, {}, "Conv", 8, DataType::Float64)),
              ElementsAre("ELEMENT_TYPE"));
  // A kernel of another size is no subject here.
  EXPECT_THAT(left(convolution(image, {8, 8, 1, 1}, {})), IsEmpty());
  EXPECT_THAT(left(graph_of(R"(
  input %x: float32[1x8x9x9]
  input %w: float32[8x8x3x3]
  %y: float32[1x8x7x7] = Conv(%x, %w) "conv"
  output %y)")),
              ElementsAre("WEIGHTS_NOT_CONSTANT"));
}

// Larger tiles round worse: what the remark says of a layer.
TEST(WinogradError, GrowsWithTheTile) {
  const Tensor weights = ops::random_floats({8, 64, 3, 3}, 5);
  const passes::WinogradError small = passes::winograd_error(weights, 2),
                              large = passes::winograd_error(weights, 4);
  EXPECT_GT(small.convolution, 0);
  EXPECT_LT(small.filtering, 2 * small.convolution);
  EXPECT_GT(large.filtering, 2 * large.convolution);
  EXPECT_LT(large.filtering, 1e-5);
}

}  // namespace
}  // namespace loopglass::test
