#include "core/codegen/masked_loads.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <vector>

namespace loopglass::codegen {

namespace {

bool is_zero(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast_or_null<llvm::Constant>(value);
  return constant && constant->isNullValue();
}

// A vector, some lanes of which stay where they are; the others are zeros.
struct Zeroed {
  llvm::Value* of;
  llvm::Constant* lanes;  // that stay
};

// As a select, or, which instcombine prefers, a shuffle with a vector of zeros.
std::optional<Zeroed> zeroed(llvm::Instruction& instruction) {
  if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    auto* lanes = llvm::dyn_cast<llvm::Constant>(select->getCondition());
    if (!lanes || !lanes->getType()->isVectorTy() || !is_zero(select->getFalseValue()))
      return std::nullopt;
    return Zeroed{select->getTrueValue(), lanes};
  }
  auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
  const auto* others = shuffle ? llvm::dyn_cast<llvm::Constant>(shuffle->getOperand(1)) : nullptr;
  if (!others || shuffle->changesLength()) return std::nullopt;
  const llvm::ArrayRef<int> places = shuffle->getShuffleMask();
  const int count = static_cast<int>(places.size());
  std::vector<llvm::Constant*> lanes;
  for (int lane = 0; lane < count; ++lane) {
    const int place = places[static_cast<std::size_t>(lane)];
    const bool stays = place == lane;
    if (!stays && (place < count ||
                   !is_zero(others->getAggregateElement(static_cast<unsigned>(place - count)))))
      return std::nullopt;
    lanes.push_back(llvm::ConstantInt::getBool(instruction.getContext(), stays));
  }
  return Zeroed{shuffle->getOperand(0), llvm::ConstantVector::get(lanes)};
}

// Null: it cannot be loaded in some lanes alone, or need not be.
llvm::LoadInst* maskable(llvm::Value* value, const llvm::TargetTransformInfo& target) {
  constexpr std::uint64_t widest = 512;  // narrower ones are blended
  auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  const bool is_wanted = load && load->isSimple() && load->hasOneUse() &&
                         load->getType()->getPrimitiveSizeInBits() == widest &&
                         target.isLegalMaskedLoad(load->getType(), load->getAlign());
  return is_wanted ? load : nullptr;
}

}  // namespace

bool mask_loads(llvm::Function& function, const llvm::TargetTransformInfo& target) {
  bool changed = false;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    const auto found = zeroed(instruction);
    llvm::LoadInst* load = found ? maskable(found->of, target) : nullptr;
    if (!load) continue;
    llvm::IRBuilder<> builder(load);
    llvm::CallInst* masked =
        builder.CreateMaskedLoad(load->getType(), load->getPointerOperand(), load->getAlign(),
                                 found->lanes, llvm::Constant::getNullValue(load->getType()));
    masked->copyMetadata(*load);
    masked->takeName(load);
    instruction.replaceAllUsesWith(masked);
    instruction.eraseFromParent();
    load->eraseFromParent();
    changed = true;
  }
  return changed;
}

}  // namespace loopglass::codegen
