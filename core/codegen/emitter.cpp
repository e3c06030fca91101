// Statements.
#include "core/codegen/emitter.h"

#include "core/codegen/operators.h"
#include "core/loop/annotations.h"
#include "core/support/check.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>

#include <cstdlib>

namespace loopglass::codegen {

Emitter::Emitter(KernelContext& kernel, llvm::Function& function)
    : kernel_(kernel),
      function_(function),
      builder_(std::make_shared<llvm::IRBuilder<>>(&function.getEntryBlock())),
      b_(*builder_),
      known_(1) {
  llvm::FastMathFlags flags;
  flags.setAllowContract(kernel.contracts);
  b_.setFastMathFlags(flags);
  unsigned line = function.getSubprogram()->getLine();
  b_.SetCurrentDebugLocation(
      llvm::DILocation::get(b_.getContext(), line, 0, function.getSubprogram()));
}

void Emitter::bind_variable(const std::string& name, llvm::Value* value) {
  variables_[name] = value;
}
void Emitter::bind_buffer(const std::string& name, llvm::Value* base) { buffers_[name] = base; }
void Emitter::bind_workspace(const std::string& name, llvm::Value* base) {
  workspace_[name] = base;
}
void Emitter::finish() { b_.CreateRetVoid(); }

llvm::BasicBlock* Emitter::new_block(const std::string& name) {
  return llvm::BasicBlock::Create(b_.getContext(), name, &function_);
}

void Emitter::set_line(const loop::Stmt& stmt) {
  auto line = kernel_.lines.find(stmt.get());
  if (line == kernel_.lines.end()) return;
  b_.SetCurrentDebugLocation(llvm::DILocation::get(
      b_.getContext(), static_cast<unsigned>(line->second), 0, function_.getSubprogram()));
}

void Emitter::statement(const loop::Stmt& stmt) {
  llvm::DebugLoc outer = b_.getCurrentDebugLocation();
  set_line(stmt);
  known_.assign(1, {});  // a store may have changed what was loaded
  const auto call = kernel_.plan.intrinsics.find(stmt.get());
  const Restore noted(noted_, &stmt->annotations);
  if (call != kernel_.plan.intrinsics.end()) emit(call->second);
  else std::visit([&](const auto& value) { emit(value); }, stmt->value);
  b_.SetCurrentDebugLocation(outer);
}

void Emitter::emit(const loop::Seq& seq) {
  for (const loop::Stmt& inner : seq.statements) statement(inner);
}

void Emitter::emit(const loop::Block&) { CHECK(false, "a block in a lowered loop nest"); }

void Emitter::emit(const loop::Store& assignment) {
  Access access =
      kernel_.plan.access(assignment.buffer, assignment.indices, lanes_ ? lanes_->variable : "");
  if (access.lane_stride == 0) return store_shared(access, assignment.value);
  store_lanes(access, value(assignment.value));
}

// Into all caches, for reading. Of lanes, the first one's: the others are beside it.
void Emitter::emit(const loop::Prefetch& prefetch) {
  const Access access =
      kernel_.plan.access(prefetch.buffer, prefetch.indices, lanes_ ? lanes_->variable : "");
  constexpr std::uint32_t for_reading = 0, keep_in_all = 3, data = 1;
  Value* address = address_at_lane_zero(access);
  b_.CreateIntrinsic(
      llvm::Intrinsic::prefetch, {address->getType()},
      {address, b_.getInt32(for_reading), b_.getInt32(keep_in_all), b_.getInt32(data)});
}

void Emitter::emit(const loop::Alloc& alloc) {
  const Storage& storage = kernel_.plan.storage.at(alloc.buffer.name);
  buffers_[alloc.buffer.name] =
      storage.home == Home::Stack ? stack_slot(storage) : workspace_.at(alloc.buffer.name);
  statement(alloc.body);
}

// In the entry block and of vector-friendly alignment, so that SROA turns constant places into
// registers. An allocation inside an unrolled loop keeps one slot.
llvm::Value* Emitter::stack_slot(const Storage& storage) {
  Value*& slot = slots_[storage.buffer.name];
  if (slot) return slot;
  llvm::BasicBlock& entry = function_.getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.begin());
  llvm::Type* type = llvm::ArrayType::get(memory_type(b_.getContext(), storage.buffer.type),
                                          static_cast<std::uint64_t>(storage.elements));
  llvm::AllocaInst* memory = at_entry.CreateAlloca(type, nullptr, storage.buffer.name);
  memory->setAlignment(llvm::Align(Tensor::alignment));
  return slot = memory;
}

void Emitter::emit(const loop::If& branch) {
  Value* condition = value(branch.condition);
  if (condition->getType()->isVectorTy()) return emit_masked(branch, condition);
  llvm::BasicBlock* then_block = new_block("then");
  llvm::BasicBlock* else_block = branch.else_body ? new_block("else") : nullptr;
  llvm::BasicBlock* after = new_block("endif");
  b_.CreateCondBr(condition, then_block, else_block ? else_block : after);
  b_.SetInsertPoint(then_block);
  statement(branch.then_body);
  b_.CreateBr(after);
  if (else_block) {
    b_.SetInsertPoint(else_block);
    statement(branch.else_body);
    b_.CreateBr(after);
  }
  b_.SetInsertPoint(after);
}

void Emitter::emit_masked(const loop::If& branch, Value* condition) {
  Value* const outer = mask();
  const auto restricted = [&](Value* lanes) { return outer ? b_.CreateAnd(outer, lanes) : lanes; };
  Value* const otherwise = branch.else_body ? restricted(b_.CreateNot(condition)) : nullptr;
  mask() = restricted(condition);
  statement(branch.then_body);
  if (branch.else_body) {
    mask() = otherwise;
    statement(branch.else_body);
  }
  mask() = outer;
}

void Emitter::emit(const loop::For& loop) {
  std::optional<std::int64_t> extent = expr::as_integer(loop.extent);
  if (extent && *extent <= 0) return;
  range_of(loop);
  switch (loop.kind) {
    case loop::ForKind::Vectorized: return emit_vectorized(loop);
    case loop::ForKind::Unrolled: return emit_unrolled(loop, *extent);
    case loop::ForKind::Parallel: return emit_parallel(loop);
    case loop::ForKind::Serial: return serial_loop(loop, b_.getInt64(0), scalar(loop.extent));
    default: throw InternalError("the plan let an axis of a launch through");
  }
}

void Emitter::range_of(const loop::For& loop) {
  std::optional<expr::Interval> extent = expr::bounds(loop.extent, ranges_);
  if (extent && extent->max > 0) ranges_[loop.variable] = {0, extent->max - 1};
  else ranges_.erase(loop.variable);
}

void Emitter::serial_loop(const loop::For& loop, Value* begin, Value* end) {
  auto* first = llvm::dyn_cast<llvm::ConstantInt>(begin);
  auto* last = llvm::dyn_cast<llvm::ConstantInt>(end);
  // An extent that goes by an unrolled loop around it is a number here, and may be none.
  if (first && last) {
    const std::int64_t iterations = last->getSExtValue() - first->getSExtValue();
    if (iterations <= 0) return;
    if (iterations == 1) {
      variables_[loop.variable] = begin;
      return statement(loop.body);
    }
  }
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* body = new_block("for." + loop.variable);
  llvm::BasicBlock* after = new_block("end." + loop.variable);
  if (first && last) b_.CreateBr(body);
  else b_.CreateCondBr(b_.CreateICmpSLT(begin, end), body, after);
  b_.SetInsertPoint(body);
  llvm::PHINode* variable = b_.CreatePHI(b_.getInt64Ty(), 2, loop.variable);
  variable->addIncoming(begin, before);
  variables_[loop.variable] = variable;
  statement(loop.body);
  Value* next = b_.CreateAdd(variable, b_.getInt64(1), loop.variable + ".next", true, true);
  variable->addIncoming(next, b_.GetInsertBlock());
  note(*b_.CreateCondBr(b_.CreateICmpSLT(next, end), body, after));
  b_.SetInsertPoint(after);
}

void Emitter::note(llvm::Instruction& branch) const {
  const auto* count = noted_ ? loop::find_annotation(*noted_, loop::unroll_annotation) : nullptr;
  if (!count) return;
  llvm::LLVMContext& context = b_.getContext();
  const auto number = static_cast<std::uint32_t>(loop::unrolled_copies(count->value).value_or(1));
  llvm::Metadata* key = llvm::MDString::get(
      context, number > 1 ? "llvm.loop.unroll.count" : "llvm.loop.unroll.disable");
  std::vector<llvm::Metadata*> words{key};
  if (number > 1) words.push_back(llvm::ConstantAsMetadata::get(b_.getInt32(number)));
  llvm::MDNode* unrolling = llvm::MDNode::get(context, words);
  // A loop's node is its own first operand, which tells it from those of other loops.
  llvm::MDNode* node = llvm::MDNode::getDistinct(context, {nullptr, unrolling});
  node->replaceOperandWith(0, node);
  branch.setMetadata(llvm::LLVMContext::MD_loop, node);
}

void Emitter::emit_unrolled(const loop::For& loop, std::int64_t extent) {
  for (std::int64_t i = 0; i < extent; ++i) {
    variables_[loop.variable] = b_.getInt64(static_cast<std::uint64_t>(i));
    ranges_[loop.variable] = {i, i};
    statement(loop.body);
  }
}

void Emitter::emit_vectorized(const loop::For& loop) {
  lanes_ = Lanes{loop.variable, static_cast<int>(*expr::as_integer(loop.extent)), nullptr};
  variables_[loop.variable] = lane_indices(64);
  statement(loop.body);
  lanes_.reset();
}

}  // namespace loopglass::codegen
