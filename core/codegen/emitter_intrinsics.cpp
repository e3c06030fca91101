// The bodies of intrinsics (core/loop/intrinsics.h), one function each. They have the sizes of the
// description, in vectors of at most 16 lanes, which divide the columns.
#include "core/codegen/emitter.h"

#include "core/codegen/operators.h"
#include "core/codegen/target.h"
#include "core/support/check.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace loopglass::codegen {

namespace {

// How many iterations the description's loop over this dimension of a parameter has.
std::int64_t extent_of(const loop::Intrinsic& intrinsic, std::size_t parameter,
                       std::size_t dimension) {
  return *expr::as_integer(intrinsic.description.parameters[parameter].shape[dimension]);
}

constexpr std::int64_t lanes_of_a_vector = 16;

}  // namespace

void Emitter::emit(const loop::IntrinsicCall& call) {
  CHECK(!lanes_, "an intrinsic in the lanes of a loop");
  switch (call.intrinsic->body) {
    case loop::IntrinsicBody::Product: return emit_product(call);
    case loop::IntrinsicBody::ByteDot: return emit_byte_dot(call);
  }
}

// Of the element of a tile with these indices.
llvm::Value* Emitter::address_in(const loop::Tile& tile, const std::vector<std::int64_t>& indices) {
  const Access access = kernel_.plan.access(tile.buffer, tile.origin, "");
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) offset += indices[d] * tile.strides[d];
  return address_at_lane_zero(access, offset);
}

// C[i, j] += A[i, k] * B[k, j], the dimension k left out where there is one k. Each row of C stays
// in registers over all k, and each element takes its terms in their order; whether a product
// rounds before it is added is the kernel's say (contract-products).
void Emitter::emit_product(const loop::IntrinsicCall& call) {
  const loop::Tile &a = call.tiles[0], &b = call.tiles[1], &c = call.tiles[2];
  const bool has_depth = call.intrinsic->description.parameters[0].shape.size() > 1;
  const std::int64_t rows = extent_of(*call.intrinsic, 2, 0),
                     columns = extent_of(*call.intrinsic, 2, 1),
                     depth = has_depth ? extent_of(*call.intrinsic, 0, 1) : 1;
  const std::int64_t width = std::min(columns, lanes_of_a_vector);
  llvm::Type* element = b_.getFloatTy();
  llvm::Type* vector = llvm::FixedVectorType::get(element, static_cast<unsigned>(width));
  const llvm::Align alignment(4);
  const auto at = [&](std::int64_t outer, std::int64_t k) {
    return has_depth ? std::vector{outer, k} : std::vector{outer};
  };
  std::vector<Value*> row_of_b;  // [k][column / width]
  for (std::int64_t k = 0; k < depth; ++k)
    for (std::int64_t j = 0; j < columns; j += width)
      row_of_b.push_back(b_.CreateAlignedLoad(
          vector, address_in(b, has_depth ? std::vector{k, j} : std::vector{j}), alignment,
          b.buffer));
  const std::int64_t vectors = columns / width;
  for (std::int64_t i = 0; i < rows; ++i) {
    std::vector<Value*> factors;
    for (std::int64_t k = 0; k < depth; ++k)
      factors.push_back(b_.CreateVectorSplat(
          static_cast<unsigned>(width),
          b_.CreateAlignedLoad(element, address_in(a, at(i, k)), alignment, a.buffer)));
    for (std::int64_t v = 0; v < vectors; ++v) {
      Value* place = address_in(c, {i, v * width});
      Value* sum = b_.CreateAlignedLoad(vector, place, alignment, c.buffer);
      for (std::int64_t k = 0; k < depth; ++k)
        sum =
            b_.CreateFAdd(sum, b_.CreateFMul(factors[static_cast<std::size_t>(k)],
                                             row_of_b[static_cast<std::size_t>(k * vectors + v)]));
      b_.CreateAlignedStore(sum, place, alignment);
    }
  }
}

// C[j] += sum over k of int32(A[k]) * int32(B[j, k]), of 16 j and four k.
void Emitter::emit_byte_dot(const loop::IntrinsicCall& call) {
  const loop::Tile &a = call.tiles[0], &b = call.tiles[1], &c = call.tiles[2];
  constexpr unsigned sums = 16, terms = 4, products = sums * terms;
  const llvm::Align byte(1), word(4);
  llvm::Type* words = llvm::FixedVectorType::get(b_.getInt32Ty(), sums);
  llvm::Type* bytes = llvm::FixedVectorType::get(b_.getInt8Ty(), products);
  Value* four = b_.CreateAlignedLoad(b_.getInt32Ty(), address_in(a, {0}), byte, a.buffer);
  Value* left = b_.CreateVectorSplat(sums, four);
  Value* right = b_.CreateAlignedLoad(bytes, address_in(b, {0, 0}), byte, b.buffer);
  Value* place = address_in(c, {0});
  Value* sum = b_.CreateAlignedLoad(words, place, word, c.buffer);
  if (host_target().has(call.intrinsic->feature)) {
    sum = b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpdpbusd_512, {},
                             {sum, left, b_.CreateBitCast(right, words)});
  } else {
    llvm::Type* wide = llvm::FixedVectorType::get(b_.getInt32Ty(), products);
    Value* product = b_.CreateMul(b_.CreateZExt(b_.CreateBitCast(left, bytes), wide),
                                  b_.CreateSExt(right, wide));
    for (unsigned k = 0; k < terms; ++k) {
      std::vector<int> taken;
      for (unsigned j = 0; j < sums; ++j) taken.push_back(static_cast<int>(j * terms + k));
      sum = b_.CreateAdd(sum, b_.CreateShuffleVector(product, taken));
    }
  }
  b_.CreateAlignedStore(sum, place, word);
}

}  // namespace loopglass::codegen
