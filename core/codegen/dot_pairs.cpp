#include "core/codegen/dot_pairs.h"

#include "core/codegen/target.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <array>

namespace loopglass::codegen {

namespace {

using llvm::IRBuilderBase;
using llvm::Value;

struct Instruction {
  unsigned lanes;
  std::string_view feature;
  llvm::Intrinsic::ID intrinsic;
};
constexpr std::array instructions{
    Instruction{16, "avx512bw", llvm::Intrinsic::x86_avx512_pmaddw_d_512},
    Instruction{8, "avx2", llvm::Intrinsic::x86_avx2_pmadd_wd},
    Instruction{4, "sse2", llvm::Intrinsic::x86_sse2_pmadd_wd}};

// By what every target has: a half is the int32 moved to its upper end, and back with its sign.
Value* in_halves(IRBuilderBase& b, Value* left, Value* right) {
  const auto product = [&](bool is_first) {
    const auto half = [&](Value* pair) {
      return b.CreateAShr(is_first ? b.CreateShl(pair, 16) : pair, 16);
    };
    return b.CreateMul(half(left), half(right));
  };
  return b.CreateAdd(product(true), product(false));
}

}  // namespace

Value* emit_dot_pairs(IRBuilderBase& b, Value* left, Value* right) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(left->getType());
  const unsigned lanes = vector ? vector->getNumElements() : 1;
  const auto* instruction = std::ranges::find_if(instructions, [&](const Instruction& each) {
    return lanes % each.lanes == 0 && host_target().has(each.feature) &&
           (each.lanes <= 8 || host_target().wide_vectors);
  });
  if (instruction == instructions.end()) return in_halves(b, left, right);
  auto* words = llvm::FixedVectorType::get(b.getInt32Ty(), instruction->lanes);
  auto* halves = llvm::FixedVectorType::get(b.getInt16Ty(), 2 * instruction->lanes);
  const auto dot = [&](Value* l, Value* r) {
    return b.CreateIntrinsic(instruction->intrinsic, {},
                             {b.CreateBitCast(l, halves), b.CreateBitCast(r, halves)});
  };
  if (lanes == instruction->lanes) return dot(left, right);
  Value* sums = llvm::PoisonValue::get(left->getType());
  for (unsigned lane = 0; lane < lanes; lane += instruction->lanes) {
    Value* const first = b.getInt64(lane);
    sums = b.CreateInsertVector(
        left->getType(), sums,
        dot(b.CreateExtractVector(words, left, first), b.CreateExtractVector(words, right, first)),
        first);
  }
  return sums;
}

}  // namespace loopglass::codegen
