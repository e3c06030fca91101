// The samples are the published architectures: operators and parameters are counted.
#include "samples/samples.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace loopglass::samples {
namespace {

std::map<std::string, int> operators(const graph::Graph& graph) {
  std::map<std::string, int> counts;
  for (const graph::NodePtr& node : graph.nodes()) ++counts[node->op->name];
  return counts;
}

// Trainable parameters, as papers count them: running statistics of normalisations and scalars of
// formulas (1/2, the square root of 2) are none.
std::int64_t parameters(const graph::Graph& graph) {
  std::set<graph::ValueId> statistics;
  for (const graph::NodePtr& node : graph.nodes())
    if (node->op->name == "BatchNormalization")
      statistics.insert({node->inputs[3], node->inputs[4]});
  std::int64_t count = 0;
  for (const graph::ValuePtr& value : graph.values())
    if (value->is_constant() && !statistics.contains(value->id) && !value->type.shape.empty())
      count += value->constant.elements();
  return count;
}

struct Published {
  const char* sample;
  std::int64_t parameters;
  std::map<std::string, int> operators;
};

class Architecture : public ::testing::TestWithParam<Published> {};

TEST_P(Architecture, CountsAsPublished) {
  const auto graph = find_sample(GetParam().sample)->build(0);
  ASSERT_TRUE(graph) << to_string(graph.error());
  EXPECT_EQ(parameters(*graph), GetParam().parameters);
  EXPECT_EQ(operators(*graph), GetParam().operators);
  EXPECT_TRUE(graph::verify(*graph));
}

INSTANTIATE_TEST_SUITE_P(
    All, Architecture,
    ::testing::Values(Published{"mlp", 235'146, {{"Gemm", 3}, {"Relu", 2}, {"Softmax", 1}}},
                      Published{"lenet",
                                61'706,
                                {{"Conv", 2},
                                 {"Flatten", 1},
                                 {"Gemm", 3},
                                 {"MaxPool", 2},
                                 {"Relu", 4},
                                 {"Softmax", 1}}},
                      Published{"resnet50",
                                25'557'032,
                                {{"Add", 16},
                                 {"BatchNormalization", 53},
                                 {"Conv", 53},
                                 {"Flatten", 1},
                                 {"Gemm", 1},
                                 {"GlobalAveragePool", 1},
                                 {"MaxPool", 1},
                                 {"Relu", 49}}},
                      Published{"mobilenet_v1",
                                4'231'976,
                                {{"BatchNormalization", 27},
                                 {"Conv", 27},
                                 {"Flatten", 1},
                                 {"Gemm", 1},
                                 {"GlobalAveragePool", 1},
                                 {"Relu", 27},
                                 {"Softmax", 1}}},
                      Published{"vgg16",
                                138'357'544,
                                {{"Conv", 13},
                                 {"Dropout", 2},
                                 {"Flatten", 1},
                                 {"Gemm", 3},
                                 {"MaxPool", 5},
                                 {"Relu", 15}}},
                      Published{"efficientnet_b0",
                                5'288'548,
                                {{"Add", 9},
                                 {"BatchNormalization", 49},
                                 {"Conv", 81},
                                 {"Flatten", 1},
                                 {"Gemm", 1},
                                 {"GlobalAveragePool", 17},
                                 {"Mul", 65},
                                 {"Sigmoid", 65}}},
                      Published{"yolov4",
                                64'363'101,
                                {{"Add", 23},
                                 {"BatchNormalization", 107},
                                 {"Concat", 10},
                                 {"Conv", 110},
                                 {"LeakyRelu", 35},
                                 {"MaxPool", 3},
                                 {"Mul", 72},
                                 {"Resize", 2},
                                 {"Softplus", 72},
                                 {"Tanh", 72}}},
                      Published{"encoder",
                                7'087'872,
                                {{"Add", 13},
                                 {"Div", 4},
                                 {"Erf", 1},
                                 {"MatMul", 8},
                                 {"Mul", 4},
                                 {"Pow", 2},
                                 {"ReduceMean", 4},
                                 {"Reshape", 4},
                                 {"Softmax", 1},
                                 {"Sqrt", 2},
                                 {"Sub", 2},
                                 {"Transpose", 4}}}),
    [](const auto& tested) { return tested.param.sample; });

TEST(Samples, AreTheSameEveryTime) {
  const auto first = find_sample("lenet")->build(0), second = find_sample("lenet")->build(0);
  EXPECT_EQ(first->content_hash(), second->content_hash());
}

TEST(Samples, ImageSizesAreChecked) {
  for (const std::int64_t size : {-1, 31, 33, 1 << 20}) {
    const auto graph = find_sample("resnet50")->build(size);
    ASSERT_FALSE(graph);
    EXPECT_EQ(graph.error().code, Code::UsageInvalid);
  }
}

}  // namespace
}  // namespace loopglass::samples
