// Statements.
#include "core/codegen/emitter.h"

#include "core/codegen/operators.h"
#include "core/support/check.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

#include <bit>

namespace loopglass::codegen {

Emitter::Emitter(KernelContext& kernel, llvm::Function& function)
    : kernel_(kernel),
      function_(function),
      builder_(std::make_shared<llvm::IRBuilder<>>(&function.getEntryBlock())),
      b_(*builder_),
      known_(1) {
  llvm::FastMathFlags flags;
  flags.setAllowContract();
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
  std::visit([&](const auto& value) { emit(value); }, stmt->value);
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
  for (std::size_t chunk = 0; chunk < lanes_->chunks.size(); ++chunk) {
    enter_chunk(chunk);
    store_lanes(access, value(assignment.value));
  }
  enter_chunk(0);
}

void Emitter::emit(const loop::Alloc& alloc) {
  const Storage& storage = kernel_.plan.storage.at(alloc.buffer.name);
  Value* base;
  if (storage.home == Home::Stack) {
    base = stack_slot(storage);
  } else {
    base = workspace_.at(alloc.buffer.name);
    if (!storage.owner.empty()) {
      Value* offset = b_.CreateMul(variables_.at(storage.owner),
                                   b_.getInt64(static_cast<std::uint64_t>(storage.copy_bytes)));
      base = b_.CreateGEP(b_.getInt8Ty(), base, offset, alloc.buffer.name);
    }
  }
  buffers_[alloc.buffer.name] = base;
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
  if (condition->getType()->isVectorTy()) return emit_masked(branch);
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

void Emitter::emit_masked(const loop::If& branch) {
  std::vector<Chunk> outer = lanes_->chunks, otherwise = outer;
  for (std::size_t chunk = 0; chunk < outer.size(); ++chunk) {
    enter_chunk(chunk);
    Value* condition = vector(value(branch.condition));
    auto restricted = [&](Value* lanes) {
      return outer[chunk].mask ? b_.CreateAnd(outer[chunk].mask, lanes) : lanes;
    };
    if (branch.else_body) otherwise[chunk].mask = restricted(b_.CreateNot(condition));
    mask() = restricted(condition);
  }
  enter_chunk(0);
  statement(branch.then_body);
  if (branch.else_body) {
    lanes_->chunks = std::move(otherwise);
    statement(branch.else_body);
  }
  lanes_->chunks = std::move(outer);
}

void Emitter::emit(const loop::For& loop) {
  std::optional<std::int64_t> extent = expr::as_integer(loop.extent);
  if (extent && *extent <= 0) return;
  range_of(loop);
  switch (kernel_.plan.kinds.at(&loop)) {
    case loop::ForKind::Vectorized: return emit_vectorized(loop);
    case loop::ForKind::Unrolled: return emit_unrolled(loop, *extent);
    case loop::ForKind::Parallel: return emit_parallel(loop);
    case loop::ForKind::Serial: return serial_loop(loop, b_.getInt64(0), scalar(loop.extent));
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
  if (first && last && last->getSExtValue() - first->getSExtValue() == 1) {
    variables_[loop.variable] = begin;
    return statement(loop.body);
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
  b_.CreateCondBr(b_.CreateICmpSLT(next, end), body, after);
  b_.SetInsertPoint(after);
}

void Emitter::emit_unrolled(const loop::For& loop, std::int64_t extent) {
  for (std::int64_t i = 0; i < extent; ++i) {
    variables_[loop.variable] = b_.getInt64(static_cast<std::uint64_t>(i));
    ranges_[loop.variable] = {i, i};
    statement(loop.body);
  }
}

void Emitter::emit_vectorized(const loop::For& loop) {
  lanes_ = Lanes{loop.variable, chunks_of(static_cast<int>(*expr::as_integer(loop.extent)))};
  enter_chunk(0);
  statement(loop.body);
  lanes_.reset();
}

std::vector<Emitter::Chunk> Emitter::chunks_of(int lanes) {
  if (std::has_single_bit(static_cast<unsigned>(lanes))) return {{0, lanes, false, nullptr}};
  constexpr int width = 16;
  std::vector<Chunk> chunks;
  int start = 0;
  for (; start + width <= lanes; start += width) chunks.push_back({start, width, false, nullptr});
  int rest = lanes - start;
  if (rest == 0) return chunks;
  int last = static_cast<int>(std::bit_ceil(static_cast<unsigned>(rest)));
  std::vector<llvm::Constant*> runs;
  for (int lane = 0; lane < last; ++lane) runs.push_back(b_.getInt1(lane < rest));
  chunks.push_back(
      {start, last, last > rest, last > rest ? llvm::ConstantVector::get(runs) : nullptr});
  return chunks;
}

void Emitter::enter_chunk(std::size_t index) {
  lanes_->current = index;
  known_.assign(1, {});
  Value* first = b_.getInt64(static_cast<std::uint64_t>(lanes_->chunks[index].start));
  variables_[lanes_->variable] = b_.CreateAdd(vector(first), lane_indices(64));
}

}  // namespace loopglass::codegen
