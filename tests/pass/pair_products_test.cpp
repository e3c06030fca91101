// Products of bytes in pairs and fours: which, and that their sums are the same to the last bit.
#include "core/ops/registry.h"
#include "tests/pass/before_after.h"
#include "tests/pass/drawn_bytes.h"

#include <gmock/gmock.h>

namespace loopglass::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Integers = std::vector<std::int64_t>;

// One operator with constants behind its first input.
graph::Graph network(const char* op, const TensorType& x, const std::vector<Tensor>& constants,
                     ops::Attributes attributes = {}) {
  graph::GraphBuilder builder("network");
  std::vector<graph::ValueId> inputs{builder.add_input("x", x)};
  for (const Tensor& constant : constants) {
    const std::string name = "c" + std::to_string(inputs.size());
    inputs.push_back(constant.shape() == Shape{0} ? graph::ValueId{}
                                                  : builder.add_constant(name, constant));
  }
  const auto node =
      builder.add_node("sum", *ops::find_operator(op), inputs, std::move(attributes), 1, {}, {"y"});
  if (!node) throw std::invalid_argument(to_string(node.error()));
  builder.set_outputs({builder.output(*node)});
  return *std::move(builder).finish();
}

const Tensor left_out(TensorType{DataType::UInt8, {0}});

// In pairs, and in fours or, where these are none, in pairs again.
void expect_packed(const graph::Graph& before, bool are_fours) {
  for (const int terms : {2, 4}) {
    const auto step =
        applied("pair-products", before, pass::Report::all, machine_with_dot_of(terms));
    const bool in_fours = terms == 4 && are_fours;
    ASSERT_EQ(step.result->nodes().size(), 1u);
    EXPECT_EQ(step.result->nodes()[0]->op->name,
              (in_fours ? "Quad" : "Paired") + before.nodes()[0]->op->name);
    EXPECT_EQ(step.result->nodes()[0]->name, "sum");
    ASSERT_EQ(step.remarks.size(), 1u);
    EXPECT_EQ(step.remarks[0].code, in_fours ? "IN_FOURS" : "PAIRED");
    EXPECT_EQ(step.rewrites.size(), 1u);
    expect_same_meaning(before, *step.result, 0);
  }
}

// By a definition of its own: at most so far from every zero point.
bool are_signed_bytes(const Tensor& weights, const Tensor& zeros, std::int64_t inner) {
  for (std::int64_t i = 0; i < weights.elements(); ++i) {
    const std::int64_t count = zeros.shape() == Shape{0} ? 0 : zeros.elements(),
                       zero = count == 0 ? 0 : zeros.integer_at(i / inner % count),
                       value = weights.integer_at(i) - zero;
    if (value < -128 || value > 127) return false;
  }
  return true;
}

// The number about which most weights are bytes with a sign.
Tensor middle(DataType type, const Shape& shape) {
  Tensor zeros({type, shape});
  if (type == DataType::UInt8) std::ranges::fill(zeros.as<std::uint8_t>(), std::uint8_t{128});
  return zeros;
}

TEST(PairProducts, ConvolvesAsBefore) {
  int fours = 0;
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    Drawn draw(seed);
    const std::int64_t groups = draw.between(1, 3), of_group = draw.between(2, 9),
                       filters = groups * draw.between(1, 3), kernel = draw.between(1, 3);
    const TensorType x{draw.byte_type(), {draw.between(1, 2), groups * of_group, 5, 6}};
    const DataType type = draw.byte_type();
    const Tensor w = draw.bytes(type, {filters, of_group, kernel, kernel});
    const ops::Attributes attributes{
        {"group", groups},
        {"pads", Integers{draw.between(0, 1), draw.between(0, 2), 1, 0}},
        {"strides", Integers(2, draw.between(1, 2))}};
    const Shape each = draw.coin() ? Shape{filters} : Shape{};
    Tensor zero = draw.coin() ? middle(type, each) : draw.bytes(type, each);
    SCOPED_TRACE(seed);
    const bool is_integer = draw.coin();
    if (is_integer && draw.coin()) zero = left_out;
    const bool are_fours = of_group > 2 && are_signed_bytes(w, zero, of_group * kernel * kernel);
    fours += are_fours;
    if (is_integer)
      expect_packed(network("ConvInteger", x,
                            {w, draw.coin() ? draw.bytes(x.type, {}) : left_out, zero}, attributes),
                    are_fours);
    else
      expect_packed(network("QLinearConv", x,
                            {draw.scales({}), draw.bytes(x.type, {}), w, draw.scales(each), zero,
                             draw.scales({}), draw.bytes(x.type, {})},
                            attributes),
                    are_fours);
  }
  EXPECT_GT(fours, 20);
}

TEST(PairProducts, MultipliesAsBefore) {
  int fours = 0;
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    Drawn draw(seed);
    const std::int64_t rows = draw.between(1, 4), terms = draw.between(2, 9),
                       columns = draw.between(1, 5);
    const bool is_batch = draw.coin();
    const TensorType x{draw.byte_type(), is_batch      ? Shape{2, rows, terms}
                                         : draw.coin() ? Shape{terms}
                                                       : Shape{rows, terms}};
    const DataType type = draw.byte_type();
    const Tensor w = draw.bytes(
        type, is_batch && draw.coin() ? Shape{2, terms, columns} : Shape{terms, columns});
    const Shape of_rows = x.shape.size() > 1 && draw.coin() ? Shape{rows} : Shape{},
                of_columns = draw.coin() ? Shape{columns} : Shape{};
    Tensor zero = draw.coin() ? middle(type, of_columns) : draw.bytes(type, of_columns);
    SCOPED_TRACE(seed);
    const bool is_integer = draw.coin();
    if (is_integer && draw.coin()) zero = left_out;
    const bool are_fours = terms > 2 && w.shape().size() == 2 && are_signed_bytes(w, zero, 1);
    fours += are_fours;
    if (is_integer)
      expect_packed(network("MatMulInteger", x,
                            {w, draw.coin() ? draw.bytes(x.type, of_rows) : left_out, zero}),
                    are_fours);
    else
      expect_packed(
          network("QLinearMatMul", x,
                  {draw.scales(of_rows), draw.bytes(x.type, of_rows), w, draw.scales(of_columns),
                   zero, draw.scales({}), draw.bytes(x.type, {})}),
          are_fours);
  }
  EXPECT_GT(fours, 20);
}

std::string refused(const graph::Graph& before) {
  const auto step = applied("pair-products", before);
  EXPECT_EQ(to_text(*step.result), to_text(before));
  return step.remarks.size() == 1 ? step.remarks[0].code : "no remark";
}

TEST(PairProducts, LeavesWhatHasNoPairs) {
  Drawn draw(1);
  const DataType byte = DataType::UInt8;
  EXPECT_EQ(refused(network("ConvInteger", {byte, {1, 3, 5, 5}}, {draw.bytes(byte, {3, 1, 3, 3})},
                            {{"group", std::int64_t{3}}})),
            "SINGLE_TERMS");
  EXPECT_EQ(refused(network("MatMulInteger", {byte, {2, 4}}, {draw.bytes(byte, {4})})), "VECTOR");
  graph::GraphBuilder builder("network");
  const auto a = builder.add_input("a", {byte, {2, 4}}), b = builder.add_input("b", {byte, {4, 3}});
  const auto node =
      builder.add_node("sum", *ops::find_operator("MatMulInteger"), {a, b}, {}, 1, {}, {"y"});
  ASSERT_TRUE(node) << to_string(node.error());
  builder.set_outputs({builder.output(*node)});
  EXPECT_EQ(refused(*std::move(builder).finish()), "WEIGHTS_NOT_CONSTANT");
}

}  // namespace
}  // namespace loopglass::test
