// Parallel loops. The body becomes a function of its own over a range of iterations; what it uses
// from around it is passed as arguments, so that the optimiser knows the buffers distinct, in-place
// pairs left out. A trampoline of the type ParallelRuntime calls unpacks them from a closure on the
// caller's stack. Without a runtime the body is called directly, over all iterations.
#include "core/codegen/emitter.h"

#include "core/expr/rewrite.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace loopglass::codegen {
namespace {

// Names used anywhere at or below a statement.
struct Uses {
  std::set<std::string> variables, buffers;

  void in(const Expr& e) {
    if (!e.defined()) return;
    expr::visit(e, [&](const Expr& node) {
      if (const auto* variable = node.as<expr::Variable>()) variables.insert(variable->name);
      if (const auto* load = node.as<expr::Load>()) buffers.insert(load->buffer);
    });
  }
  void in(const loop::Stmt& stmt) {
    if (stmt) std::visit([&](const auto& value) { of(value); }, stmt->value);
  }
  void of(const loop::For& loop) {
    in(loop.extent);
    in(loop.body);
  }
  void of(const loop::Block& block) { in(block.body); }
  void of(const loop::Store& store) {
    buffers.insert(store.buffer);
    for (const Expr& index : store.indices) in(index);
    in(store.value);
  }
  void of(const loop::If& branch) {
    in(branch.condition);
    in(branch.then_body);
    in(branch.else_body);
  }
  void of(const loop::Alloc& alloc) {
    buffers.insert(alloc.buffer.name);
    for (const Expr& extent : alloc.buffer.shape) in(extent);
    in(alloc.body);
  }
  void of(const loop::Seq& seq) {
    for (const loop::Stmt& inner : seq.statements) in(inner);
  }
};

}  // namespace

struct Emitter::Captures {
  struct Capture {
    enum Kind { Variable, Buffer, Workspace } kind;
    std::string name;
    Value* value;
    bool may_overlap = false;  // another capture may be the same memory
  };
  std::vector<Capture> passed;
  std::vector<Capture> constant;  // known here, so known in the body
};

Emitter::Captures Emitter::captures_of(const loop::For& loop) {
  Uses uses;
  uses.in(loop.body);
  Captures captures;
  auto capture = [&](Captures::Capture::Kind kind, const std::string& name,
                     const std::unordered_map<std::string, Value*>& bound) {
    auto found = bound.find(name);
    if (found == bound.end()) return;
    auto& list = llvm::isa<llvm::Constant>(found->second) ? captures.constant : captures.passed;
    const bool may_overlap =
        kind == Captures::Capture::Buffer && kernel_.plan.storage.at(name).may_overlap;
    list.push_back({kind, name, found->second, may_overlap});
  };
  // Flat indices also use the extents of the buffers they point into.
  for (const std::string& name : uses.buffers)
    for (const Expr& stride : kernel_.plan.storage.at(name).strides) uses.in(stride);
  for (const std::string& name : uses.variables)
    capture(Captures::Capture::Variable, name, variables_);
  for (const std::string& name : uses.buffers) {
    const Storage& storage = kernel_.plan.storage.at(name);
    // Copies, one for every iteration, are told apart inside.
    bool own_copies = storage.home == Home::Workspace && storage.owner == loop.variable;
    if (own_copies) capture(Captures::Capture::Workspace, name, workspace_);
    else capture(Captures::Capture::Buffer, name, buffers_);
  }
  return captures;
}

llvm::Function* Emitter::outline(const loop::For& loop, const Captures& captures) {
  std::vector<llvm::Type*> types = {b_.getInt64Ty(), b_.getInt64Ty()};
  for (const auto& capture : captures.passed) types.push_back(capture.value->getType());
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
  std::string name = kernel_.name + ".parallel_" + loop.variable;
  auto* function =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, name, kernel_.module);
  begin_function(kernel_, *function, static_cast<int>(b_.getCurrentDebugLocation().getLine()));
  function->addFnAttr(llvm::Attribute::NoInline);
  function->getArg(0)->setName("begin");
  function->getArg(1)->setName("end");

  Emitter body(kernel_, *function);
  body.ranges_ = ranges_;
  auto bind = [&](const Captures::Capture& capture, Value* value) {
    if (capture.kind == Captures::Capture::Variable) body.variables_[capture.name] = value;
    else if (capture.kind == Captures::Capture::Buffer) body.buffers_[capture.name] = value;
    else body.workspace_[capture.name] = value;
  };
  for (const auto& capture : captures.constant) bind(capture, capture.value);
  unsigned position = 2;
  for (const auto& capture : captures.passed) {
    llvm::Argument* argument = function->getArg(position++);
    argument->setName(capture.name);
    if (argument->getType()->isPointerTy() && !capture.may_overlap)
      argument->addAttr(llvm::Attribute::NoAlias);
    if (argument->getType()->isPointerTy())
      argument->addAttr(
          llvm::Attribute::getWithAlignment(b_.getContext(), llvm::Align(Tensor::alignment)));
    bind(capture, argument);
  }
  body.serial_loop(loop, function->getArg(0), function->getArg(1));
  body.finish();
  return function;
}

llvm::Function* Emitter::make_trampoline(llvm::Function* body, llvm::Type* closure_type,
                                         const Captures& captures) {
  llvm::Type* pointer = b_.getPtrTy();
  auto* type =
      llvm::FunctionType::get(b_.getVoidTy(), {pointer, b_.getInt64Ty(), b_.getInt64Ty()}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                          body->getName() + ".run", kernel_.module);
  begin_function(kernel_, *function, static_cast<int>(b_.getCurrentDebugLocation().getLine()));
  llvm::IRBuilder<> at(&function->getEntryBlock());
  at.SetCurrentDebugLocation(llvm::DILocation::get(
      at.getContext(), b_.getCurrentDebugLocation().getLine(), 0, function->getSubprogram()));
  function->getArg(0)->setName("closure");
  std::vector<Value*> arguments = {function->getArg(1), function->getArg(2)};
  for (unsigned i = 0; i < captures.passed.size(); ++i) {
    Value* field = at.CreateStructGEP(closure_type, function->getArg(0), i);
    arguments.push_back(
        at.CreateLoad(captures.passed[i].value->getType(), field, captures.passed[i].name));
  }
  at.CreateCall(body, arguments);
  at.CreateRetVoid();
  return function;
}

void Emitter::emit_parallel(const loop::For& loop) {
  Value* count = scalar(loop.extent);
  auto* known_count = llvm::dyn_cast<llvm::ConstantInt>(count);
  if (!runtime_ || (known_count && known_count->isOne()))
    return serial_loop(loop, b_.getInt64(0), count);
  Captures captures = captures_of(loop);
  llvm::Function* body = outline(loop, captures);
  std::vector<llvm::Type*> fields;
  for (const auto& capture : captures.passed) fields.push_back(capture.value->getType());
  llvm::StructType* closure_type = llvm::StructType::get(b_.getContext(), fields);
  llvm::Function* trampoline = make_trampoline(body, closure_type, captures);

  llvm::BasicBlock* alone = new_block("alone");
  llvm::BasicBlock* together = new_block("together");
  llvm::BasicBlock* after = new_block("joined");
  b_.CreateCondBr(b_.CreateIsNull(runtime_), alone, together);

  b_.SetInsertPoint(alone);
  std::vector<Value*> arguments = {b_.getInt64(0), count};
  for (const auto& capture : captures.passed) arguments.push_back(capture.value);
  b_.CreateCall(body, arguments);
  b_.CreateBr(after);

  llvm::BasicBlock& entry = function_.getEntryBlock();
  Value* closure =
      llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(closure_type, nullptr, "closure");
  b_.SetInsertPoint(together);
  for (unsigned i = 0; i < captures.passed.size(); ++i)
    b_.CreateStore(captures.passed[i].value, b_.CreateStructGEP(closure_type, closure, i));
  // struct ParallelRuntime { void* context; void (*run)(context, count, body, closure); }
  llvm::Type* pointer = b_.getPtrTy();
  llvm::StructType* runtime_type = llvm::StructType::get(b_.getContext(), {pointer, pointer});
  Value* context = b_.CreateLoad(pointer, b_.CreateStructGEP(runtime_type, runtime_, 0), "context");
  Value* run = b_.CreateLoad(pointer, b_.CreateStructGEP(runtime_type, runtime_, 1), "run");
  auto* run_type =
      llvm::FunctionType::get(b_.getVoidTy(), {pointer, b_.getInt64Ty(), pointer, pointer}, false);
  b_.CreateCall(run_type, run, {context, count, trampoline, closure});
  b_.CreateBr(after);
  b_.SetInsertPoint(after);
}

}  // namespace loopglass::codegen
