// Intrinsics: what a machine does in one go, or what one writes by hand for it, described as the
// nest that it computes.
//
// A nest is handed to an intrinsic by an annotation of its outermost loop (annotations.h). The nest
// stays what it was, and stays the meaning: whoever does not know the annotation runs the loops.
// Code generation looks whether the nest still is what the description says (match_intrinsic), and
// writes the intrinsic's own instructions in its place (core/codegen/emitter_intrinsics.cpp).
#pragma once

#include "core/loop/func.h"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace loopglass::loop {

// What writes the instructions. Sizes are those of the description.
enum class IntrinsicBody : std::uint8_t {
  Product,    // C[i, j] += A[i, k] * B[k, j], or A[i] * B[j], of float32
  ByteDot,    // C[j] += A[k] * B[j, k], of bytes into int32
  Transpose,  // Y[j, i] = X[i, j]; as many rows as columns, of float32 also fewer
  Interleave  // the same of three rows, whose columns follow one another in Y
};

struct Intrinsic {
  std::string name;
  std::string doc;
  IntrinsicBody body;
  // Perfectly nested serial loops around one store. The parameters are tiles of buffers; the one
  // that is stored to comes last. They are never one buffer.
  Func description;
  // For each parameter, how many elements lie from one index of a dimension to the next; 0: any
  // number. The buffer that is stored to has no two indices at one element.
  std::vector<std::vector<std::int64_t>> strides;
  // What a processor has to have for the instruction, as LLVM calls it; empty: nothing beyond
  // vectors. One that has not computes the same by its parts.
  std::string feature;
};

const std::vector<Intrinsic>& all_intrinsics();
const Intrinsic* find_intrinsic(std::string_view name);
// Whose first operand has so many rows and columns of these elements; null: there is none.
const Intrinsic* find_intrinsic(IntrinsicBody body, std::int64_t rows, std::int64_t columns,
                                DataType element = DataType::Float32);

// The part of a buffer that one parameter of a description stands for.
struct Tile {
  std::string buffer;
  std::vector<Expr> origin;           // the indices of its first element
  std::vector<std::int64_t> strides;  // of each dimension of the tile, in elements
};

// Whether the nest, whose outermost statement is a loop, computes what the intrinsic is described
// to: a tile for each parameter, or the sentence that says why not. Loops may stand in another
// order than the description's, and factors the other way round. An initial value, a condition or
// a loop that is not serial is in the way. A block in the middle is seen through.
std::expected<std::vector<Tile>, std::string> match_intrinsic(const Intrinsic& intrinsic,
                                                              const Stmt& nest,
                                                              const std::vector<Buffer>& buffers);

struct IntrinsicCall {
  const Intrinsic* intrinsic;
  std::vector<Tile> tiles;
};
// What runs the nest that the statement, on which an intrinsic is noted, begins; or the sentence
// that says why it runs as loops. Loops around it are not looked at.
std::expected<IntrinsicCall, std::string> noted_intrinsic(const Stmt& noted,
                                                          const std::vector<Buffer>& buffers);

// An intrinsic that is noted somewhere in a Func and does not run there.
struct UnusedIntrinsic {
  std::string name, why;
  friend bool operator==(const UnusedIntrinsic&, const UnusedIntrinsic&) = default;
};
std::vector<UnusedIntrinsic> unused_intrinsics(const Func& func);

}  // namespace loopglass::loop
