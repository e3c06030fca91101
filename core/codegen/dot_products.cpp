#include "core/codegen/dot_products.h"

#include "core/codegen/target.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace loopglass::codegen {

namespace {

using llvm::IRBuilderBase;
using llvm::Value;

struct Instruction {
  unsigned lanes;
  std::string_view feature;
  llvm::Intrinsic::ID intrinsic;
};
// The widest first.
constexpr std::array of_pairs{Instruction{16, "avx512bw", llvm::Intrinsic::x86_avx512_pmaddw_d_512},
                              Instruction{8, "avx2", llvm::Intrinsic::x86_avx2_pmadd_wd},
                              Instruction{4, "sse2", llvm::Intrinsic::x86_sse2_pmadd_wd}};
// Each of them adds to its first operand.
constexpr std::array of_quads{
    Instruction{16, "avx512vnni", llvm::Intrinsic::x86_avx512_vpdpbusd_512},
    Instruction{8, "avx512vnni", llvm::Intrinsic::x86_avx512_vpdpbusd_256},
    Instruction{8, "avxvnni", llvm::Intrinsic::x86_avx512_vpdpbusd_256},
    Instruction{4, "avx512vnni", llvm::Intrinsic::x86_avx512_vpdpbusd_128},
    Instruction{4, "avxvnni", llvm::Intrinsic::x86_avx512_vpdpbusd_128}};

unsigned lanes_of(const Value* value) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector ? vector->getNumElements() : 1;
}

// Null where the target has none that divides the lanes.
const Instruction* instruction_for(unsigned lanes, std::span<const Instruction> instructions) {
  const auto found = std::ranges::find_if(instructions, [&](const Instruction& each) {
    return lanes % each.lanes == 0 && host_target().has(each.feature) &&
           (each.lanes <= 8 || host_target().wide_vectors);
  });
  return found == instructions.end() ? nullptr : &*found;
}

// dot(a part of each operand) of so many lanes at a time.
template <class Dot>
Value* in_parts(IRBuilderBase& b, const std::vector<Value*>& operands, unsigned lanes,
                const Dot& dot) {
  if (lanes_of(operands[0]) == lanes) return dot(operands);
  auto* const part = llvm::FixedVectorType::get(b.getInt32Ty(), lanes);
  Value* sums = llvm::PoisonValue::get(operands[0]->getType());
  for (unsigned lane = 0; lane < lanes_of(operands[0]); lane += lanes) {
    Value* const first = b.getInt64(lane);
    std::vector<Value*> parts;
    for (Value* operand : operands) parts.push_back(b.CreateExtractVector(part, operand, first));
    sums = b.CreateInsertVector(operands[0]->getType(), sums, dot(parts), first);
  }
  return sums;
}

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

// The first and third bytes as a pair of int16, and the second and fourth.
Value* in_two_pairs(IRBuilderBase& b, Value* left, Value* right) {
  const auto unsigned_bytes = [&](Value* quad) { return b.CreateAnd(quad, 0x00ff00ff); };
  const auto signed_bytes = [&](Value* quad) {
    Value* const low = b.CreateAShr(b.CreateShl(quad, 24), 24);
    Value* const high = b.CreateAShr(b.CreateShl(quad, 8), 24);
    return b.CreateOr(b.CreateAnd(low, 0xffff), b.CreateShl(high, 16));
  };
  const auto odd = [&](Value* quad) { return b.CreateLShr(quad, 8); };
  return b.CreateAdd(emit_dot_pairs(b, unsigned_bytes(left), signed_bytes(right)),
                     emit_dot_pairs(b, unsigned_bytes(odd(left)), signed_bytes(odd(right))));
}

}  // namespace

Value* emit_dot_pairs(IRBuilderBase& b, Value* left, Value* right) {
  const Instruction* const instruction = instruction_for(lanes_of(left), of_pairs);
  if (!instruction) return in_halves(b, left, right);
  auto* halves = llvm::FixedVectorType::get(b.getInt16Ty(), 2 * instruction->lanes);
  return in_parts(b, {left, right}, instruction->lanes, [&](const std::vector<Value*>& part) {
    return b.CreateIntrinsic(instruction->intrinsic, {},
                             {b.CreateBitCast(part[0], halves), b.CreateBitCast(part[1], halves)});
  });
}

Value* emit_dot_quads(IRBuilderBase& b, Value* left, Value* right, Value* sum) {
  const Instruction* const instruction = instruction_for(lanes_of(left), of_quads);
  if (!instruction) {
    Value* const dot = in_two_pairs(b, left, right);
    return sum ? b.CreateAdd(sum, dot) : dot;
  }
  if (!sum) sum = llvm::Constant::getNullValue(left->getType());
  return in_parts(b, {sum, left, right}, instruction->lanes, [&](const std::vector<Value*>& part) {
    return b.CreateIntrinsic(instruction->intrinsic, {}, part);
  });
}

}  // namespace loopglass::codegen
