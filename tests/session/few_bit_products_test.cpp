// Products with weights of few bits through the whole session: few rows, which read bytes, and
// many, which read floats, with and without zero points, a bias, and a last block that is not full.
#include "core/ops/few_bit_products.h"
#include "core/support/ceil_div.h"
#include "tests/pass/drawn_bytes.h"
#include "tests/session/compiled_network.h"

namespace loopglass {
namespace {

using ops::FewBitProduct;

graph::Graph drawn_product(test::Drawn& draw) {
  const std::int64_t bits = std::int64_t{2} << draw.between(0, 2), of_byte = 8 / bits;
  const FewBitProduct product{.rows = draw.between(1, 90),
                              .columns = draw.between(1, 70),
                              .bits = bits,
                              .block = of_byte * draw.between(1, 16)};
  const std::int64_t columns = product.columns, blocks = product.blocks();
  graph::GraphBuilder builder("product");
  const std::int64_t rows = draw.between(1, 6);
  std::vector<graph::ValueId> inputs{
      builder.add_input("a", {DataType::Float32, draw.coin() ? Shape{rows, product.rows}
                                                             : Shape{1, rows, product.rows}}),
      builder.add_constant("b",
                           draw.bytes(DataType::UInt8, {columns, blocks, product.block / of_byte})),
      builder.add_constant("s", draw.scales({columns, blocks}))};
  if (draw.coin())
    inputs.push_back(builder.add_constant(
        "z", draw.coin() ? draw.bytes(DataType::UInt8, {columns, ceil_div(blocks, of_byte)})
                         : draw.scales({columns, blocks})));
  inputs.resize(FewBitProduct::bias);
  if (draw.coin()) inputs.push_back(builder.add_constant("bias", draw.scales({columns})));
  const ops::Operation operation = ops::operation_of(product);
  const auto node =
      builder.add_node("product", *operation.op, std::move(inputs), operation.attributes);
  if (!node) throw std::invalid_argument(to_string(node.error()));
  builder.set_outputs({builder.output(*node)});
  return *std::move(builder).finish();
}

TEST(FewBitProducts, CompiledEqualsInterpreted) {
  for (std::uint32_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    test::Drawn draw(seed);
    const auto session = session_on(drawn_product(draw));
    expect_compiled_equals_interpreted(*session, 1e-3, 1e-4);
  }
}

}  // namespace
}  // namespace loopglass
