// Layouts: what the passes make of small networks, as text, with the numbers they decided by; that
// networks mean the same after them; and that no transform is left that undoes another.
#include "core/ops/registry.h"
#include "passes/graph/layout/assignment.h"
#include "tests/pass/before_after.h"
#include "tests/random/random_network.h"
#include "tests/random/time_limit.h"

#include <functional>
#include <map>

namespace loopglass {
namespace {

using test::applied;
using test::graph_of;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;

class LayoutGolden : public ::testing::TestWithParam<test::Situation> {};
TEST_P(LayoutGolden, RewritesAsShownAndKeepsTheMeaning) { test::check(GetParam()); }

// Extents are small: forced passes do not ask what it is worth.
INSTANTIATE_TEST_SUITE_P(
    All, LayoutGolden,
    ::testing::Values(
        test::Situation{"A chain stays in its layout from the first convolution to the last; "
                        "the biases follow.",
                        "layout-nhwc",
                        R"(
  input %x: float32[1x2x4x4]
  const %w: float32[3x2x1x1] = [1, 2, 3, 4, 5, 6]
  const %b: float32[3x1x1] = [10, 20, 30]
  %c: float32[1x3x4x4] = Conv(%x, %w) "c"
  %a: float32[1x3x4x4] = Add(%c, %b) "a"
  %y: float32[1x3x2x2] = MaxPool(%a) {kernel_shape = [2, 2], strides = [2, 2]} "y"
  output %y)",
                        R"(
  input %x: float32[1x2x4x4]
  const %w: float32[3x2x1x1] = [1, 2, 3, 4, 5, 6]
  const %b_NHWC: float32[1x1x1x3] = [10, 20, 30]
  %x_NHWC: float32[1x4x4x2] = LayoutTransform(%x) {from = "NCHW", to = "NHWC"} "x_NHWC"
  %c_NHWC: float32[1x4x4x3] = LayoutConv(%x_NHWC, %w) {layout = "NHWC", result_layout = "NHWC"} "c"
  %a_NHWC: float32[1x4x4x3] = Add(%c_NHWC, %b_NHWC) "a"
  %y_NHWC: float32[1x2x2x3] = LayoutMaxPool(%a_NHWC) {kernel_shape = [2, 2], layout = "NHWC", strides = [2, 2]} "y"
  %y: float32[1x3x2x2] = LayoutTransform(%y_NHWC) {from = "NHWC", to = "NCHW"} "y_NHWC_NCHW"
  output %y)"},
        test::Situation{"Two branches of one image share its transform, and their sum needs none.",
                        "layout-nhwc",
                        R"(
  input %x: float32[1x2x2x2]
  const %w: float32[2x2x1x1] = [1, 2, 3, 4]
  %a: float32[1x2x2x2] = Conv(%x, %w) "a"
  %b: float32[1x2x2x2] = Conv(%x, %w) "b"
  %s: float32[1x2x2x2] = Add(%a, %b) "s"
  %y: float32[1x2x1x1] = GlobalAveragePool(%s) "y"
  output %y)",
                        R"(
  input %x: float32[1x2x2x2]
  const %w: float32[2x2x1x1] = [1, 2, 3, 4]
  %x_NHWC: float32[1x2x2x2] = LayoutTransform(%x) {from = "NCHW", to = "NHWC"} "x_NHWC"
  %a_NHWC: float32[1x2x2x2] = LayoutConv(%x_NHWC, %w) {layout = "NHWC", result_layout = "NHWC"} "a"
  %b_NHWC: float32[1x2x2x2] = LayoutConv(%x_NHWC, %w) {layout = "NHWC", result_layout = "NHWC"} "b"
  %s_NHWC: float32[1x2x2x2] = Add(%a_NHWC, %b_NHWC) "s"
  %y_NHWC: float32[1x1x1x2] = LayoutGlobalAveragePool(%s_NHWC) {layout = "NHWC"} "y"
  %y: float32[1x2x1x1] = Reshape(%y_NHWC) {shape = [1, 2, 1, 1]} "y_NHWC_NCHW"
  output %y)"},
        test::Situation{"Channels are concatenated where they lie.", "layout-nhwc",
                        R"(
  input %x: float32[1x2x2x2]
  const %k: float32[1x1x2x2] = [5, 6, 7, 8]
  %a: float32[1x2x1x1] = MaxPool(%x) {kernel_shape = [2, 2]} "a"
  %p: float32[1x2x2x2] = AveragePool(%x) {kernel_shape = [1, 1]} "p"
  %c: float32[1x5x2x2] = Concat(%p, %k, %x) {axis = 1} "c"
  %r: float32[1x5x2x2] = Mul(%c, %c) "r"
  %h: float32[1x2x2x2] = Mul(%p, %a) "h"
  output %r
  output %h)",
                        R"(
  input %x: float32[1x2x2x2]
  const %k_NHWC: float32[1x2x2x1] = [5, 6, 7, 8]
  %x_NHWC: float32[1x2x2x2] = LayoutTransform(%x) {from = "NCHW", to = "NHWC"} "x_NHWC"
  %a_NHWC: float32[1x1x1x2] = LayoutMaxPool(%x_NHWC) {kernel_shape = [2, 2], layout = "NHWC"} "a"
  %p_NHWC: float32[1x2x2x2] = LayoutAveragePool(%x_NHWC) {kernel_shape = [1, 1], layout = "NHWC"} "p"
  %c_NHWC: float32[1x2x2x5] = Concat(%p_NHWC, %k_NHWC, %x_NHWC) {axis = 3} "c"
  %r_NHWC: float32[1x2x2x5] = Mul(%c_NHWC, %c_NHWC) "r"
  %r: float32[1x5x2x2] = LayoutTransform(%r_NHWC) {from = "NHWC", to = "NCHW"} "r_NHWC_NCHW"
  %h_NHWC: float32[1x2x2x2] = Mul(%p_NHWC, %a_NHWC) "h"
  %h: float32[1x2x2x2] = LayoutTransform(%h_NHWC) {from = "NHWC", to = "NCHW"} "h_NHWC_NCHW"
  output %r
  output %h)"},
        test::Situation{"What only knows NCHW gets it.", "layout-nhwc",
                        R"(
  input %x: float32[1x2x2x2]
  %p: float32[1x2x2x2] = MaxPool(%x) {kernel_shape = [1, 1]} "p"
  %f: float32[1x8] = Flatten(%p) "f"
  %q: float32[1x2x2x2] = AveragePool(%p) {kernel_shape = [1, 1]} "q"
  output %f
  output %q)",
                        R"(
  input %x: float32[1x2x2x2]
  %x_NHWC: float32[1x2x2x2] = LayoutTransform(%x) {from = "NCHW", to = "NHWC"} "x_NHWC"
  %p_NHWC: float32[1x2x2x2] = LayoutMaxPool(%x_NHWC) {kernel_shape = [1, 1], layout = "NHWC"} "p"
  %p: float32[1x2x2x2] = LayoutTransform(%p_NHWC) {from = "NHWC", to = "NCHW"} "p_NHWC_NCHW"
  %f: float32[1x8] = Flatten(%p) "f"
  %q_NHWC: float32[1x2x2x2] = LayoutAveragePool(%p_NHWC) {kernel_shape = [1, 1], layout = "NHWC"} "q"
  %q: float32[1x2x2x2] = LayoutTransform(%q_NHWC) {from = "NHWC", to = "NCHW"} "q_NHWC_NCHW"
  output %f
  output %q)"},
        test::Situation{"Elementwise operators alone gain nothing.", "layout-nhwc",
                        R"(
  input %x: float32[1x2x2x2]
  %y: float32[1x2x2x2] = Relu(%x) "y"
  output %y)"},
        test::Situation{"Layouts are those of images: lines and volumes stay.",
                        "layout-nhwc",
                        R"(
  input %x: float32[1x2x3]
  const %w: float32[1x2x1] = [1, 2]
  %c: float32[1x1x3] = Conv(%x, %w) "c"
  %y: float32[1x1x2] = MaxPool(%c) {kernel_shape = [2]} "y"
  output %y)",
                        nullptr,
                        {"LAYOUT_RANK", "LAYOUT_RANK"}},
        test::Situation{"Weights that come from outside cannot be arranged beforehand; "
                        "positions count in NCHW.",
                        "layout-nhwc",
                        R"(
  input %x: float32[1x2x2x2]
  input %w: float32[1x2x1x1]
  %c: float32[1x1x2x2] = Conv(%x, %w) "c"
  %y: float32[1x1x1x1], %i: int64[1x1x1x1] = MaxPool(%c) {kernel_shape = [2, 2]} "y"
  output %y
  output %i)",
                        nullptr,
                        {"LAYOUT_WEIGHTS_NOT_CONSTANT", "LAYOUT_POSITIONS"}},
        test::Situation{"Three channels are no block of sixteen.",
                        "layout-blocked",
                        R"(
  input %x: float32[1x3x2x2]
  %y: float32[1x3x1x1] = MaxPool(%x) {kernel_shape = [2, 2]} "y"
  output %y)",
                        nullptr,
                        {"LAYOUT_CHANNELS_INDIVISIBLE"}}));

// --- by cost ------------------------------------------------------------------------------------

graph::Graph convolved_network(
    std::int64_t channels, std::int64_t size,
    const std::function<void(graph::GraphBuilder&, graph::ValueId)>& body) {
  graph::GraphBuilder builder("network");
  body(builder, builder.add_input("x", {DataType::Float32, {1, channels, size, size}}));
  return *std::move(builder).finish();
}

graph::ValueId add_convolution(graph::GraphBuilder& builder, const std::string& name,
                               graph::ValueId x, std::int64_t filters, std::int64_t kernel,
                               std::int64_t groups = 1, std::int64_t stride = 1) {
  const std::int64_t channels = builder.value(x).type.shape[1], pad = kernel / 2;
  const auto w = builder.add_constant(
      name + "_w",
      runtime::random_tensor({DataType::Float32, {filters, channels / groups, kernel, kernel}}, 3));
  const auto made = builder.add_node(name, *ops::find_operator("Conv"), {x, w},
                                     {{"group", groups},
                                      {"pads", std::vector<std::int64_t>{pad, pad, pad, pad}},
                                      {"strides", std::vector<std::int64_t>{stride, stride}}});
  return builder.output(*made);
}
graph::ValueId add(graph::GraphBuilder& builder, const std::string& name, const char* op,
                   std::vector<graph::ValueId> inputs, ops::Attributes attributes = {}) {
  return builder.output(
      *builder.add_node(name, *ops::find_operator(op), std::move(inputs), std::move(attributes)));
}

std::map<std::string, int> operators(const graph::Graph& graph) {
  std::map<std::string, int> counts;
  for (const graph::NodePtr& node : graph.nodes()) ++counts[node->op->name];
  return counts;
}

const pass::Remark& remark_on(const pass::Step<graph::Graph>& step, const std::string& entity) {
  for (const pass::Remark& remark : step.remarks)
    if (remark.entity == entity) return remark;
  throw std::invalid_argument("no remark on " + entity);
}

// Dense convolutions read and write as they like, so what lies between them may lie in blocks
// without a single transform.
TEST(AssignLayouts, PutsDepthwiseConvolutionsIntoBlocksBetweenDenseOnes) {
  const graph::Graph before =
      convolved_network(3, 32, [](graph::GraphBuilder& b, graph::ValueId x) {
        const auto first = add_convolution(b, "first", x, 32, 3);
        const auto wide = add_convolution(b, "wide", add(b, "act", "Relu", {first}), 32, 3, 32);
        b.set_outputs({add_convolution(b, "last", wide, 16, 1)});
      });
  const auto step = applied("assign-layouts", before);
  EXPECT_THAT(operators(*step.result), Not(Contains(Key("LayoutTransform"))));
  EXPECT_EQ(step.result->find_node("wide")->attributes.string("layout"), "NCHW32c");
  EXPECT_EQ(step.result->find_node("first")->attributes.string("layout"), "NCHW");
  EXPECT_EQ(step.result->find_node("first")->attributes.string("result_layout"), "NCHW32c");
  const pass::Remark& remark = remark_on(step, "wide");
  EXPECT_EQ(remark.code, "LAYOUT_CHOSEN");
  EXPECT_THAT(remark.text, HasSubstr("wide works in NCHW32c"));
  const std::map<std::string, double> numbers(remark.numbers.begin(), remark.numbers.end());
  EXPECT_LT(numbers.at("NCHW32c us"), numbers.at("NCHW us"));
  test::expect_same_meaning(before, *step.result, 1e-4);
}

// Alone, a depthwise convolution would have to be given its image in blocks, and give it back.
TEST(AssignLayouts, LeavesAnOperatorAloneThatTheTransformsWouldCostMore) {
  const graph::Graph before =
      convolved_network(32, 32, [](graph::GraphBuilder& b, graph::ValueId x) {
        b.set_outputs({add_convolution(b, "alone", x, 32, 3, 32)});
      });
  const auto step = applied("assign-layouts", before);
  EXPECT_FALSE(step.changed);
  const pass::Remark& remark = remark_on(step, "alone");
  EXPECT_EQ(remark.code, "LAYOUT_KEPT");
  const std::map<std::string, double> numbers(remark.numbers.begin(), remark.numbers.end());
  EXPECT_LT(numbers.at("NHWC us"), numbers.at("NCHW us"));
  EXPECT_GT(numbers.at("NHWC us") + numbers.at("NHWC transforms us"), numbers.at("NCHW us"));
}

// The whole is what is least: no operator could change its layout alone and make it faster.
TEST(AssignLayouts, IsNoSlowerThanAnyAlternativeOfOneOperator) {
  for (std::uint32_t seed = 0; seed < 200; ++seed)
    for (const passes::layout::Decision& decision : passes::layout::assign(
             test::random_network(seed, {.operators = 20}), {}, reference_machine()))
      for (const auto& alternative : decision.alternatives) {
        const auto& chosen = decision.alternatives[decision.chosen];
        EXPECT_LE(chosen.own + chosen.transforms, alternative.own + alternative.transforms + 1e-3)
            << seed;
      }
}

// --- every layout -------------------------------------------------------------------------------

constexpr const char* every_pass[]{"assign-layouts", "layout-nhwc", "layout-blocked"};

// No transform gives another back what it has just been given.
void expect_no_undone_transform(const graph::Graph& graph) {
  for (const graph::NodePtr& node : graph.nodes()) {
    if (node->op->name != "LayoutTransform") continue;
    const graph::Node* before = graph.find(graph.value(node->inputs[0]).producer);
    EXPECT_FALSE(before != nullptr && before->op->name == "LayoutTransform") << to_text(graph);
  }
}

// Groups, strides, broadcasts per channel, per pixel and per image, a concatenation, a residual, a
// squeeze-and-excite branch, a batch norm, a shared value that is also a result: all of it in a
// network of blocks.
graph::Graph busy_network() {
  return convolved_network(3, 12, [](graph::GraphBuilder& b, graph::ValueId x) {
    const auto constant = [&](Shape shape) {
      return b.add_constant("k", runtime::random_tensor({DataType::Float32, std::move(shape)}, 5));
    };
    const auto stem = add(b, "stem_act", "Relu", {add_convolution(b, "stem", x, 32, 3, 1, 2)});
    const auto wide = add(b, "scaled", "Mul",
                          {add_convolution(b, "wide", stem, 32, 3, 32), constant({32, 1, 1})});
    const auto masked = add(b, "masked", "Add", {wide, constant({1, 1, 6, 6})});
    const auto grouped =
        add(b, "shifted", "Sub", {add_convolution(b, "grouped", masked, 32, 3, 2), constant({1})});
    const auto squeezed =
        add_convolution(b, "squeeze", add(b, "mean", "GlobalAveragePool", {grouped}), 8, 1);
    const auto gate = add(b, "gate", "Sigmoid", {add_convolution(b, "excite", squeezed, 32, 1)});
    const auto gated = add(b, "gated", "Mul", {grouped, gate});
    const auto residual = add(b, "residual", "Add", {gated, stem});
    const auto normal =
        add(b, "normal", "BatchNormalization",
            {residual, constant({32}), constant({32}), constant({32}),
             b.add_constant("variance", Tensor::of<float>({32}, std::vector<float>(32, 2.0f)))});
    const auto joined = add(b, "joined", "Concat", {normal, stem, constant({1, 32, 6, 6})},
                            {{"axis", std::int64_t{-3}}});
    const auto pooled =
        add(b, "pooled", "MaxPool", {add(b, "slope", "PRelu", {joined, constant({96, 1, 1})})},
            {{"kernel_shape", std::vector<std::int64_t>{2, 2}}});
    const auto odd = add_convolution(b, "odd", pooled, 10, 1);
    b.set_outputs({add(b, "flat", "Flatten", {odd}), residual});
  });
}

TEST(EveryLayout, KeepsTheMeaningOfABusyNetworkAfterEachOfItsRewrites) {
  const graph::Graph before = busy_network();
  for (const char* pass : every_pass) {
    const auto step = applied(pass, before);
    EXPECT_GT(step.rewrites.size(), 10u) << pass;
    expect_no_undone_transform(*step.result);
    EXPECT_FALSE(applied(pass, *step.result).changed) << pass;
    for (std::size_t k = 1; k <= step.rewrites.size(); ++k) {
      const auto part = applied(pass, before, k);
      ASSERT_EQ(part.rewrites.size(), k);
      test::expect_same_meaning(before, *part.result, 1e-4);
    }
  }
}

// Inputs and results keep names, types and order.
TEST(EveryLayout, LeavesTheInterfaceAsItIs) {
  const graph::Graph before = busy_network();
  for (const char* pass : every_pass) {
    const auto step = applied(pass, before);
    ASSERT_EQ(step.result->outputs().size(), before.outputs().size());
    EXPECT_EQ(step.result->inputs(), before.inputs());
    for (std::size_t i = 0; i < before.outputs().size(); ++i) {
      const graph::Value &was = before.value(before.outputs()[i]),
                         &is = step.result->value(step.result->outputs()[i]);
      EXPECT_EQ(is.name, was.name);
      EXPECT_EQ(is.type, was.type);
    }
  }
}

TEST(EveryLayout, IsRightForOtherElementTypesAndEmptyBatches) {
  for (const DataType type : {DataType::Float16, DataType::Float64})
    for (const std::int64_t batch : {0, 2}) {
      graph::GraphBuilder b("typed");
      const auto x = b.add_input("x", {type, {batch, 32, 5, 5}});
      const auto w = b.add_constant("w", runtime::random_tensor({type, {32, 1, 3, 3}}, 1));
      const auto c = add(b, "c", "Conv", {x, w}, {{"group", std::int64_t{32}}});
      const auto v = b.add_constant("v", runtime::random_tensor({type, {16, 32, 1, 1}}, 2));
      b.set_outputs({add(b, "d", "Conv", {add(b, "r", "Relu", {c}), v})});
      const graph::Graph before = *std::move(b).finish();
      for (const char* pass : every_pass)
        test::expect_same_meaning(before, *applied(pass, before).result,
                                  type == DataType::Float16 ? 3e-2 : 1e-9);
    }
}

// A graph that has been through one pass and goes through another: what was brought back into NCHW
// is taken from where it came.
TEST(EveryLayout, CancelsTransformsThatWereThereBefore) {
  const graph::Graph before = busy_network();
  const auto first = applied("layout-nhwc", before, 3);
  const auto second = applied("layout-nhwc", *first.result);
  EXPECT_EQ(operators(*second.result), operators(*applied("layout-nhwc", before).result));
  const auto mixed = applied("layout-blocked", *first.result);
  expect_no_undone_transform(*mixed.result);
  test::expect_same_meaning(before, *mixed.result, 1e-4);
}

TEST(EveryLayout, LeavesNoUndoneTransformInRandomNetworks) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const graph::Graph before = test::random_network(seed, {.operators = 16, .jumps = false});
    const test::TimeLimit limit(to_text(before));
    for (const char* pass : every_pass) expect_no_undone_transform(*applied(pass, before).result);
  }
}

// Channels side by side are faster for a depthwise convolution, and worth two transforms where
// these cost next to nothing.
TEST(LayoutMachine, DecidesWhatTransformsAreWorth) {
  const graph::Graph graph =
      convolved_network(64, 56, [](graph::GraphBuilder& b, graph::ValueId x) {
        b.set_outputs({add_convolution(b, "c", x, 64, 3, 64)});
      });
  const auto moves = [&](const Machine& machine) {
    pass::Report report;
    for (const pass::GraphPass& pass : passes::graph_passes(machine))
      if (pass.info.name == "assign-layouts") {
        EXPECT_TRUE(pass.run(graph, report));
      }
    return !report.rewrites.empty();
  };
  Machine near = reference_machine();
  near.l2.gigabytes_per_second = 1e4;
  EXPECT_FALSE(moves(reference_machine()));
  EXPECT_TRUE(moves(near));
}

}  // namespace
}  // namespace loopglass
