// What kernels' operators are taken for, by a library that is as plain as can be: its results are
// the kernels'.
#include "core/library/comparison.h"

#include "core/ops/registry.h"
#include "core/runtime/executor.h"
#include "samples/samples.h"
#include "tests/library/plain_library.h"
#include "tests/session/session_on.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::library {
namespace {

using testing::HasSubstr;
using Integers = std::vector<std::int64_t>;

Result<Comparison> compared(Session& session, const fusion::Group& group, Library& library) {
  const auto network = TRY(session.network());
  const auto placement = TRY(session.placement());
  const auto kernel =
      std::ranges::find(network->kernels, group.id, &runtime::KernelInstance::group);
  const KernelPart part = TRY(part_of(*network->graph, group));
  runtime::ThreadPool pool(1);
  return compare({*network->graph, *kernel, *placement}, part, library, pool, {1, 1, {}});
}

// Every kernel with an anchor; how many there are.
int expect_agreement(std::unique_ptr<Session> session) {
  PlainLibrary plain, wrong(1.001F);
  const auto plan = session->plan();
  EXPECT_TRUE(plan) << to_string(plan.error());
  int count = 0;
  for (const fusion::Group& group : (*plan)->groups) {
    if (!has_anchor(**session->graph(), group)) continue;
    const auto right = compared(*session, group, plain);
    EXPECT_TRUE(right) << to_string(right.error());
    if (!right) continue;
    EXPECT_GT(right->largest, 0) << group.name;
    EXPECT_TRUE(right->agrees()) << group.name << " differs by " << right->difference << " of "
                                 << right->largest << ", and may by " << right->tolerance;
    EXPECT_TRUE(right->keeps_nan) << group.name;
    EXPECT_FALSE(compared(*session, group, wrong)->agrees()) << group.name;
    ++count;
  }
  return count;
}

struct Layer {
  Shape image, weights;
  ops::Attributes attributes;
  const char* preset = "none";
};

graph::Graph network_of(const Layer& layer) {
  graph::GraphBuilder builder("layer");
  const graph::ValueId x = builder.add_input("x", {DataType::Float32, layer.image});
  const auto constant = [&](const char* name, const Shape& shape, std::uint64_t seed) {
    return builder.add_constant(name, runtime::random_tensor({DataType::Float32, shape}, seed));
  };
  const auto add = [&](const char* op, std::vector<graph::ValueId> inputs,
                       ops::Attributes attributes = {}) {
    const auto node =
        builder.add_node(op, *ops::find_operator(op), std::move(inputs), std::move(attributes));
    if (!node) throw std::invalid_argument(to_string(node.error()));
    return builder.output(*node);
  };
  const graph::ValueId sum =
      add("Conv", {x, constant("w", layer.weights, 1), constant("b", {layer.weights[0]}, 2)},
          layer.attributes);
  const graph::ValueId other = builder.add_input("other", builder.value(sum).type);
  builder.set_outputs({add("Tanh", {add("Add", {add("Relu", {sum}), other})})});
  return *std::move(builder).finish();
}

TEST(LibraryComparison, TakesConvolutionsForWhatTheyAre) {
  const Integers around{1, 1, 1, 1};
  for (const Layer& layer :
       {Layer{{1, 3, 9, 8}, {4, 3, 3, 3}, {{"pads", around}}},
        {{2, 4, 9, 9}, {6, 2, 3, 3}, {{"group", std::int64_t{2}}, {"strides", Integers{2, 1}}}},
        {{1, 8, 7, 7}, {8, 1, 3, 3}, {{"group", std::int64_t{8}}, {"pads", around}}},
        {{1, 3, 11, 9},
         {4, 3, 3, 2},
         {{"dilations", Integers{2, 3}}, {"pads", Integers{2, 0, 1, 3}}}},
        {{1, 3, 8, 8}, {4, 3, 4, 4}, {{"auto_pad", "SAME_UPPER"}}},
        // In layouts of the compiler's choice.
        {{1, 32, 9, 9}, {32, 32, 3, 3}, {{"pads", around}}, "default"}}) {
    SessionOptions options;
    options.pipeline = layer.preset;
    EXPECT_EQ(expect_agreement(session_on(network_of(layer), options)), 1)
        << to_string(layer.weights);
  }
}

TEST(LibraryComparison, TakesProductsForWhatTheyAre) {
  EXPECT_EQ(expect_agreement(session_on(*samples::find_sample("mlp")->build(0))), 3);
}

TEST(LibraryComparison, CarriesThroughWhatTheLibraryHasNot) {
  EXPECT_EQ(expect_agreement(session_on(*samples::find_sample("lenet")->build(0))), 5);
}

// Of results that agree where all are numbers it is told, too.
TEST(LibraryComparison, SeesWhoMakesNumbersOfNoNumber) {
  PlainLibrary library = PlainLibrary::without_nan();
  const auto session = session_on(*samples::find_sample("mlp")->build(0));
  int keeping = 0, losing = 0;
  for (const fusion::Group& group : (*session->plan())->groups) {
    if (!has_anchor(**session->graph(), group)) continue;
    const auto found = compared(*session, group, library);
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_TRUE(found->agrees()) << group.name;
    ++(found->keeps_nan ? keeping : losing);
  }
  EXPECT_EQ(losing, 2);  // with a Relu behind
  EXPECT_EQ(keeping, 1);
}

TEST(LibraryComparison, LeavesOutOfTheRatioWhatMayBeChance) {
  const Ratio few = ratio_of({0.8, 1.2, 1.0});
  EXPECT_EQ(few.median, 1.0);
  EXPECT_EQ(few.low, 0.8);
  EXPECT_EQ(few.high, 1.2);
  // Of ten, one at either end lies outside with 97.9 %; two would leave 89.1 %.
  const Ratio ten = ratio_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  EXPECT_EQ(ten.low, 2);
  EXPECT_EQ(ten.high, 9);
  EXPECT_NEAR(ten.median, 5.477, 1e-3);
}

TEST(LibraryComparison, SaysWhyItTakesNoOther) {
  const auto graph = [] {
    graph::GraphBuilder builder("doubles");
    const graph::ValueId a = builder.add_input("a", {DataType::Float64, {4, 4}});
    const auto node = builder.add_node("product", *ops::find_operator("MatMul"), {a, a}, {});
    builder.set_outputs({builder.output(*node)});
    return *std::move(builder).finish();
  }();
  const auto session = session_on(graph);
  const auto part = part_of(**session->graph(), (*session->plan())->groups.front());
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().code, Code::LibraryRefused);
  EXPECT_THAT(part.error().what, HasSubstr("float64"));
}

}  // namespace
}  // namespace loopglass::library
