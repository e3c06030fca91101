#include "core/ops/few_bit_products.h"

#include "core/ops/families.h"
#include "core/ops/precision.h"
#include "core/ops/quantised_number.h"
#include "core/support/ceil_div.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::ops {

namespace {

using namespace quantised;

const TypeSet product_types{"float32 or float16", [](DataType type) {
                              return type == DataType::Float32 || type == DataType::Float16;
                            }};
const TypeSet zero_point_types{"uint8, float32 or float16", [](DataType type) {
                                 return type == DataType::UInt8 || product_types.contains(type);
                               }};

FewBitProduct few_bits_of(const Attributes& attributes) {
  return {.rows = attributes.integer("K"),
          .columns = attributes.integer("N"),
          .bits = attributes.integer("bits"),
          .block = attributes.integer("block_size")};
}

// Whether elements of a matrix, as one or as all in a row.
bool is_matrix(const TensorType& type, std::int64_t columns, std::int64_t of_column) {
  return type.shape == Shape{columns, of_column} || type.shape == Shape{columns * of_column};
}

Result<Types> infer_few_bits(const InferContext& context) {
  const FewBitProduct product = few_bits_of(context.attributes);
  if (context.attributes.integer("weight_prepacked") != 0)
    return unsupported_attribute("weights in the order of one machine are not supported");
  if (context.has(FewBitProduct::group_index))
    return fail(Code::OperatorUnsupported, "weights whose blocks 'g_idx' tells are not supported");
  if (product.bits != 2 && product.bits != 4 && product.bits != 8)
    return unsupported_attribute(fmt::format("bits = {} is not supported", product.bits));
  // Small enough to be multiplied.
  constexpr std::int64_t most = std::int64_t{1} << 31;
  const auto is_extent = [](std::int64_t value) { return value > 0 && value < most; };
  if (!is_extent(product.rows) || !is_extent(product.columns) || !is_extent(product.block) ||
      product.block % product.of_byte() != 0)
    return misused(fmt::format("K = {}, N = {}, block_size = {}", product.rows, product.columns,
                               product.block));
  TRY_VOID(require_type(context, FewBitProduct::data, product_types));
  const TensorType& a = context.input(FewBitProduct::data);
  if (a.shape.empty() || a.shape.back() != product.rows)
    return misused(fmt::format("A is {}, its rows want {} elements", to_string(a), product.rows));
  const std::int64_t blocks = product.blocks();
  const TensorType& b = context.input(FewBitProduct::weights);
  const Shape bytes{product.columns, blocks, product.block / product.of_byte()};
  if (b.type != DataType::UInt8 || b.shape != bytes)
    return misused(fmt::format("B is {}; K, N, bits and block_size want {}", to_string(b),
                               to_string(TensorType{DataType::UInt8, bytes})));
  TRY_VOID(require_type(context, FewBitProduct::scales, product_types));
  if (!is_matrix(context.input(FewBitProduct::scales), product.columns, blocks))
    return misused(fmt::format("the scales are {}, not {} for each of {} columns",
                               to_string(context.input(FewBitProduct::scales)), blocks,
                               product.columns));
  if (context.has(FewBitProduct::zero_points)) {
    TRY_VOID(require_type(context, FewBitProduct::zero_points, zero_point_types));
    const TensorType& zero = context.input(FewBitProduct::zero_points);
    const std::int64_t of_column =
        zero.type == DataType::UInt8 ? ceil_div(blocks, product.of_byte()) : blocks;
    if (!is_matrix(zero, product.columns, of_column))
      return misused(fmt::format("the zero points are {}, not {} for each of {} columns",
                                 to_string(zero), of_column, product.columns));
  }
  Shape output = a.shape;
  output.back() = product.columns;
  if (context.has(FewBitProduct::bias)) {
    if (context.input(FewBitProduct::bias).type != a.type)
      return misused(fmt::format("the bias is {}, A {}",
                                 to_string(context.input(FewBitProduct::bias)), to_string(a)));
    TRY_VOID(require_broadcasts_to(context.input(FewBitProduct::bias).shape, output));
  }
  return Types{{a.type, output}};
}

Expr whole(std::int64_t value) { return expr::integer(DataType::Int32, value); }

// The number at a place of a byte, of which `bits` are one, in int32.
Expr bits_at(const Expr& byte, const Expr& place, std::int64_t bits) {
  const Expr wide = expr::cast(DataType::Int32, byte);
  if (bits == 8) return wide;
  const Expr moved = expr::as_integer(place) == 0
                         ? wide
                         : expr::binary(expr::BinaryOperator::ShiftRight, wide,
                                        expr::cast(DataType::Int32, place) * whole(bits));
  // Nothing is left above the last of them.
  if (expr::as_integer(place) == 8 / bits - 1) return moved;
  return expr::binary(expr::BinaryOperator::BitAnd, moved, whole((1 << bits) - 1));
}

Expr element(const te::Tensor& matrix, const Expr& row, const Expr& column, std::int64_t columns) {
  return matrix.rank() == 1 ? matrix({row * columns + column}) : matrix({row, column});
}

// Of a block of a column: whole, in int32, or real, in float32.
Expr zero_point_of(const ComputeContext& context, const FewBitProduct& product, const Expr& column,
                   const Expr& block) {
  if (!context.has(FewBitProduct::zero_points)) return whole(1 << (product.bits - 1));
  const te::Tensor& zero = context.input(FewBitProduct::zero_points);
  const std::int64_t of_byte = product.of_byte(), blocks = product.blocks();
  if (zero.type != DataType::UInt8)
    return expr::cast(DataType::Float32, element(zero, column, block, blocks));
  const Expr byte = element(zero, column, of_byte == 1 ? block : expr::floor_div(block, of_byte),
                            ceil_div(blocks, of_byte));
  return bits_at(byte, of_byte == 1 ? Expr(0) : expr::floor_mod(block, of_byte), product.bits);
}

// Whole numbers are taken from one another as such, which all parts of a processor do.
Expr less_zero_point(const Expr& weight, const Expr& zero) {
  return zero.type() == DataType::Int32 ? expr::cast(DataType::Float32, weight - zero)
                                        : expr::cast(DataType::Float32, weight) - zero;
}

Result<Computed> compute_few_bits(ComputeContext& context) {
  const FewBitProduct product = few_bits_of(context.attributes);
  const te::Tensor &a = context.input(FewBitProduct::data),
                   &b = context.input(FewBitProduct::weights),
                   &scales = context.input(FewBitProduct::scales);
  const std::int64_t of_byte = product.of_byte();
  const DataType type = context.outputs[0].type;
  const bool adds = context.has(FewBitProduct::bias);
  // The weights of one byte at a time, which share a scale.
  const auto term = [&](const Indices& i, const Indices& r) {
    const Expr& column = i.back();
    const Expr zero = zero_point_of(context, product, column, r[0]);
    Expr sum;
    for (std::int64_t place = 0; place < of_byte; ++place) {
      const Expr row = r[0] * product.block + r[1] * of_byte + place;
      const auto factor = [&](const Expr& at) { return widened(a(replaced(i, i.size() - 1, at))); };
      // The last block may reach beyond the last row.
      const Expr left =
          product.rows % product.block == 0
              ? factor(row)
              : expr::select(row < product.rows, factor(clamp_index(row, product.rows)),
                             expr::floating(DataType::Float32, 0));
      const Expr one =
          left * less_zero_point(bits_at(b({column, r[0], r[1]}), place, product.bits), zero);
      sum = sum.defined() ? sum + one : one;
    }
    return sum * expr::cast(DataType::Float32, element(scales, column, r[0], product.blocks()));
  };
  const te::Tensor sum = context.builder.reduce(
      adds ? context.name + "_matmul" : accumulating(context.name, type, "_matmul"),
      te::extents(context.outputs[0].shape), {product.blocks(), product.block / of_byte},
      te::Reducer::Sum, term);
  if (!adds) return Computed{narrow(context.builder, sum, type, context.name)};
  return Computed{context.builder.compute(context.name, sum.shape, [&](const Indices& i) {
    return expr::cast(type,
                      sum(i) + expr::cast(DataType::Float32,
                                          broadcast_read(context.input(FewBitProduct::bias), i)));
  })};
}

// --- weights in other forms ---------------------------------------------------------------------

std::int64_t number_at(const std::uint8_t* bytes, std::int64_t index, std::int64_t bits) {
  const std::int64_t of_byte = 8 / bits;
  return bytes[index / of_byte] >> (index % of_byte * bits) & ((1 << bits) - 1);
}

// Numbers in so many bits each, columns that begin with a byte.
Tensor packed(const std::vector<std::uint8_t>& numbers, std::int64_t columns, std::int64_t bits,
              const Shape& shape) {
  Tensor result({DataType::UInt8, shape});
  const auto to = result.as<std::uint8_t>();
  const std::int64_t of_byte = 8 / bits, of_column = std::ssize(numbers) / columns,
                     bytes = std::ssize(to) / columns;
  for (std::int64_t column = 0; column < columns; ++column)
    for (std::int64_t i = 0; i < of_column; ++i)
      to[static_cast<std::size_t>(column * bytes + i / of_byte)] |= static_cast<std::uint8_t>(
          numbers[static_cast<std::size_t>(column * of_column + i)] << (i % of_byte * bits));
  return result;
}

}  // namespace

std::int64_t FewBitProduct::blocks() const { return ceil_div(rows, block); }
std::int64_t FewBitProduct::of_byte() const { return 8 / bits; }

std::optional<FewBitProduct> few_bit_product_of(const OpDef& op, const Attributes& attributes) {
  if (op.name != "MatMulNBits") return std::nullopt;
  return few_bits_of(attributes);
}

bool may_round_data(const OpDef& op, const Attributes& attributes) {
  constexpr std::int64_t to_bytes = 4;
  return few_bit_product_of(op, attributes) && attributes.integer("accuracy_level") == to_bytes;
}

Operation operation_of(const FewBitProduct& product) {
  return operation_named("MatMulNBits", {{"K", product.rows},
                                         {"N", product.columns},
                                         {"bits", product.bits},
                                         {"block_size", product.block}});
}

float zero_point_of(const FewBitProduct& product, const FewBitWeights& weights, std::int64_t column,
                    std::int64_t block) {
  const Tensor& zeros = weights.zero_points;
  if (!zeros.defined()) return static_cast<float>(1 << (product.bits - 1));
  const std::int64_t blocks = product.blocks();
  if (zeros.data_type() != DataType::UInt8)
    return static_cast<float>(zeros.double_at(column * blocks + block));
  const std::uint8_t* of_column =
      zeros.as<std::uint8_t>().data() + column * ceil_div(blocks, product.of_byte());
  return static_cast<float>(number_at(of_column, block, product.bits));
}

Tensor widened_weights(const FewBitProduct& product, const FewBitWeights& weights) {
  Tensor result({DataType::Float32, {product.rows, product.columns}});
  const auto to = result.as<float>();
  const auto* const bytes = weights.weights.as<std::uint8_t>().data();
  const std::int64_t blocks = product.blocks(), bits = product.bits, of_byte = product.of_byte();
  for (std::int64_t column = 0; column < product.columns; ++column)
    for (std::int64_t block = 0; block < blocks; ++block) {
      const auto scale = static_cast<float>(weights.scales.double_at(column * blocks + block));
      const float zero = zero_point_of(product, weights, column, block);
      const std::int64_t first = block * product.block,
                         end = std::min(product.rows, first + product.block);
      const auto* const of_block = bytes + (column * blocks + block) * (product.block / of_byte);
      for (std::int64_t row = first; row < end; ++row)
        to[static_cast<std::size_t>(row * product.columns + column)] =
            (static_cast<float>(number_at(of_block, row - first, bits)) - zero) * scale;
    }
  return result;
}

std::optional<FewBits> in_few_bits(const Tensor& quantised, const Tensor& scale,
                                   const Tensor* zero_point, const ScaleSharing& sharing,
                                   bool is_turned) {
  const std::int64_t rows = quantised.shape()[is_turned ? 1 : 0],
                     columns = quantised.shape()[is_turned ? 0 : 1];
  const bool are_one = scale.elements() == 1 && (!zero_point || zero_point->elements() == 1);
  const bool is_by_row = sharing.axis == std::size_t{is_turned ? 1U : 0U};
  if (rows == 0 || columns == 0 || (sharing.block != 0 ? !is_by_row : is_by_row && !are_one))
    return std::nullopt;
  FewBitProduct product{.rows = rows,
                        .columns = columns,
                        .bits = 8,
                        .block = sharing.block != 0 ? std::min(sharing.block, rows) : rows};
  const std::int64_t blocks = product.blocks();
  // The place of a block's parameter among those that are stored.
  const auto parameter = [&](const Tensor& of, std::int64_t column, std::int64_t block) {
    if (of.elements() == 1) return std::int64_t{0};
    if (sharing.block == 0) return column;
    return is_turned ? column * blocks + block : block * columns + column;
  };
  const bool is_signed = quantised.data_type() == DataType::Int8;
  constexpr std::int64_t half_of_byte = 128, half_of_nibble = 8;
  std::vector<std::uint8_t> numbers(static_cast<std::size_t>(columns * blocks * product.block));
  std::vector<std::uint8_t> zeros(static_cast<std::size_t>(columns * blocks));
  Tensor scales({DataType::Float32, {columns, blocks}});
  bool are_nibbles = product.block % 2 == 0;
  visit_type(quantised.data_type(), [&]<class T>(T) {
    const auto from = quantised.as<T>();
    const auto element_at = [&](std::int64_t row, std::int64_t column) -> std::int64_t {
      return from[static_cast<std::size_t>(is_turned ? column * rows + row
                                                     : row * columns + column)];
    };
    const auto zero_at = [&](std::int64_t column, std::int64_t block) -> std::int64_t {
      if (!zero_point) return 0;
      return zero_point->as<T>()[static_cast<std::size_t>(parameter(*zero_point, column, block))];
    };
    const std::int64_t to_nibble = is_signed ? half_of_nibble : 0;
    const auto is_nibble = [&](std::int64_t value) {
      return value + to_nibble >= 0 && value + to_nibble < 2 * half_of_nibble;
    };
    for (std::int64_t column = 0; column < columns && are_nibbles; ++column) {
      for (std::int64_t row = 0; row < rows; ++row)
        are_nibbles = are_nibbles && is_nibble(element_at(row, column));
      for (std::int64_t block = 0; block < blocks; ++block)
        are_nibbles = are_nibbles && is_nibble(zero_at(column, block));
    }
    const std::int64_t moved = !is_signed ? 0 : are_nibbles ? half_of_nibble : half_of_byte;
    for (std::int64_t column = 0; column < columns; ++column) {
      for (std::int64_t row = 0; row < rows; ++row)
        numbers[static_cast<std::size_t>(column * blocks * product.block + row)] =
            static_cast<std::uint8_t>(element_at(row, column) + moved);
      for (std::int64_t block = 0; block < blocks; ++block) {
        const auto place = static_cast<std::size_t>(column * blocks + block);
        zeros[place] = static_cast<std::uint8_t>(zero_at(column, block) + moved);
        scales.as<float>()[place] =
            scale.as<float>()[static_cast<std::size_t>(parameter(scale, column, block))];
      }
    }
  });
  if (are_nibbles) product.bits = 4;
  const std::int64_t of_byte = product.of_byte();
  const bool are_middle = std::ranges::all_of(zeros, [&](std::uint8_t zero) {
    return zero == (are_nibbles ? half_of_nibble : half_of_byte);
  });
  return FewBits{
      product,
      {packed(numbers, columns, product.bits, {columns, blocks, product.block / of_byte}),
       std::move(scales),
       are_middle ? Tensor()
                  : packed(zeros, columns, product.bits, {columns, ceil_div(blocks, of_byte)})}};
}

std::vector<OpDef> few_bit_products() {
  OpDef op = operator_named(
      "MatMulNBits",
      "The product of A and weights of few bits with a scale for each block of them.",
      {required("A", "... x M x K"), required("B", "N x blocks of K x bytes of a block, uint8"),
       required("scales", "one a block"),
       optional("zero_points",
                "uint8 in as few bits, or floats; the middle of the range by default"),
       optional("g_idx", "not supported"), optional("bias", "broadcasts to the result")},
      1);
  op.family = Family::MatrixProduct;
  op.onnx = {{.name = op.name, .domain = "com.microsoft"}};
  return {completed(
      std::move(op),
      {required_attribute("K", AttributeKind::Int, "terms of a sum"),
       required_attribute("N", AttributeKind::Int, "columns of the result"),
       attribute("bits", std::int64_t{4}, "of a weight: 2, 4 or 8"),
       required_attribute("block_size", AttributeKind::Int, "terms that share a scale"),
       attribute("accuracy_level", std::int64_t{0}, "4: A may be rounded to bytes"),
       attribute("weight_prepacked", std::int64_t{0}, "weights in the order of one machine")},
      infer_few_bits, compute_few_bits)};
}

}  // namespace loopglass::ops
