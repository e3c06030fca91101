// A layout says where elements lie, not what is computed of which: fusion finds the same in each.
#include "core/fusion/compare.h"
#include "core/ops/layout_forms.h"
#include "passes/fusion/dominator.h"
#include "samples/samples.h"
#include "tests/fusion/image_network.h"
#include "tests/fusion/in_layout.h"
#include "tests/fusion/plans.h"

#include <gmock/gmock.h>
#include <functional>
#include <set>

namespace loopglass {
namespace {

using samples::Network;
using samples::ValueId;

struct Epilogue {
  const char* name;
  std::function<ValueId(Network& net, ValueId conv, ValueId input)> add;
};
void PrintTo(const Epilogue& epilogue, std::ostream* out) { *out << epilogue.name; }

std::function<ValueId(Network&, ValueId, ValueId)> with_constant(const char* op, Shape shape) {
  return [=](Network& net, ValueId conv, ValueId) {
    return net.apply("op", op, {conv, net.weights("w", shape, 0.5f, 1)});
  };
}

class ConvolutionEpilogues : public ::testing::TestWithParam<Epilogue> {};

// 64 channels are several blocks of 16 and of 32.
TEST_P(ConvolutionEpilogues, FuseInEveryLayout) {
  Network net("g");
  const ValueId x = net.input("x", {1, 64, 4, 4});
  const ValueId input = net.max_pool("input", x, 1, 1);
  const ValueId conv = net.convolution("conv", input, {.channels = 64, .kernel = 3});
  const ValueId y = net.relu("relu", GetParam().add(net, conv, input));
  const graph::Graph graph = test::value_of(std::move(net).finish({y}));
  for (const auto& [layout, moved] : test::in_layouts(graph)) {
    SCOPED_TRACE(layout);
    const fusion::Plan plan = passes::fuse_by_dominators(moved, {}).value();
    const auto node = [&](const char* name) {
      return std::ranges::find(moved.nodes(), name, [](const auto& each) { return each->name; })
          ->get()
          ->id;
    };
    EXPECT_EQ(plan.group_of(node("conv")), plan.group_of(node("op"))) << test::groups(plan, moved);
    EXPECT_EQ(plan.group_of(node("conv")), plan.group_of(node("relu")))
        << test::groups(plan, moved);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ConvolutionEpilogues,
    ::testing::Values(Epilogue{"batch normalisation",
                               [](Network& net, ValueId conv, ValueId) {
                                 return net.batch_normalisation("op", conv);
                               }},
                      Epilogue{"scale", with_constant("Mul", {1, 64, 1, 1})},
                      Epilogue{"bias", with_constant("Add", {64, 1, 1})},
                      Epilogue{"scale of everything", with_constant("Mul", {})},
                      Epilogue{"PReLU", with_constant("PRelu", {64, 1, 1})},
                      Epilogue{"PReLU with one slope", with_constant("PRelu", {1})},
                      Epilogue{"residual sum",
                               [](Network& net, ValueId conv, ValueId input) {
                                 return net.apply("op", "Add", {conv, input});
                               }}),
    [](const auto& info) {
      std::string name = info.param.name;
      std::erase_if(name, [](char c) { return c == ' '; });
      return name;
    });

// --- whole networks ------------------------------------------------------------------------------

// Whether an operator only moves elements from layout to layout.
bool moves(const graph::Node& node, const std::set<std::string>& original) {
  return !original.contains(node.name);
}

// An edge that is fused in NCHW is fused in every layout, unless the layout has put a transform on
// it, or where one of its ends is read; and then the verdict says so.
void expect_same_but_for_transforms(const graph::Graph& plain, const graph::Graph& moved,
                                    const std::string& where) {
  const fusion::Plan before = passes::fuse_by_dominators(plain, {}).value();
  const fusion::Plan after = passes::fuse_by_dominators(moved, {}).value();
  std::set<std::string> original;
  for (const graph::NodePtr& node : plain.nodes()) original.insert(node->name);
  std::map<std::string, bool> fused;
  for (const fusion::Decision& decision : before.decisions)
    fused[plain.node(decision.producer).name + ":" + plain.node(decision.consumer).name] =
        decision.fused;
  for (const fusion::Decision& decision : after.decisions) {
    const graph::Node &producer = moved.node(decision.producer),
                      &consumer = moved.node(decision.consumer);
    if (moves(producer, original) || moves(consumer, original)) continue;
    const auto known = fused.find(producer.name + ":" + consumer.name);
    ASSERT_NE(known, fused.end()) << where << ": " << producer.name << ":" << consumer.name;
    if (known->second == decision.fused) continue;
    // Someone between them, or beside, changes the layout.
    bool is_moved = false;
    for (const graph::NodePtr& node : moved.nodes())
      if (moves(*node, original)) is_moved = is_moved || decision.sentence.contains(node->name);
    EXPECT_TRUE(is_moved) << where << ": " << producer.name << " -> " << consumer.name << ": "
                          << fusion::name(decision.reason) << ": " << decision.sentence;
  }
}

TEST(PlansInEveryLayout, OfRandomImages) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const graph::Graph plain = test::image_network(seed, 16);
    for (const auto& [layout, moved] : test::in_layouts(plain))
      expect_same_but_for_transforms(plain, moved, fmt::format("images {} in {}", seed, layout));
  }
}

TEST(PlansInEveryLayout, OfTheSamples) {
  for (const char* name : {"resnet50", "mobilenet_v1", "vgg16", "efficientnet_b0", "yolov4"}) {
    const samples::Sample* sample = samples::find_sample(name);
    const graph::Graph plain =
        test::after(test::value_of(sample->build(sample->image_size)), "@canonical");
    for (const auto& [layout, moved] : test::in_layouts(plain))
      expect_same_but_for_transforms(plain, moved, fmt::format("{} in {}", name, layout));
  }
}

// As it comes, with its batch normalisations in their places.
TEST(PlansInEveryLayout, OfResNetHaveTheSameKernels) {
  const graph::Graph plain = test::value_of(samples::find_sample("resnet50")->build(224));
  std::map<std::string, std::size_t> kernels;
  for (const auto& [layout, moved] : test::in_layouts(plain)) {
    std::size_t computing = 0;
    std::set<std::string> original;
    for (const graph::NodePtr& node : plain.nodes()) original.insert(node->name);
    const fusion::Plan plan = passes::fuse_by_dominators(moved, {}).value();
    for (const fusion::Group& group : plan.groups)
      computing += std::ranges::any_of(
          group.nodes, [&](graph::NodeId id) { return original.contains(moved.node(id).name); });
    kernels[layout] = computing;
  }
  EXPECT_EQ(kernels, (std::map<std::string, std::size_t>{
                         {"NCHW", 57}, {"NHWC", 57}, {"NCHW16c", 57}, {"NCHW32c", 57}}));
}

}  // namespace
}  // namespace loopglass
