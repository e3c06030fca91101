// That the random networks are worth testing with: varied, and not rejected down to nothing.
#include "tests/random/random_network.h"
#include "core/graph/text.h"

#include <gtest/gtest.h>
#include <map>

namespace loopglass {
namespace {

TEST(RandomNetworks, HoldManyOperatorsOfManyKinds) {
  std::map<std::string, int> kinds;
  std::size_t nodes = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const graph::Graph network = test::random_network(seed, {.operators = 10});
    nodes += network.nodes().size();
    for (const graph::NodePtr& node : network.nodes()) ++kinds[node->op->name];
  }
  EXPECT_GE(nodes, 5000u);
  EXPECT_GE(kinds.size(), 55u);
  for (const char* wanted : {"Conv",
                             "BatchNormalization",
                             "MatMul",
                             "Gemm",
                             "Pad",
                             "Concat",
                             "Split",
                             "Slice",
                             "Transpose",
                             "Reshape",
                             "Shape",
                             "Where",
                             "ReduceSum",
                             "Pow",
                             "MaxPool",
                             "LSTM",
                             "GRU",
                             "RNN",
                             "GridSample",
                             "Resize",
                             "QuantizeLinear",
                             "DequantizeLinear",
                             "QLinearConv",
                             "ConvInteger",
                             "QLinearMatMul",
                             "MatMulInteger"})
    EXPECT_GE(kinds[wanted], 10) << wanted;
}

TEST(RandomNetworks, AreTheSameForTheSameSeed) {
  EXPECT_EQ(to_text(test::random_network(7)), to_text(test::random_network(7)));
  EXPECT_NE(to_text(test::random_network(7)), to_text(test::random_network(8)));
}

}  // namespace
}  // namespace loopglass
