// Rows that a model lets be rounded to bytes: which are, and that products of them are what the
// formula says (core/ops/packed_few_bits.h), which is written here a second time.
#include "core/ops/few_bit_products.h"
#include "core/support/ceil_div.h"
#include "tests/pass/before_after.h"
#include "tests/pass/drawn_bytes.h"

#include <gmock/gmock.h>

#include <cmath>

namespace loopglass::test {
namespace {

using ::testing::ElementsAre;

// A product by drawn weights that lets its operand be rounded.
struct Product {
  ops::FewBitProduct form;
  ops::FewBitWeights weights;
  Tensor bias;
  Shape rows;  // of x, in front of its terms

  static Product drawn(Drawn& draw) {
    Product product;
    const std::int64_t bits = std::int64_t{2} << draw.between(0, 2), of_byte = 8 / bits,
                       of_word = 32 / bits;
    product.form = {.rows = draw.between(1, 70),
                    .columns = draw.between(1, 20),
                    .bits = bits,
                    .block = of_word * draw.between(1, 6)};
    const std::int64_t blocks = product.form.blocks(), columns = product.form.columns;
    product.weights = {draw.bytes(DataType::UInt8, {columns, blocks, product.form.block / of_byte}),
                       draw.scales(draw.coin() ? Shape{columns, blocks} : Shape{columns * blocks}),
                       Tensor()};
    if (draw.coin())
      product.weights.zero_points =
          draw.bytes(DataType::UInt8, {columns, ceil_div(blocks, of_byte)});
    else if (draw.coin()) product.weights.zero_points = draw.scales({columns, blocks});
    if (draw.coin()) product.bias = draw.scales({columns});
    if (draw.coin()) product.rows.push_back(draw.between(1, 3));
    if (draw.coin()) product.rows.push_back(draw.between(1, 5));
    return product;
  }

  TensorType data() const {
    Shape shape = rows;
    shape.push_back(form.rows);
    return {DataType::Float32, shape};
  }
  ops::Attributes attributes() const {
    ops::Attributes result = ops::operation_of(form).attributes;
    result.set("accuracy_level", std::int64_t{4});
    return result;
  }
  std::vector<graph::ValueId> inputs(graph::GraphBuilder& builder, graph::ValueId x) const {
    std::vector<graph::ValueId> result{x, builder.add_constant("w", weights.weights),
                                       builder.add_constant("s", weights.scales)};
    if (weights.zero_points.defined())
      result.push_back(builder.add_constant("z", weights.zero_points));
    result.resize(ops::FewBitProduct::bias);
    if (bias.defined()) result.push_back(builder.add_constant("b", bias));
    return result;
  }
  graph::Graph network() const {
    graph::GraphBuilder builder("network");
    const auto inputs_of = inputs(builder, builder.add_input("x", data()));
    const auto node =
        builder.add_node("product", *ops::operation_of(form).op, inputs_of, attributes());
    if (!node) throw std::invalid_argument(to_string(node.error()));
    builder.set_outputs({builder.output(*node)});
    return *std::move(builder).finish();
  }

  // One element, in double but for what is rounded.
  double of_rounded(std::span<const float> row, std::int64_t column) const {
    const Tensor floats =
        ops::widened_weights(form, {weights.weights, weights.scales, weights.zero_points});
    double sum = bias.defined()
                     ? static_cast<double>(bias.as<float>()[static_cast<std::size_t>(column)])
                     : 0;
    for (std::int64_t first = 0; first < form.rows; first += form.block) {
      const std::int64_t end = std::min(form.rows, first + form.block);
      float magnitude = 0;
      for (std::int64_t k = first; k < end; ++k)
        magnitude = std::max(magnitude, std::abs(row[static_cast<std::size_t>(k)]));
      if (magnitude == 0) continue;
      for (std::int64_t k = first; k < end; ++k) {
        const float q = std::nearbyint(row[static_cast<std::size_t>(k)] * (127.0F / magnitude));
        sum += static_cast<double>(q) * (static_cast<double>(magnitude) / 127) *
               static_cast<double>(
                   floats.as<float>()[static_cast<std::size_t>(k * form.columns + column)]);
      }
    }
    return sum;
  }
};

TEST(RoundOperands, MultiplyWhatTheFormulaSays) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    Drawn draw(seed);
    const Product product = Product::drawn(draw);
    const auto step = applied("round-operands", product.network(), pass::Report::all,
                              machine_with_dot_of(seed % 2 == 0 ? 2 : 4));
    EXPECT_EQ(operator_names(*step.result),
              product.bias.defined()
                  ? (std::vector<std::string>{"PackedRounding", "PackedFewBitProduct", "Add"})
                  : (std::vector<std::string>{"PackedRounding", "PackedFewBitProduct"}));
    EXPECT_EQ(step.result->nodes().back()->name, "product");
    EXPECT_FALSE(applied("round-operands", *step.result).changed);
    std::vector<Tensor> inputs = random_inputs(*step.result);
    // A block of zeros has no magnitude to be rounded by.
    if (draw.coin())
      for (std::int64_t k = 0; k < std::min(product.form.rows, product.form.block); ++k)
        inputs[0].as<float>()[static_cast<std::size_t>(k)] = 0;
    const auto result = loop::interpret(*step.result, inputs);
    ASSERT_TRUE(result) << to_string(result.error());
    const auto x = inputs[0].as<float>();
    const auto y = result->front().as<float>();
    const auto columns = static_cast<std::size_t>(product.form.columns),
               terms = static_cast<std::size_t>(product.form.rows);
    ASSERT_EQ(y.size() * terms, x.size() * columns);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double expected = product.of_rounded(x.subspan(i / columns * terms, terms),
                                                 static_cast<std::int64_t>(i % columns));
      EXPECT_NEAR(y[i], expected, 1e-4 * (1 + std::abs(expected))) << i;
    }
  }
}

// A product of rows that are steps of their range already is the same as before.
TEST(RoundOperands, LeaveWholeNumbersAsTheyAre) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Drawn draw(seed);
    const Product product = Product::drawn(draw);
    const graph::Graph before = product.network();
    const auto step = applied("round-operands", before);
    std::vector<Tensor> inputs = random_inputs(before);
    const auto block = static_cast<std::size_t>(product.form.block),
               terms = static_cast<std::size_t>(product.form.rows);
    const auto x = inputs[0].as<float>();
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = i % terms % block == 0 ? 127 : static_cast<float>(draw.between(-127, 127));
    const auto expected = loop::interpret(before, inputs),
               actual = loop::interpret(*step.result, inputs);
    ASSERT_TRUE(expected && actual);
    const auto equal = runtime::compare(actual->front(), expected->front(), 1e-2, 1e-4);
    EXPECT_TRUE(equal) << equal.error().what;
  }
}

TEST(RoundOperands, RoundWhatProductsShareOnce) {
  Drawn draw(3);
  Product product = Product::drawn(draw);
  product.bias = {};
  graph::GraphBuilder builder("network");
  const graph::ValueId x = builder.add_input("x", product.data());
  std::vector<graph::ValueId> outputs;
  for (const char* name : {"query", "key"}) {
    const auto inputs = product.inputs(builder, x);
    const auto node =
        builder.add_node(name, *ops::operation_of(product.form).op, inputs, product.attributes());
    ASSERT_TRUE(node) << to_string(node.error());
    outputs.push_back(builder.output(*node));
  }
  builder.set_outputs(outputs);
  const auto step = applied("round-operands", *std::move(builder).finish());
  EXPECT_THAT(operator_names(*step.result),
              ElementsAre("PackedRounding", "PackedFewBitProduct", "PackedFewBitProduct"));
}

// In float32, whatever the operands are.
TEST(RoundOperands, WidenHalfPrecision) {
  const graph::Graph before = graph_of(R"(
  input %x: float16[1x8]
  const %s: float16[1x1] = [0.5]
  const %w: uint8[1x1x4] = [18, 52, 86, 120]
  %y: float16[1x1] = MatMulNBits(%x, %w, %s) {K = 8, N = 1, block_size = 8, accuracy_level = 4} "y"
  output %y)");
  const auto step = applied("round-operands", before);
  EXPECT_THAT(operator_names(*step.result),
              ElementsAre("Cast", "PackedRounding", "PackedFewBitProduct", "Cast"));
  expect_same_meaning(before, *step.result, 0.05);
}

// Units of a magnitude that is nearly nothing would be infinitely many.
TEST(RoundOperands, MakeNothingOfWhatIsNearlyNothing) {
  const graph::Graph before = graph_of(R"(
  input %x: float32[1x8]
  const %s: float32[1x1] = [0.5]
  const %w: uint8[1x1x4] = [18, 52, 86, 120]
  %y: float32[1x1] = MatMulNBits(%x, %w, %s) {K = 8, N = 1, block_size = 8, accuracy_level = 4} "y"
  output %y)");
  const auto step = applied("round-operands", before);
  const std::vector<Tensor> x{Tensor::of<float>({1, 8}, std::vector<float>(8, 1e-38F))};
  const auto result = loop::interpret(*step.result, x);
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(result->front().as<float>()[0], 0);
}

TEST(RoundOperands, LeaveWhatMayNotOrDoesNotPay) {
  const auto refused = [](const std::string& head, const std::string& node) {
    const graph::Graph before = graph_of(head + "\n  " + node + " \"y\"\n  output %y");
    const auto step = applied("round-operands", before);
    EXPECT_EQ(to_text(*step.result), to_text(before));
    return codes(step);
  };
  const std::string weights = R"(
  const %s: float32[1x1] = [0.5]
  const %w: uint8[1x1x4] = [18, 52, 86, 120])";
  EXPECT_THAT(refused("\n  input %x: float32[17x8]" + weights,
                      "%y: float32[17x1] = MatMulNBits(%x, %w, %s) {K = 8, N = 1, block_size = 8, "
                      "accuracy_level = 4}"),
              ElementsAre("MANY_ROWS"));
  EXPECT_THAT(refused(R"(
  input %x: float32[1x8]
  input %s: float32[1x1]
  const %w: uint8[1x1x4] = [18, 52, 86, 120])",
                      "%y: float32[1x1] = MatMulNBits(%x, %w, %s) {K = 8, N = 1, block_size = 8, "
                      "accuracy_level = 4}"),
              ElementsAre("WEIGHTS_NOT_CONSTANT"));
  EXPECT_THAT(refused(R"(
  input %x: float32[1x6]
  const %s: float32[1x1] = [0.5]
  const %w: uint8[1x1x3] = [18, 52, 86])",
                      "%y: float32[1x1] = MatMulNBits(%x, %w, %s) {K = 6, N = 1, block_size = 6, "
                      "accuracy_level = 4}"),
              ElementsAre("BLOCKS_NOT_WORDS"));
  // Nothing is said of those that the model wants in floats.
  EXPECT_THAT(refused("\n  input %x: float32[1x8]" + weights,
                      "%y: float32[1x1] = MatMulNBits(%x, %w, %s) {K = 8, N = 1, block_size = 8}"),
              ElementsAre());
}

}  // namespace
}  // namespace loopglass::test
