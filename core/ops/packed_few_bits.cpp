#include "core/ops/packed_few_bits.h"

#include "core/ops/families.h"
#include "core/ops/quantised_number.h"
#include "core/support/ceil_div.h"
#include "core/support/concurrently.h"
#include "core/support/machine_processors.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>

namespace loopglass::ops {

namespace {

using namespace quantised;

constexpr const char *rounding = "PackedRounding", *rounded_product = "PackedFewBitProduct";
constexpr const char* terms_attribute = "terms";
constexpr std::int64_t word_bits = 32;
// Whose sums are scaled together: more are scaled more seldom, and need more registers at once.
constexpr std::int64_t most_words_of_group = 4;

// Small enough to be multiplied.
constexpr std::int64_t most_of_block = std::int64_t{1} << 31;

// How the numbers of a block lie.
struct Words {
  std::int64_t bits, block;
  Packing packing = Packing::Pairs;

  std::int64_t of_word() const { return word_bits / bits; }      // weights
  std::int64_t terms() const { return terms_of_word(packing); }  // of a dot product
  std::int64_t parts() const { return of_word() / terms(); }     // of a word
  std::int64_t count() const { return block / of_word(); }       // words
  std::int64_t of_group() const { return std::gcd(count(), most_words_of_group); }
  std::int64_t groups() const { return count() / of_group(); }
  std::int64_t packed() const { return block / terms(); }  // words of q
};

Words words_of(const Attributes& attributes) {
  return {attributes.integer("bits"), attributes.integer("block_size"),
          attributes.integer(terms_attribute) == terms_of_word(Packing::Quads) ? Packing::Quads
                                                                               : Packing::Pairs};
}

Shape extended(Shape shape, std::int64_t last) {
  shape.push_back(last);
  return shape;
}

Result<Words> require_words(const InferContext& context) {
  const Words words = words_of(context.attributes);
  if (context.attributes.integer(terms_attribute) != words.terms())
    return misused(
        fmt::format("{} = {}", terms_attribute, context.attributes.integer(terms_attribute)));
  if ((words.bits != 2 && words.bits != 4 && words.bits != 8) || words.block <= 0 ||
      words.block >= most_of_block || words.block % words.of_word() != 0)
    return misused(fmt::format("bits = {}, block_size = {}", words.bits, words.block));
  return words;
}

// --- rounding -----------------------------------------------------------------------------------

constexpr double greatest_byte = 127;
// A block of less is nothing: its units would be infinitely many.
constexpr double least_magnitude = 1e-36;

Result<Types> infer_rounding(const InferContext& context) {
  const Words words = TRY(require_words(context));
  TRY_VOID(require_type(context, 0, float32_type));
  if (context.output_count != 3) return misused("its three outputs go together");
  Shape shape = context.input(0).shape;
  if (shape.empty()) return misused("a scalar has no rows");
  shape.back() = ceil_div(shape.back(), words.block);
  return Types{{DataType::Int32, extended(shape, words.packed())},
               {DataType::Float32, shape},
               {DataType::Int32, extended(shape, words.groups())}};
}

Expr zero_byte() { return expr::integer(DataType::Int8, 0); }

Result<Computed> compute_rounding(ComputeContext& context) {
  const Words words = words_of(context.attributes);
  const te::Tensor& x = context.input(0);
  te::Builder& builder = context.builder;
  const auto named = [&](const char* suffix) { return context.name + suffix; };
  const Shape& of_blocks = context.outputs[1].shape;
  const std::int64_t terms = shape_of(x).back();
  const auto real = [](double value) { return expr::floating(DataType::Float32, value); };

  // The last block may reach beyond the row.
  const auto element = [&](const Indices& block, const Expr& place) {
    const Expr term = block.back() * words.block + place;
    const auto at = [&](const Expr& k) { return x(replaced(block, block.size() - 1, k)); };
    return terms % words.block == 0
               ? at(term)
               : expr::select(term < terms, at(clamp_index(term, terms)), real(0));
  };
  const te::Tensor magnitude =
      builder.reduce(named("_magnitude"), te::extents(of_blocks), {words.block}, te::Reducer::Max,
                     [&](const Indices& i, const Indices& r) {
                       return expr::unary(expr::UnaryOperator::Abs, element(i, r[0]));
                     });
  const te::Tensor scale =
      builder.compute(named("_scale"), te::extents(of_blocks),
                      [&](const Indices& i) { return magnitude(i) / real(greatest_byte); });
  const te::Tensor in_units =
      builder.compute(named("_in_units"), te::extents(of_blocks), [&](const Indices& i) {
        return expr::select(magnitude(i) < real(least_magnitude), real(0),
                            real(greatest_byte) / magnitude(i));
      });
  const Shape of_terms = extended(of_blocks, words.block);
  const te::Tensor rounded =
      builder.compute(named("_bytes"), te::extents(of_terms), [&](const Indices& i) {
        const Indices block = erased(i, i.size() - 1);
        return saturated(element(block, i.back()) * in_units(block), zero_byte(), DataType::Int8);
      });
  const auto whole = [&](const Indices& block, const Expr& place) {
    return expr::cast(DataType::Int32, rounded(inserted(block, block.size(), place)));
  };
  const te::Tensor packed =
      builder.compute(context.name, te::extents(context.outputs[0].shape), [&](const Indices& i) {
        const Indices block = erased(i, i.size() - 1);
        const Expr first = expr::floor_div(i.back(), words.parts()) * words.of_word() +
                           expr::floor_mod(i.back(), words.parts());
        std::vector<Expr> terms;
        for (std::int64_t term = 0; term < words.terms(); ++term)
          terms.push_back(whole(block, first + term * words.parts()));
        return word_of(terms);
      });
  const std::int64_t of_group = words.of_group() * words.of_word();
  const te::Tensor sums =
      builder.reduce(named("_sum"), te::extents(context.outputs[2].shape), {of_group},
                     te::Reducer::Sum, [&](const Indices& i, const Indices& r) {
                       return whole(erased(i, i.size() - 1), i.back() * of_group + r[0]);
                     });
  return Computed{packed, scale, sums};
}

// --- product ------------------------------------------------------------------------------------

struct Rounded {
  static constexpr std::size_t rows = 0, scale = 1, sum = 2, weights = 3, scales = 4,
                               zero_points = 5;  // operands
};

Result<Types> infer_rounded_product(const InferContext& context) {
  const Words words = TRY(require_words(context));
  const TensorType& weights = context.input(Rounded::weights);
  if (weights.shape.size() != 3) return misused(fmt::format("B is {}", to_string(weights)));
  const std::int64_t blocks = weights.shape[0], columns = weights.shape[2];
  const auto require = [&](std::size_t input, DataType type, const Shape& shape) -> Result<void> {
    const TensorType wanted{type, shape};
    if (context.input(input) != wanted)
      return misused(fmt::format("an input is {}, not {}", to_string(context.input(input)),
                                 to_string(wanted)));
    return {};
  };
  Shape of_blocks = context.input(Rounded::scale).shape;
  if (of_blocks.empty()) return misused("a scalar has no rows");
  of_blocks.back() = blocks;
  TRY_VOID(require(Rounded::rows, DataType::Int32, extended(of_blocks, words.packed())));
  TRY_VOID(require(Rounded::scale, DataType::Float32, of_blocks));
  TRY_VOID(require(Rounded::sum, DataType::Int32, extended(of_blocks, words.groups())));
  TRY_VOID(require(Rounded::weights, DataType::Int32, {blocks, words.count(), columns}));
  TRY_VOID(require(Rounded::scales, DataType::Float32, {blocks, columns}));
  if (context.has(Rounded::zero_points))
    TRY_VOID(require(Rounded::zero_points, DataType::Float32, {blocks, columns}));
  Shape output = of_blocks;
  output.back() = columns;
  return Types{{DataType::Float32, output}};
}

// Weights of a word as the terms of a dot product, none of which has a sign.
Expr part_of_word(const Expr& word, std::int64_t place, const Words& words) {
  const auto whole = [](std::int64_t value) { return expr::integer(DataType::Int32, value); };
  const Expr moved =
      place == 0 ? word
                 : expr::binary(expr::BinaryOperator::ShiftRight, word, whole(words.bits * place));
  if (words.bits * words.terms() == word_bits) return moved;
  const std::int64_t ones = words.packing == Packing::Pairs ? 0x10001 : 0x01010101;
  return expr::binary(expr::BinaryOperator::BitAnd, moved, whole(((1 << words.bits) - 1) * ones));
}

Result<Computed> compute_rounded_product(ComputeContext& context) {
  const Words words = words_of(context.attributes);
  const te::Tensor &rows = context.input(Rounded::rows), &row_scale = context.input(Rounded::scale),
                   &row_sum = context.input(Rounded::sum),
                   &weights = context.input(Rounded::weights),
                   &scales = context.input(Rounded::scales);
  const auto real = [](Expr value) { return expr::cast(DataType::Float32, std::move(value)); };
  const std::int64_t of_group = words.of_group(), parts = words.parts();
  const bool has_groups = words.groups() > 1;
  const auto term = [&](const Indices& i, const Indices& r) {
    const Expr &column = i.back(), &block = r[0], group = has_groups ? r[1] : Expr(0);
    const Indices of_row = replaced(i, i.size() - 1, block);
    const auto with = [&](Expr last) { return inserted(of_row, of_row.size(), std::move(last)); };
    const auto in_group = [&](std::int64_t length, std::int64_t place) {
      return has_groups ? group * length + place : Expr(place);
    };
    Expr sum;
    for (std::int64_t n = 0; n < of_group; ++n) {
      const Expr word = weights({block, in_group(of_group, n), column});
      for (std::int64_t place = 0; place < parts; ++place) {
        const Expr q = rows(with(in_group(of_group * parts, n * parts + place)));
        const Expr part = part_of_word(word, place, words);
        // Of bytes the weights are those without a sign.
        const Expr one =
            words.packing == Packing::Pairs ? expr::dot_pairs(q, part) : expr::dot_quads(part, q);
        sum = sum.defined() ? sum + one : one;
      }
    }
    const Expr scale = row_scale(of_row) * scales({block, column}),
               of_row_sum = row_sum(with(group));
    if (context.has(Rounded::zero_points))
      return real(sum) * scale - real(of_row_sum) * row_scale(of_row) *
                                     context.input(Rounded::zero_points)({block, column});
    const Expr middle = expr::integer(DataType::Int32, std::int64_t{1} << (words.bits - 1));
    return real(sum - of_row_sum * middle) * scale;
  };
  std::vector<Expr> terms{weights.shape[0]};
  if (has_groups) terms.emplace_back(words.groups());
  return Computed{context.builder.reduce(context.name, te::extents(context.outputs[0].shape), terms,
                                         te::Reducer::Sum, term)};
}

}  // namespace

bool has_words(const FewBitProduct& product) {
  return product.block % Words{product.bits, product.block}.of_word() == 0;
}

PackedFewBits packed_form_of(const FewBitProduct& product, Packing packing) {
  const Attributes attributes{{"bits", product.bits},
                              {"block_size", product.block},
                              {terms_attribute, terms_of_word(packing)}};
  return {operation_named(rounding, attributes), operation_named(rounded_product, attributes)};
}

bool multiplies_rounded_rows(const OpDef& op) { return op.name == rounded_product; }

FewBitWords in_words(const FewBitProduct& product, const FewBitWeights& weights) {
  const Words form{product.bits, product.block};
  const std::int64_t blocks = product.blocks(), columns = product.columns, count = form.count();
  FewBitWords result{Tensor({DataType::Int32, {blocks, count, columns}}),
                     Tensor({DataType::Float32, {blocks, columns}}),
                     Tensor({DataType::Float32, {blocks, columns}})};
  const auto* const bytes = weights.weights.as<std::uint8_t>().data();
  auto* const words = result.words.as<std::int32_t>().data();
  const auto word_at = [&](std::int64_t index) {
    constexpr std::int64_t bytes_of_word = word_bits / 8;
    std::uint32_t word = 0;
    for (std::int64_t byte = 0; byte < bytes_of_word; ++byte)
      word |= std::uint32_t{bytes[index * bytes_of_word + byte]} << static_cast<unsigned>(8 * byte);
    return static_cast<std::int32_t>(word);
  };
  // So many columns at a time that whole cache lines are written and each is read from one stream.
  constexpr std::int64_t columns_at_once = 16;
  std::atomic<std::int64_t> next = 0;
  run_on_threads(machine_processors().usable(), [&] {
    for (std::int64_t first = next.fetch_add(columns_at_once); first < columns;
         first = next.fetch_add(columns_at_once)) {
      const std::int64_t end = std::min(columns, first + columns_at_once);
      for (std::int64_t row = 0; row < blocks * count; ++row)
        for (std::int64_t column = first; column < end; ++column)
          words[row * columns + column] = word_at(column * blocks * count + row);
    }
  });
  const auto to_scales = result.scales.as<float>(), to_zeros = result.zero_points.as<float>();
  bool are_middle = true;
  visit_type(weights.scales.data_type(), [&]<class T>(T) {
    const auto scales = weights.scales.as<T>();
    for (std::int64_t block = 0; block < blocks; ++block)
      for (std::int64_t column = 0; column < columns; ++column) {
        const auto to = static_cast<std::size_t>(block * columns + column);
        const auto scale =
            static_cast<float>(scales[static_cast<std::size_t>(column * blocks + block)]);
        const float zero = zero_point_of(product, weights, column, block);
        are_middle = are_middle && zero == static_cast<float>(1 << (product.bits - 1));
        to_scales[to] = scale;
        to_zeros[to] = zero * scale;
      }
  });
  if (are_middle) result.zero_points = {};
  return result;
}

std::vector<OpDef> packed_few_bits() {
  const std::vector<AttributeSpec> attributes{
      attribute("bits", std::int64_t{4}, "of a weight: 2, 4 or 8"),
      attribute("block_size", std::int64_t{32}, "terms that share a scale"),
      attribute(terms_attribute, std::int64_t{2}, "that lie in an int32 of q: 2 or 4")};
  OpDef rows = operator_named(
      rounding,
      "Each block of a row rounded to int8 by its greatest magnitude: q = round(x * 127 / "
      "magnitude). Two or four of them lie in one int32, as PackedFewBitProduct multiplies them.",
      {required("x", "... x K, float32")}, 1);
  rows.outputs = {{"q", Arity::Required, "... x blocks x words of a block, int32"},
                  {"scale", Arity::Required, "... x blocks: magnitude / 127"},
                  {"sum", Arity::Required,
                   "... x blocks x groups: the sums of q over the terms of up to four words of "
                   "weights, int32"}};
  OpDef product = operator_named(
      rounded_product,
      "The product of rows that PackedRounding has rounded and weights of few bits, 32 / bits of a "
      "column in one int32: the sum over blocks of (q * (weight - zero point)) * scale * scales.",
      {required("q", "... x blocks x words of a block, int32"), required("scale", "... x blocks"),
       required("sum", "... x blocks x groups, int32"),
       required("B", "blocks x words of a block x N, int32"), required("scales", "blocks x N"),
       optional("zero_points", "blocks x N, times the scales; the middle of the range by default")},
      1);
  product.outputs = {{"Y", Arity::Required, "... x N, float32"}};
  product.family = Family::MatrixProduct;
  rows.onnx.clear();
  product.onnx.clear();
  return {
      completed(std::move(rows), attributes, infer_rounding, compute_rounding),
      completed(std::move(product), attributes, infer_rounded_product, compute_rounded_product)};
}

}  // namespace loopglass::ops
