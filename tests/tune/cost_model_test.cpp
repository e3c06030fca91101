// Cost models: features count what a nest does, models learn to rank, and ranking is measured.
#include "core/tune/models/models.h"
#include "core/tune/models/perceptron.h"
#include "core/tune/models/ranking.h"
#include "core/tune/space.h"
#include "tests/schedule/scripts.h"
#include "tests/tune/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>

namespace loopglass::tune {
namespace {

using ::testing::ElementsAre;

const std::string tiled = schedule::product_loops +
                          "j_o, j_i = split(j, [4, 8])\nreorder([i, j_o, k, j_i])\nvectorize(j_i)\n"
                          "parallel(i)\nannotate(k, \"unroll_count\", \"4\")";

StoreFact main_store(const loop::Func& nest) {
  const auto facts = store_facts(nest);
  EXPECT_FALSE(facts.empty());
  return *std::ranges::max_element(facts, {}, &StoreFact::runs);
}

TEST(Features, CountWhatANestDoes) {
  const StoreFact store = main_store(schedule::scheduled(product().nest, tiled));
  EXPECT_EQ(store.runs(), 24 * 32 * 48);
  ASSERT_EQ(store.loops.size(), 4u);
  EXPECT_EQ(store.loops[0].kind, loop::ForKind::Parallel);
  EXPECT_EQ(store.loops[2].unroll, 4);
  EXPECT_EQ(store.loops[3].kind, loop::ForKind::Vectorized);
  EXPECT_EQ(store.floats.multiply_adds, 1);
  EXPECT_EQ(store.floats.additions, 0);
  ASSERT_EQ(store.accesses.size(), 3u);
  const AccessFact& c = store.accesses[0];
  EXPECT_EQ(c.buffer, "C");
  EXPECT_TRUE(c.reads && c.writes);
  EXPECT_THAT(c.strides, ElementsAre(32, 8, 0, 1));
  const auto of = [&](const std::string& name) {
    return *std::ranges::find(store.accesses, name, &AccessFact::buffer);
  };
  EXPECT_THAT(of("A").strides, ElementsAre(48, 0, 1, 0));
  EXPECT_THAT(of("B").strides, ElementsAre(0, 8, 32, 1));
  EXPECT_EQ(of("A").touched_elements(0), 24 * 48);
  EXPECT_EQ(of("A").touched_elements(1), 48);
  EXPECT_EQ(of("A").touched_elements(3), 1);
  EXPECT_EQ(of("B").touched_elements(2), 48 * 8);
  EXPECT_EQ(of("B").touched_lines(2), 48) << "32 bytes of a row";
  EXPECT_EQ(of("B").touched_lines(1), 48 * 2);
}

// Loops that were fused walk by quotients and remainders.
TEST(Features, SeeThroughFusedLoops) {
  const StoreFact store = main_store(
      schedule::scheduled(product().nest, schedule::product_loops + "both = fuse([i, j])"));
  const auto a = *std::ranges::find(store.accesses, "A", &AccessFact::buffer);
  EXPECT_EQ(a.touched_elements(0), 24 * 48);
  const auto b = *std::ranges::find(store.accesses, "B", &AccessFact::buffer);
  EXPECT_EQ(b.touched_elements(0), 32 * 48);
}

TEST(Features, HaveTheWidthThatIsDocumented) {
  const auto facts = store_facts(schedule::scheduled(product().nest, tiled));
  const Features stores = store_features(facts), loops = loop_features(facts);
  EXPECT_EQ(stores.width, 164u);
  EXPECT_EQ(stores.rows(), facts.size());
  EXPECT_EQ(loops.rows(), 1u);
  for (const float value : stores.values) EXPECT_TRUE(std::isfinite(value));
  // Another schedule is another row.
  EXPECT_NE(stores.values, store_features(store_facts(product().nest)).values);
  EXPECT_NE(loops.values, loop_features(store_facts(product().nest)).values);
  EXPECT_EQ(loop_features({}).rows(), 1u);
}

// What registers and vectors do to a product, whoever measures it.
TEST(Analytical, KnowsVectorsAndTilesOfRegisters) {
  const Task task = product();
  const auto estimate = [&](const std::string& script) {
    return estimated_milliseconds(
        store_facts(script.empty() ? task.nest : schedule::scheduled(task.nest, script)),
        task.machine, 1);
  };
  const std::string vectors = schedule::product_loops +
                              "j_o, j_i = split(j, [4, 8])\nreorder([i, j_o, k, j_i])\n"
                              "vectorize(j_i)";
  const std::string tile = schedule::product_loops +
                           "i_o, i_i = split(i, [4, 6])\nj_o, j_i = split(j, [2, 16])\n"
                           "reorder([i_o, j_o, k, i_i, j_i])\nunroll(i_i)\nvectorize(j_i)";
  EXPECT_LT(estimate(vectors), estimate(""));
  EXPECT_LT(estimate(tile), estimate(vectors));
}

// A space's points with times that follow from its features: half are learned, half foretold.
class Models : public ::testing::TestWithParam<std::string> {};

TEST_P(Models, LearnToRank) {
  const Task task = product();
  const auto space = find_space_kind("template")->make(task);
  ASSERT_TRUE(space);
  const auto model = find_cost_model_kind(GetParam())->make(1);
  Random random(2);
  std::vector<Example> examples;
  std::vector<Features> subjects;
  std::vector<double> speeds;
  for (int i = 0; i < 160; ++i) {
    const auto scheduled = space->script(space->random(random));
    if (!scheduled) continue;
    const double time = estimated_milliseconds(store_facts(scheduled->func), task.machine, 1);
    Features features = model->describe(scheduled->func, task);
    if (i % 2 == 0) examples.push_back({std::move(features), 1 / time});
    else {
      subjects.push_back(std::move(features));
      speeds.push_back(1 / time);
    }
  }
  double best = 0;
  for (const Example& example : examples) best = std::max(best, example.throughput);
  for (Example& example : examples) example.throughput /= best;
  model->learn(examples);
  ASSERT_TRUE(model->can_predict());
  std::vector<const Features*> pointers;
  for (const Features& subject : subjects) pointers.push_back(&subject);
  const auto scores = model->predict(pointers);
  EXPECT_GT(rank_correlation(scores, speeds), 0.7);
  EXPECT_GT(recall_of_best(scores, speeds, 0.2), 0.4);
  // The same seed learns the same.
  const auto again = find_cost_model_kind(GetParam())->make(1);
  again->learn(examples);
  EXPECT_EQ(again->predict(pointers), scores);
}
INSTANTIATE_TEST_SUITE_P(Of, Models,
                         ::testing::Values("trees-loops", "trees-stores", "net", "analytical"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Models, SayNothingBeforeTheyHaveLearned) {
  for (const std::string name : {"trees-loops", "trees-stores", "net"}) {
    const auto model = find_cost_model_kind(name)->make(1);
    EXPECT_FALSE(model->can_predict()) << name;
    model->learn({});
    EXPECT_FALSE(model->can_predict()) << name;
  }
  EXPECT_EQ(find_cost_model_kind("none")->make(1), nullptr);
}

// The derivative, against differences.
TEST(Perceptron, KnowsItsGradient) {
  Random random(4);
  Perceptron net({3, 5, 2}, random);
  const std::vector<double> input{0.3, -0.7, 1.1};
  // A step along the gradient of the first output lowers it, and not by chance.
  for (int i = 0; i < 20; ++i) {
    const double before = net(input)[0];
    net.accumulate(input, std::vector<double>{1, 0});
    net.step(1e-4);
    EXPECT_LT(net(input)[0], before);
  }
}

TEST(Perceptron, LearnsWhatIsNotLinear) {
  Random random(9);
  Perceptron net({2, 16, 1}, random);
  const std::vector<std::vector<double>> inputs{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const std::vector<double> wanted{0, 1, 1, 0};
  for (int epoch = 0; epoch < 800; ++epoch) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      net.accumulate(inputs[i], std::vector<double>{2 * (net(inputs[i])[0] - wanted[i])});
    net.step(1e-2);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_NEAR(net(inputs[i])[0], wanted[i], 0.2);
}

TEST(Ranking, IsOfOrderAlone) {
  const std::vector<double> measured{1, 2, 3, 4, 5};
  EXPECT_DOUBLE_EQ(rank_correlation(std::vector<double>{10, 20, 300, 301, 1e9}, measured), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(std::vector<double>{5, 4, 3, 2, 1}, measured), -1);
  EXPECT_TRUE(std::isnan(rank_correlation(std::vector<double>{1, 1, 1, 1, 1}, measured)));
  EXPECT_TRUE(std::isnan(rank_correlation({}, {})));
  EXPECT_DOUBLE_EQ(recall_of_best(std::vector<double>{5, 1, 1, 4, 3}, measured, 0.4), 0.5);
  EXPECT_DOUBLE_EQ(recall_of_best(std::vector<double>{0, 0, 0, 0, 9}, measured, 0.05), 1);
}

}  // namespace
}  // namespace loopglass::tune
