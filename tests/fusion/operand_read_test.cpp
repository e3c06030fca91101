// How operators read their operands: by their index maps, and by running through all their loops.
#include "core/fusion/operand_read.h"

#include "core/fusion/cost_model.h"
#include "core/graph/program.h"
#include "tests/fusion/brute_reads.h"
#include "tests/fusion/image_network.h"
#include "tests/fusion/in_layout.h"
#include "tests/fusion/operator_cases.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_network.h"

#include <gtest/gtest.h>
#include <array>
#include <set>

namespace loopglass::fusion {
namespace {

using test::graph_of;

std::string kind_name(const std::optional<PatternKind>& kind) {
  return kind ? std::string(name(*kind)) : "not read";
}

// --- by hand -------------------------------------------------------------------------------------

struct OperandCase {
  const char* operation;  // the line that makes %y
  const char* operand;    // as the operator calls it
  const char* kind;
  std::int64_t most;  // reads of an element; 0: not known
};
void PrintTo(const OperandCase& c, std::ostream* out) { *out << c.operation << ": " << c.operand; }

class OperandReadTest : public ::testing::TestWithParam<OperandCase> {};

TEST_P(OperandReadTest, FollowFromTheIndexMaps) {
  const graph::Graph graph = graph_of(std::string(R"(
  input %x: float32[2x3x4]
  input %s: float32[4]
  input %m: float32[4x4]
  input %i: int64[2]
  input %image: float32[1x4x6x6]
  input %w: float32[8x4x3x3]
  input %blocks: float32[1x2x6x6x32]
  input %channels: float32[64]
  input %vector: float32[1x2x1x1x32]
)") + "  %y: " + GetParam().operation +
                                      " \"y\"\n  output %y\n");
  const auto program = program_of(graph, *graph.nodes().front());
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_EQ(kind_name(OperandReads(*program).kind(GetParam().operand)), GetParam().kind);
  EXPECT_EQ(OperandReads(*program).most(GetParam().operand).value_or(0), GetParam().most);
}

INSTANTIATE_TEST_SUITE_P(
    All, OperandReadTest,
    ::testing::Values(
        OperandCase{"float32[2x3x4] = Add(%x, %s)", "A", "Elementwise", 1},
        OperandCase{"float32[2x3x4] = Add(%x, %s)", "B", "Broadcast", 6},
        OperandCase{"float32[4x3x2] = Transpose(%x)", "data", "Injective", 1},
        // Part of a tensor, though from its first element on, is not the tensor.
        OperandCase{"float32[2x3x2] = Slice(%x) {starts = [0], ends = [2], axes = [2]}", "data",
                    "Injective", 1},
        OperandCase{"float32[2x3x6] = Pad(%x) {pads = [0, 0, 0, 0, 0, 2]}", "data", "Injective", 1},
        OperandCase{"float32[2x3x4] = Gather(%x, %i)", "data", "Injective", 0},
        OperandCase{"float32[2x3x4] = Gather(%x, %i)", "indices", "Broadcast", 12},
        OperandCase{"float32[2x3x1] = ReduceSum(%x) {axes = [2]}", "data", "CommReduce", 1},
        OperandCase{"float32[2x3x1] = ReduceMean(%x) {axes = [2]}", "data", "CommReduce", 1},
        OperandCase{"float32[4x4] = MatMul(%m, %m)", "A", "OutElementwiseFusable", 4},
        OperandCase{"float32[1x8x4x4] = Conv(%image, %w)", "X", "OutElementwiseFusable", 72},
        OperandCase{"float32[1x4x3x3] = MaxPool(%image) {kernel_shape = [2, 2], strides = [2, 2]}",
                    "X", "CommReduce", 1},
        // Axis by axis: three rows at first.
        OperandCase{"float32[1x4x4x4] = MaxPool(%image) {kernel_shape = [3, 3]}", "X",
                    "OutElementwiseFusable", 3},
        OperandCase{"float32[2x3x4] = Softmax(%x)", "input", "OutElementwiseFusable", 2},
        // Blocks of channels: a parameter is one vector all the same.
        OperandCase{"float32[1x2x6x6x32] = LayoutBatchNormalization(%blocks, %channels, %channels, "
                    "%channels, %channels) {layout = \"NCHW32c\"}",
                    "X", "Elementwise", 1},
        OperandCase{"float32[1x2x6x6x32] = LayoutBatchNormalization(%blocks, %channels, %channels, "
                    "%channels, %channels) {layout = \"NCHW32c\"}",
                    "scale", "Broadcast", 36},
        OperandCase{"float32[1x2x1x1x32] = LayoutBatchNormalization(%vector, %channels, %channels, "
                    "%channels, %channels) {layout = \"NCHW32c\"}",
                    "scale", "Broadcast", 1},
        OperandCase{
            "float32[1x64x6x6] = LayoutTransform(%blocks) {from = \"NCHW32c\", to = \"NCHW\"}", "X",
            "Injective", 0}));

// --- by brute force ------------------------------------------------------------------------------

// Each operator of a graph, once for all that are alike.
class Checked {
 public:
  explicit Checked(std::int64_t most_iterations = 20000) : most_iterations_(most_iterations) {}

  void operator()(const std::string& where, const graph::Graph& graph) {
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
      if (!known_.insert(CostModel::structural_hash(graph, std::array{i})).second) continue;
      const graph::Node& node = *graph.nodes()[i];
      const auto program = program_of(graph, node);
      if (!program || !test::is_small(*program, most_iterations_)) continue;
      operators_.insert(node.op->name);
      for (const te::Tensor& input : program->inputs) check(where, node, *program, input.name);
    }
  }

  std::size_t operators() const { return operators_.size(); }
  std::size_t edges() const { return edges_; }
  const std::set<std::string>& names() const { return operators_; }

 private:
  void check(const std::string& where, const graph::Node& node, const te::Program& program,
             const std::string& input) {
    ++edges_;
    const auto derived = OperandReads(program).kind(input);
    const auto brute = test::brute_reads(program, input);
    EXPECT_EQ(kind_name(derived), kind_name(brute ? std::optional(brute->kind) : std::nullopt))
        << where << ": " << node.op->name << ", operand " << input << "\n"
        << to_string(program);
    const auto most = OperandReads(program).most(input);
    if (!brute || brute->by_data || !most) return;
    // None more often than is said; and where it is more than once, some really are.
    EXPECT_LE(brute->most, *most) << where << ": " << node.op->name << ", operand " << input << "\n"
                                  << to_string(program);
    EXPECT_EQ(brute->most > 1, *most > 1)
        << where << ": " << node.op->name << ", operand " << input << "\n"
        << to_string(program);
  }

  std::int64_t most_iterations_;
  std::set<std::uint64_t> known_;
  std::set<std::string> operators_;
  std::size_t edges_ = 0;
};

TEST(OperandReadsByBruteForce, OfEveryOperator) {
  Checked checked;
  test::for_each_operator_case(std::ref(checked));
  EXPECT_GT(checked.operators(), 100u);
  EXPECT_GT(checked.edges(), 700u);
}

TEST(OperandReadsByBruteForce, OfRandomNetworks) {
  Checked checked;
  for (std::uint32_t seed = 0; seed < 150; ++seed)
    checked("seed " + std::to_string(seed),
            test::random_network(seed, {.operators = 20, .type = DataType::Float32}));
  EXPECT_GT(checked.edges(), 500u);
}

TEST(OperandReadsByBruteForce, OfImagesInEveryLayout) {
  Checked checked(200000);
  for (std::uint32_t seed = 0; seed < 30; ++seed)
    for (const auto& [layout, graph] : test::in_layouts(test::image_network(seed, 16)))
      checked("images " + std::to_string(seed) + " in " + layout, graph);
  for (const char* name : {"LayoutConv", "LayoutBatchNormalization", "LayoutMaxPool",
                           "LayoutTransform", "PRelu", "Mul"})
    EXPECT_TRUE(checked.names().contains(name)) << name;
}

}  // namespace
}  // namespace loopglass::fusion
