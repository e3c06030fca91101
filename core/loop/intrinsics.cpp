// The table of intrinsics; match_intrinsic.cpp finds them in nests.
#include "core/loop/intrinsics.h"

#include "core/loop/text.h"
#include "core/support/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::loop {

namespace {

Func described(std::string_view text) {
  Result<Func> func = parse(text);
  CHECK(func, "the description of an intrinsic does not parse");
  return *std::move(func);
}

// Of so many rows, each a vector.
Intrinsic transpose(std::int64_t rows, std::int64_t columns, DataType element) {
  const bool is_usual = element == DataType::Float32;
  const std::string_view type = loopglass::name(element);
  const std::string name =
      fmt::format("transpose_{}x{}{}{}", rows, columns, is_usual ? "" : "_", is_usual ? "" : type);
  const std::string what = is_usual ? "numbers" : fmt::format("numbers of {}", type);
  const bool is_wide = columns * static_cast<std::int64_t>(byte_size(element)) > 32;
  return {name,
          fmt::format("Turns {} rows of {} {} into columns, in registers: for {}.", rows, columns,
                      what, is_wide ? "AVX-512" : "AVX2"),
          IntrinsicBody::Transpose,
          described(fmt::format("func {0}(X: {3}[{1}, {2}] input, Y: {3}[{2}, {1}] output) {{\n"
                                "  for i in {1} {{ for j in {2} {{ Y[j, i] = X[i, j] }} }}\n}}",
                                name, rows, columns, type)),
          {{0, 1}, {0, 1}},
          {}};
}

std::vector<Intrinsic> with_transposes(std::vector<Intrinsic> table) {
  for (const std::int64_t columns : {8, 16})
    for (std::int64_t rows = 2; rows <= columns; ++rows)
      table.push_back(transpose(rows, columns, DataType::Float32));
  for (const DataType element :
       {DataType::Float16, DataType::Int8, DataType::UInt8, DataType::Int32})
    table.push_back(transpose(16, 16, element));
  table.push_back(transpose(8, 8, DataType::Int32));
  return table;
}

}  // namespace

const std::vector<Intrinsic>& all_intrinsics() {
  static const std::vector<Intrinsic> table = with_transposes({
      {"matmul_8x8x8",
       "Adds the product of two 8 x 8 matrices to a third, which stays in registers meanwhile.",
       IntrinsicBody::Product,
       described("func matmul_8x8x8(A: float32[8, 8] input, B: float32[8, 8] input, "
                 "C: float32[8, 8] output) {\n"
                 "  for i in 8 { for j in 8 { for k in 8 { "
                 "C[i, j] = C[i, j] + A[i, k] * B[k, j] } } }\n}"),
       {{0, 0}, {0, 1}, {0, 1}},
       {}},
      {"fma_6x16",
       "Adds the outer product of 6 and 16 numbers to a tile: for AVX2, whose 16 registers hold "
       "twelve vectors of the tile, two of a row and one number.",
       IntrinsicBody::Product,
       described("func fma_6x16(A: float32[6] input, B: float32[16] input, "
                 "C: float32[6, 16] output) {\n"
                 "  for i in 6 { for j in 16 { C[i, j] = C[i, j] + A[i] * B[j] } }\n}"),
       {{0}, {1}, {0, 1}},
       {}},
      {"fma_8x48",
       "Adds the outer product of 8 and 48 numbers to a tile: for AVX-512, whose 32 registers hold "
       "24 vectors of the tile, three of a row and one number.",
       IntrinsicBody::Product,
       described("func fma_8x48(A: float32[8] input, B: float32[48] input, "
                 "C: float32[8, 48] output) {\n"
                 "  for i in 8 { for j in 48 { C[i, j] = C[i, j] + A[i] * B[j] } }\n}"),
       {{0}, {1}, {0, 1}},
       {}},
      {"vnni_dot_16x4",
       "Adds to each of 16 integers the product of four bytes without a sign and four with one: "
       "vpdpbusd, of AVX-512 VNNI.",
       IntrinsicBody::ByteDot,
       described("func vnni_dot_16x4(A: uint8[4] input, B: int8[16, 4] input, "
                 "C: int32[16] output) {\n"
                 "  for j in 16 { for k in 4 { "
                 "C[j] = C[j] + int32(A[k]) * int32(B[j, k]) } }\n}"),
       {{1}, {4, 1}, {1}},
       "avx512vnni"},
      {"interleave_3x8",
       "Deals out three rows of 8 numbers one by one, as colours of pixels: for AVX2.",
       IntrinsicBody::Interleave,
       described("func interleave_3x8(X: float32[3, 8] input, Y: float32[8, 3] output) {\n"
                 "  for i in 3 { for j in 8 { Y[j, i] = X[i, j] } }\n}"),
       {{0, 1}, {3, 1}},
       {}},
      {"interleave_3x16",
       "Deals out three rows of 16 numbers one by one, as colours of pixels: for AVX-512.",
       IntrinsicBody::Interleave,
       described("func interleave_3x16(X: float32[3, 16] input, Y: float32[16, 3] output) {\n"
                 "  for i in 3 { for j in 16 { Y[j, i] = X[i, j] } }\n}"),
       {{0, 1}, {3, 1}},
       {}},
  });
  return table;
}

const Intrinsic* find_intrinsic(std::string_view name) {
  const std::vector<Intrinsic>& rows = all_intrinsics();
  const auto row = std::ranges::find(rows, name, &Intrinsic::name);
  return row == rows.end() ? nullptr : &*row;
}

const Intrinsic* find_intrinsic(IntrinsicBody body, std::int64_t rows, std::int64_t columns,
                                DataType element) {
  const std::vector<Intrinsic>& table = all_intrinsics();
  const auto row = std::ranges::find_if(table, [&](const Intrinsic& each) {
    const Buffer& operand = each.description.parameters[0];
    const std::vector<Expr>& shape = operand.shape;
    return each.body == body && operand.type == element &&
           expr::as_integer(shape.front()) == rows && expr::as_integer(shape.back()) == columns;
  });
  return row == table.end() ? nullptr : &*row;
}

}  // namespace loopglass::loop
