// Products of dequantised bytes become products of the bytes: which, and that they mean the same.
#include "core/ops/registry.h"
#include "tests/pass/before_after.h"
#include "tests/pass/drawn_bytes.h"

#include <gmock/gmock.h>

namespace loopglass::test {
namespace {

using ::testing::ElementsAre;
using Integers = std::vector<std::int64_t>;

// x, an input of bytes, and constants, each dequantised, into an operator.
class Network {
 public:
  explicit Network(Drawn& draw) : draw_(draw), builder_("network") {}

  graph::ValueId input(const Shape& shape) {
    const DataType type = draw_.byte_type();
    return dequantised(builder_.add_input("x", {type, shape}), type, {}, 0);
  }
  // `axis` of the scales, where there are several.
  graph::ValueId weights(const Shape& shape, std::optional<std::int64_t> axis) {
    const DataType type = draw_.byte_type();
    const Shape scales = axis ? Shape{shape[static_cast<std::size_t>(*axis)]} : Shape{};
    return dequantised(builder_.add_constant("w", draw_.bytes(type, shape)), type, scales,
                       axis.value_or(0));
  }
  graph::ValueId bias(const Shape& shape) {
    return builder_.add_constant("b", draw_.scales(shape));
  }

  graph::Graph finish(const char* op, std::vector<graph::ValueId> inputs,
                      ops::Attributes attributes) {
    builder_.set_outputs({add(op, std::move(inputs), std::move(attributes), "y")});
    return *std::move(builder_).finish();
  }

 private:
  graph::ValueId add(const char* op, std::vector<graph::ValueId> inputs, ops::Attributes attributes,
                     const std::string& name) {
    const auto node = builder_.add_node(name + "_node", *ops::find_operator(op), std::move(inputs),
                                        std::move(attributes), 1, {}, {name});
    if (!node) throw std::invalid_argument(to_string(node.error()));
    return builder_.output(*node);
  }
  graph::ValueId dequantised(graph::ValueId bytes, DataType type, const Shape& scales,
                             std::int64_t axis) {
    const std::string name = builder_.value(bytes).name;
    std::vector<graph::ValueId> inputs{
        bytes, builder_.add_constant(name + "_scale", draw_.scales(scales))};
    if (draw_.coin())
      inputs.push_back(builder_.add_constant(name + "_zero", draw_.bytes(type, scales)));
    return add("DequantizeLinear", inputs, {{"axis", axis}}, name + "_real");
  }

  Drawn& draw_;
  graph::GraphBuilder builder_;
};

// Sums in float32 round where those of whole numbers do not.
void expect_whole_numbers(const graph::Graph& before, const char* op) {
  const auto step = applied("integer-products", before);
  ASSERT_EQ(step.rewrites.size(), 1u);
  EXPECT_TRUE(std::ranges::any_of(step.result->nodes(), [&](const auto& node) {
    return node->op->name == op;
  })) << to_text(*step.result);
  EXPECT_EQ(step.result->nodes().back()->name, "y_node");
  expect_same_meaning(before, *step.result, 2e-3);
  EXPECT_FALSE(applied("integer-products", *step.result).changed);
}

TEST(IntegerProducts, ConvolvesAsBefore) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Drawn draw(seed);
    const std::int64_t groups = draw.between(1, 3), of_group = draw.between(2, 5),
                       filters = groups * draw.between(1, 3), kernel = draw.between(1, 3);
    const bool is_line = draw.coin();
    Network network(draw);
    const std::int64_t channels = groups * of_group;
    std::vector<graph::ValueId> inputs{
        network.input(is_line ? Shape{2, channels, 7} : Shape{1, channels, 5, 6}),
        network.weights(
            is_line ? Shape{filters, of_group, kernel} : Shape{filters, of_group, kernel, kernel},
            draw.coin() ? std::optional<std::int64_t>(0) : std::nullopt)};
    if (draw.coin()) inputs.push_back(network.bias({filters}));
    const std::size_t axes = is_line ? 1 : 2;
    expect_whole_numbers(network.finish("Conv", inputs,
                                        {{"group", groups},
                                         {"pads", Integers(2 * axes, draw.between(0, 2))},
                                         {"strides", Integers(axes, draw.between(1, 2))}}),
                         "ConvInteger");
  }
}

TEST(IntegerProducts, MultipliesAsBefore) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Drawn draw(seed);
    const std::int64_t rows = draw.between(1, 4), terms = draw.between(2, 9),
                       columns = draw.between(2, 5);
    Network network(draw);
    const bool by_column = draw.coin();
    if (draw.coin()) {
      expect_whole_numbers(
          network.finish(
              "MatMul",
              {network.input(draw.coin() ? Shape{2, rows, terms} : Shape{rows, terms}),
               network.weights({terms, columns},
                               by_column ? std::optional<std::int64_t>(1) : std::nullopt)},
              {}),
          "MatMulInteger");
      continue;
    }
    const std::int64_t turn_a = draw.between(0, 1), turn_b = draw.between(0, 1);
    std::vector<graph::ValueId> inputs{
        network.input(turn_a == 1 ? Shape{terms, rows} : Shape{rows, terms}),
        network.weights(turn_b == 1 ? Shape{columns, terms} : Shape{terms, columns},
                        by_column ? std::optional<std::int64_t>(1 - turn_b) : std::nullopt)};
    if (draw.coin()) inputs.push_back(network.bias(draw.coin() ? Shape{columns} : Shape{rows, 1}));
    expect_whole_numbers(network.finish("Gemm", inputs,
                                        {{"transA", turn_a},
                                         {"transB", turn_b},
                                         {"alpha", draw.coin() ? 1.0 : 0.75},
                                         {"beta", draw.coin() ? 1.0 : 0.5}}),
                         "MatMulInteger");
  }
}

// Numbers around 0 have nothing to be taken from them.
TEST(IntegerProducts, SubtractsNoZeros) {
  const graph::Graph before = graph_of(R"(
  input %x: uint8[2x2]
  const %s: float32[] = [0.5]
  const %z: uint8[] = [128]
  const %w: int8[2x2] = [1, 2, 3, 4]
  const %o: int8[2] = [0, 0]
  const %t: float32[2] = [1, 2]
  %a: float32[2x2] = DequantizeLinear(%x, %s, %z) "a"
  %b: float32[2x2] = DequantizeLinear(%w, %t, %o) "b"
  %y: float32[2x2] = MatMul(%a, %b) "y" from 3
  output %y)");
  const auto step = applied("integer-products", before);
  EXPECT_THAT(to_text(*step.result), ::testing::HasSubstr("MatMulInteger(%x, %w, %z)"));
  expect_same_meaning(before, *step.result);
}

TEST(IntegerProducts, LeavesWhatCannotOrDoesNotPay) {
  const auto refused = [](const graph::Graph& before) {
    const auto step = applied("integer-products", before);
    EXPECT_EQ(to_text(*step.result), to_text(before));
    return codes(step);
  };
  Drawn draw(1);
  Network channel_by_channel(draw);
  const auto image = channel_by_channel.input({1, 3, 5, 5});
  EXPECT_THAT(refused(channel_by_channel.finish(
                  "Conv", {image, channel_by_channel.weights({3, 1, 3, 3}, 0)},
                  {{"group", std::int64_t{3}}})),
              ElementsAre("SINGLE_TERMS"));
  Network by_term(draw);
  const auto rows = by_term.input({2, 4});
  EXPECT_THAT(refused(by_term.finish("MatMul", {rows, by_term.weights({4, 3}, 0)}, {})),
              ElementsAre("SCALES_BY_TERM"));
  Network square(draw);
  const auto both = square.input({4, 4});
  EXPECT_THAT(refused(square.finish("MatMul", {both, both}, {})),
              ElementsAre("WEIGHTS_NOT_CONSTANT"));
  Network deep(draw);
  const auto long_rows = deep.input({1, 40'000});
  EXPECT_THAT(refused(deep.finish("MatMul", {long_rows, deep.weights({40'000, 2}, {})}, {})),
              ElementsAre("TOO_MANY_TERMS"));
  EXPECT_THAT(refused(graph_of(R"(
  input %x: uint16[2x4]
  const %s: float32[] = [0.5]
  const %w: int16[4x3] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
  %a: float32[2x4] = DequantizeLinear(%x, %s) "a"
  %b: float32[4x3] = DequantizeLinear(%w, %s) "b"
  %y: float32[2x3] = MatMul(%a, %b) "y"
  output %y)")),
              ElementsAre("NOT_BYTES"));
  EXPECT_THAT(refused(graph_of(R"(
  input %x: uint8[2x4]
  const %s: float32[] = [0.5]
  const %t: float32[2x3] = [1, 2, 3, 4, 5, 6]
  const %w: int8[4x3] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
  %a: float32[2x4] = DequantizeLinear(%x, %s) "a"
  %b: float32[4x3] = DequantizeLinear(%w, %t) {axis = 0, block_size = 2} "b"
  %y: float32[2x3] = MatMul(%a, %b) "y"
  output %y)")),
              ElementsAre("SCALES_BY_TERM"));
  EXPECT_THAT(refused(graph_of(R"(
  input %x: uint8[2x4]
  const %s: float32[] = [1e30]
  const %w: int8[4x3] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
  %a: float32[2x4] = DequantizeLinear(%x, %s) "a"
  %b: float32[4x3] = DequantizeLinear(%w, %s) "b"
  %y: float32[2x3] = MatMul(%a, %b) "y"
  output %y)")),
              ElementsAre("SCALES_OUT_OF_RANGE"));
  Network plain(draw);
  const auto real = plain.input({2, 4});
  EXPECT_THAT(refused(plain.finish("MatMul", {real, plain.bias({4, 3})}, {})), ElementsAre());
}

}  // namespace
}  // namespace loopglass::test
