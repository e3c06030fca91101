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

// Of the elements of two vectors, those that `taken` numbers: the second's come after the first's.
template <class Taken>
llvm::Value* chosen(llvm::IRBuilderBase& b, llvm::Value* one, llvm::Value* other, int count,
                    const Taken& taken) {
  std::vector<int> numbers;
  for (int lane = 0; lane < count; ++lane) numbers.push_back(taken(lane));
  return b.CreateShuffleVector(one, other, numbers);
}

using Rows = std::vector<llvm::Value*>;
constexpr int quarter =
    4;  // elements of 128 bits, within which a processor shuffles at its fastest

// Of each four rows, every 128 bits of them transposed by themselves: row c of four then holds of
// each quarter the column c.
Rows with_quarters_transposed(llvm::IRBuilderBase& b, const Rows& rows) {
  const auto count = static_cast<int>(rows.size());
  // Pieces of so many elements, by turns from both, of the lower or the upper half of each quarter.
  const auto interleaved = [&](llvm::Value* one, llvm::Value* other, int piece, int half) {
    return chosen(b, one, other, count, [&](int lane) {
      const int start = lane / quarter * quarter + half * quarter / 2, within = lane % quarter;
      const int number = start + within / (2 * piece) * piece + within % piece;
      return number + (within / piece % 2 == 1 ? count : 0);
    });
  };
  Rows result;
  for (std::size_t r = 0; r < rows.size(); r += quarter) {
    llvm::Value* pairs[] = {
        interleaved(rows[r], rows[r + 1], 1, 0), interleaved(rows[r + 2], rows[r + 3], 1, 0),
        interleaved(rows[r], rows[r + 1], 1, 1), interleaved(rows[r + 2], rows[r + 3], 1, 1)};
    for (int k = 0; k < quarter; k += 2)
      for (const int half : {0, 1}) result.push_back(interleaved(pairs[k], pairs[k + 1], 2, half));
  }
  return result;
}

// Quarters as elements: what was in quarter q of vector v is in quarter v of vector q.
Rows with_quarters_exchanged(llvm::IRBuilderBase& b, Rows vectors, int count) {
  const auto every_other = [&](llvm::Value* one, llvm::Value* other, int first) {
    return chosen(b, one, other, count, [&](int lane) {
      return (2 * (lane / quarter) + first) * quarter + lane % quarter;
    });
  };
  const std::size_t half = vectors.size() / 2;
  for (std::size_t round = 1; round < vectors.size(); round *= 2) {
    Rows next(vectors.size());
    for (std::size_t k = 0; k < half; ++k) {
      next[k] = every_other(vectors[2 * k], vectors[2 * k + 1], 0);
      next[k + half] = every_other(vectors[2 * k], vectors[2 * k + 1], 1);
    }
    vectors = std::move(next);
  }
  return vectors;
}

// As many rows as each has elements, turned: of the first and the second half of the rows, one of
// each by turns, dealt out element by element; once for each doubling.
Rows transposed_by_halves(llvm::IRBuilderBase& b, Rows rows) {
  const auto count = static_cast<int>(rows.size());
  const std::size_t half = rows.size() / 2;
  for (std::size_t round = 1; round < rows.size(); round *= 2) {
    Rows next;
    for (std::size_t k = 0; k < half; ++k)
      for (const int from : {0, count / 2})
        next.push_back(chosen(b, rows[k], rows[k + half], count, [&](int lane) {
          return from + lane / 2 + (lane % 2 == 1 ? count : 0);
        }));
    rows = std::move(next);
  }
  return rows;
}

}  // namespace

void Emitter::emit(const loop::IntrinsicCall& call) {
  CHECK(!lanes_, "an intrinsic in the lanes of a loop");
  switch (call.intrinsic->body) {
    case loop::IntrinsicBody::Product: return emit_product(call);
    case loop::IntrinsicBody::ByteDot: return emit_byte_dot(call);
    case loop::IntrinsicBody::Transpose: return emit_transpose(call);
    case loop::IntrinsicBody::Interleave: return emit_interleave(call);
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

// Of the tile that is the first operand, each row a vector. What has not 32 bits goes as whole
// numbers of as many: nothing computes with it.
std::vector<llvm::Value*> Emitter::rows_of(const loop::IntrinsicCall& call) {
  const loop::Tile& x = call.tiles[0];
  const auto columns = static_cast<unsigned>(extent_of(*call.intrinsic, 0, 1));
  const auto bytes =
      static_cast<unsigned>(byte_size(call.intrinsic->description.parameters[0].type));
  llvm::Type* element = bytes == sizeof(float) ? b_.getFloatTy() : b_.getIntNTy(8 * bytes);
  llvm::Type* vector = llvm::FixedVectorType::get(element, columns);
  Rows rows;
  for (std::int64_t i = 0; i < extent_of(*call.intrinsic, 0, 0); ++i)
    rows.push_back(
        b_.CreateAlignedLoad(vector, address_in(x, {i, 0}), llvm::Align(bytes), x.buffer));
  return rows;
}

// Y[j, i] = X[i, j]: of 32 bits first within 128, then those as wholes. Rows that there are not
// hold anything, and their columns are not stored.
void Emitter::emit_transpose(const loop::IntrinsicCall& call) {
  const loop::Tile& y = call.tiles[1];
  Rows rows = rows_of(call);
  const auto height = static_cast<int>(rows.size()),
             width = static_cast<int>(extent_of(*call.intrinsic, 0, 1));
  const std::size_t bytes = byte_size(call.intrinsic->description.parameters[0].type);
  if (bytes != sizeof(float)) {
    rows = transposed_by_halves(b_, std::move(rows));
    for (std::int64_t j = 0; j < width; ++j)
      b_.CreateAlignedStore(rows[static_cast<std::size_t>(j)], address_in(y, {j, 0}),
                            llvm::Align(bytes));
    return;
  }
  rows.resize(static_cast<std::size_t>(width), llvm::PoisonValue::get(rows.front()->getType()));
  rows = with_quarters_transposed(b_, rows);
  for (int column = 0; column < quarter; ++column) {
    Rows groups;
    for (int r = column; r < width; r += quarter)
      groups.push_back(rows[static_cast<std::size_t>(r)]);
    groups = with_quarters_exchanged(b_, std::move(groups), width);
    for (std::size_t q = 0; q < groups.size(); ++q) {
      const std::int64_t j = static_cast<std::int64_t>(q) * quarter + column;
      store_first(groups[q], height, address_in(y, {j, 0}));
    }
  }
}

// So many lanes of a vector of float32.
void Emitter::store_first(Value* vector, int count, Value* place) {
  const llvm::Align alignment(4);
  const auto width = llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  if (count == static_cast<int>(width)) {
    b_.CreateAlignedStore(vector, place, alignment);
    return;
  }
  if (host_target().has("avx512vl")) {
    llvm::SmallVector<llvm::Constant*> lanes;
    for (int lane = 0; lane < static_cast<int>(width); ++lane)
      lanes.push_back(b_.getInt1(lane < count));
    b_.CreateMaskedStore(vector, place, alignment, llvm::ConstantVector::get(lanes));
    return;
  }
  // In pieces: a store under a mask takes many times as long there.
  b_.CreateAlignedStore(chosen(b_, vector, vector, count, [](int lane) { return lane; }), place,
                        alignment);
}

// Y[j, i] = X[i, j] of three i, all of Y side by side: the first two rows are dealt out, then the
// third in between.
void Emitter::emit_interleave(const loop::IntrinsicCall& call) {
  const Rows rows = rows_of(call);
  const auto count = static_cast<int>(extent_of(*call.intrinsic, 0, 1)),
             dealt = static_cast<int>(rows.size());
  for (int v = 0; v < dealt; ++v) {
    const auto number = [&](int lane) { return v * count + lane; };  // of an element of Y
    Value* two = chosen(b_, rows[0], rows[1], count, [&](int lane) {
      return number(lane) / dealt + (number(lane) % dealt == 1 ? count : 0);
    });
    Value* all = chosen(b_, two, rows[2], count, [&](int lane) {
      return number(lane) % dealt == 2 ? count + number(lane) / dealt : lane;
    });
    b_.CreateAlignedStore(all, address_in(call.tiles[1], {0, v * count}), llvm::Align(4));
  }
}

}  // namespace loopglass::codegen
