// Weights of few bits stand as bytes where few rows take them, and as floats where many do: which,
// and that they mean the same.
#include "core/ops/few_bit_products.h"
#include "core/ops/registry.h"
#include "core/support/ceil_div.h"
#include "tests/pass/before_after.h"
#include "tests/pass/drawn_bytes.h"

#include <gmock/gmock.h>

namespace loopglass::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x, constants, and nodes each of which has one result.
class Products {
 public:
  explicit Products(Drawn& draw) : draw_(draw), builder_("network") {}

  graph::ValueId input(const Shape& shape) {
    return builder_.add_input("x", {DataType::Float32, shape});
  }
  graph::ValueId constant(const std::string& name, Tensor value) {
    return builder_.add_constant(name, std::move(value));
  }
  graph::ValueId add(const std::string& name, const char* op, std::vector<graph::ValueId> inputs,
                     ops::Attributes attributes = {}) {
    const auto node = builder_.add_node(name + "_node", *ops::find_operator(op), std::move(inputs),
                                        std::move(attributes), 1, {}, {name});
    if (!node) throw std::invalid_argument(to_string(node.error()));
    return builder_.output(*node);
  }
  // Weights of rows x columns, or turned, dequantised. `block`: 0 for a scale a column or for all.
  graph::ValueId dequantised(DataType type, Tensor bytes, bool is_turned, std::int64_t block) {
    const Shape shape = bytes.shape();
    const std::size_t rows = is_turned ? 1 : 0;
    Shape scales;
    if (block != 0) {
      scales = shape;
      scales[rows] = ceil_div(shape[rows], block);
    } else if (draw_.coin()) {
      scales = {shape[1 - rows]};
    }
    std::vector<graph::ValueId> inputs{constant("w", std::move(bytes)),
                                       constant("s", draw_.scales(scales))};
    if (draw_.coin()) inputs.push_back(constant("z", small(type, scales)));
    return add(
        "w_real", "DequantizeLinear", inputs,
        {{"axis", static_cast<std::int64_t>(block != 0 ? rows : 1 - rows)}, {"block_size", block}});
  }
  // Of four bits.
  Tensor small(DataType type, const Shape& shape) {
    Tensor result(TensorType{type, shape});
    const std::int64_t least = type == DataType::Int8 ? -8 : 0;
    visit_type(type, [&]<class T>(T) {
      for (T& each : result.as<T>()) each = static_cast<T>(draw_.between(least, least + 15));
    });
    return result;
  }
  graph::Graph finish(graph::ValueId result) {
    builder_.set_outputs({result});
    return *std::move(builder_).finish();
  }

 private:
  Drawn& draw_;
  graph::GraphBuilder builder_;
};

TEST(NarrowWeights, MeanTheSameAsBytes) {
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    Drawn draw(seed);
    Products network(draw);
    const std::int64_t terms = draw.between(2, 13), columns = draw.between(2, 5);
    const bool is_gemm = draw.coin(), turns = draw.coin(), has_bias = is_gemm && draw.coin();
    const std::int64_t turn_b = is_gemm ? draw.between(0, 1) : 0;
    const bool is_turned = turns != (turn_b == 1), is_small = draw.coin();
    const DataType type = draw.byte_type();
    const Shape shape = is_turned ? Shape{columns, terms} : Shape{terms, columns};
    // Blocks may be longer than what there is.
    const std::int64_t block = draw.coin()               ? draw.between(1, terms)
                               : draw.between(0, 3) == 0 ? std::int64_t{1} << draw.between(8, 62)
                                                         : 0;
    graph::ValueId weights = network.dequantised(
        type, is_small ? network.small(type, shape) : draw.bytes(type, shape), is_turned, block);
    if (turns)
      weights = network.add("w_turned", "Transpose", {weights},
                            {{"perm", std::vector<std::int64_t>{1, 0}}});
    const std::int64_t rows = draw.between(1, 4);
    std::vector<graph::ValueId> inputs{
        network.input(is_gemm || draw.coin() ? Shape{rows, terms} : Shape{1, rows, terms}),
        weights};
    if (has_bias) inputs.push_back(network.constant("b", draw.scales({columns})));
    const graph::Graph before =
        network.finish(is_gemm ? network.add("y", "Gemm", inputs, {{"transB", turn_b}})
                               : network.add("y", "MatMul", inputs));
    const auto step = applied("narrow-weights", before);
    EXPECT_EQ(operator_names(*step.result), has_bias
                                                ? (std::vector<std::string>{"MatMulNBits", "Add"})
                                                : std::vector<std::string>{"MatMulNBits"});
    EXPECT_EQ(step.result->nodes().back()->name, "y_node");
    const graph::Node& product = *step.result->nodes()[0];
    const std::int64_t stored = block == 0 ? terms : std::min(block, terms);
    EXPECT_EQ(product.attributes.integer("bits"), is_small && stored % 2 == 0 ? 4 : 8);
    expect_same_meaning(before, *step.result, 1e-3);
    EXPECT_FALSE(applied("narrow-weights", *step.result).changed);
  }
}

TEST(NarrowWeights, MeanTheSameAsFloats) {
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    Drawn draw(seed);
    Products network(draw);
    const std::int64_t bits = std::int64_t{2} << draw.between(0, 2), of_byte = 8 / bits;
    ops::FewBitProduct product{.rows = draw.between(1, 20),
                               .columns = draw.between(1, 5),
                               .bits = bits,
                               .block = of_byte * draw.between(1, 6)};
    const std::int64_t blocks = product.blocks(), columns = product.columns;
    std::vector<graph::ValueId> inputs{
        network.input({draw.between(5, 9), product.rows}),
        network.constant("w",
                         draw.bytes(DataType::UInt8, {columns, blocks, product.block / of_byte})),
        network.constant(
            "s", draw.scales(draw.coin() ? Shape{columns, blocks} : Shape{columns * blocks}))};
    const bool has_bias = draw.coin();
    if (draw.coin())
      inputs.push_back(
          network.constant("z", draw.bytes(DataType::UInt8, {columns, ceil_div(blocks, of_byte)})));
    else if (draw.coin()) inputs.push_back(network.constant("z", draw.scales({columns, blocks})));
    inputs.resize(ops::FewBitProduct::bias);
    if (has_bias) inputs.push_back(network.constant("b", draw.scales({columns})));
    const graph::Graph before = network.finish(
        network.add("y", "MatMulNBits", inputs, ops::operation_of(product).attributes));
    const auto step = applied("narrow-weights", before);
    EXPECT_EQ(operator_names(*step.result), has_bias ? (std::vector<std::string>{"MatMul", "Add"})
                                                     : std::vector<std::string>{"MatMul"});
    expect_same_meaning(before, *step.result, 1e-3);
    EXPECT_FALSE(applied("narrow-weights", *step.result).changed);
  }
}

// Weights that are their zero point are nothing, whatever they are multiplied by.
TEST(NarrowWeights, ThatAreNothingStayNothing) {
  const graph::Graph before = graph_of(R"(
  input %x: float32[1x4]
  const %s: float32[] = [0.37]
  const %z: uint8[] = [7]
  const %w: uint8[4x2] = [7, 7, 7, 7, 7, 7, 7, 7]
  %b: float32[4x2] = DequantizeLinear(%w, %s, %z) "b"
  %y: float32[1x2] = MatMul(%x, %b) "y"
  output %y)");
  const auto step = applied("narrow-weights", before);
  EXPECT_EQ(operator_names(*step.result), std::vector<std::string>{"MatMulNBits"});
  const std::vector<Tensor> x{Tensor::of<float>({1, 4}, {1234.567F, -0.1F, 3e30F, 1e-20F})};
  const auto result = loop::interpret(*step.result, x);
  ASSERT_TRUE(result) << to_string(result.error());
  const auto y = result->front().as<float>();
  EXPECT_THAT(y, ElementsAre(0, 0));
}

// The sums of half precision stay in float32, and are rounded once.
TEST(NarrowWeights, MeanTheSameInHalfPrecision) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Drawn draw(seed);
    graph::GraphBuilder builder("network");
    const ops::FewBitProduct product{.rows = 12, .columns = 3, .bits = 4, .block = 4};
    const auto half = [&](const Shape& shape) {
      Tensor result(TensorType{DataType::Float16, shape});
      const Tensor drawn = draw.scales(shape);
      for (std::size_t i = 0; i < drawn.as<float>().size(); ++i)
        result.as<Float16>()[i] = static_cast<Float16>(drawn.as<float>()[i]);
      return result;
    };
    std::vector<graph::ValueId> inputs{
        builder.add_input("x", {DataType::Float16, {6, 12}}),
        builder.add_constant("w", draw.bytes(DataType::UInt8, {3, 3, 2})),
        builder.add_constant("s", half({3, 3}))};
    inputs.resize(ops::FewBitProduct::bias);
    const bool has_bias = draw.coin();
    if (has_bias) inputs.push_back(builder.add_constant("b", half({3})));
    const ops::Operation operation = ops::operation_of(product);
    const auto node = builder.add_node("y_node", *operation.op, inputs, operation.attributes);
    ASSERT_TRUE(node) << to_string(node.error());
    builder.set_outputs({builder.output(*node)});
    const graph::Graph before = *std::move(builder).finish();
    const auto step = applied("narrow-weights", before);
    EXPECT_EQ(operator_names(*step.result),
              has_bias ? (std::vector<std::string>{"Cast", "MatMul", "Cast", "Add", "Cast"})
                       : (std::vector<std::string>{"Cast", "MatMul", "Cast"}));
    expect_same_meaning(before, *step.result, 2e-3);
  }
}

TEST(NarrowWeights, LeaveWhatCannotOrDoesNotPay) {
  const auto refused = [](const graph::Graph& before) {
    const auto step = applied("narrow-weights", before);
    EXPECT_EQ(to_text(*step.result), to_text(before));
    return codes(step);
  };
  const auto product = [](const std::string& head, const std::string& weights,
                          const std::string& node) {
    return graph_of(head + R"(
  const %s: float32[] = [0.5]
  %b: float32[3x2] = DequantizeLinear()" +
                    weights + R"() "b"
  %y: float32[)" + node +
                    R"( "y"
  output %y)");
  };
  const std::string constant = "\n  const %w: int8[3x2] = [1, 2, 3, 4, 5, 6]";
  EXPECT_THAT(
      refused(product("\n  input %x: float32[5x3]" + constant, "%w, %s", "5x2] = MatMul(%x, %b)")),
      ElementsAre("MANY_ROWS"));
  EXPECT_THAT(refused(product("\n  input %x: float32[1x3]\n  input %w: int8[3x2]", "%w, %s",
                              "1x2] = MatMul(%x, %b)")),
              ElementsAre("WEIGHTS_NOT_CONSTANT"));
  EXPECT_THAT(refused(product("\n  input %x: float32[3x1]" + constant, "%w, %s",
                              "1x2] = Gemm(%x, %b) {transA = 1}")),
              ElementsAre("NOT_PLAIN"));
  EXPECT_THAT(refused(graph_of(R"(
  input %x: float32[1x3]
  const %s: float32[3] = [0.5, 1, 2]
  const %w: int8[3x2] = [1, 2, 3, 4, 5, 6]
  %b: float32[3x2] = DequantizeLinear(%w, %s) {axis = 0} "b"
  %y: float32[1x2] = MatMul(%x, %b) "y"
  output %y)")),
              ElementsAre("SCALES_OF_OTHER_PARTS"));
  // Floats from the beginning, and numbers of 16 bits.
  EXPECT_THAT(refused(graph_of(R"(
  input %x: float32[1x3]
  const %s: float32[] = [0.5]
  const %w: int16[3x2] = [1, 2, 3, 4, 5, 6]
  %b: float32[3x2] = DequantizeLinear(%w, %s) "b"
  %y: float32[1x2] = MatMul(%x, %b) "y"
  output %y)")),
              ElementsAre());
}

}  // namespace
}  // namespace loopglass::test
