// Parallel loops. The body becomes a function of its own over a range of iterations; what it uses
// from around it is passed as arguments, so that the optimiser knows the buffers distinct, in-place
// pairs left out. A trampoline of the type ParallelRuntime calls unpacks them from a closure on the
// caller's stack. Without a runtime the body is called directly, over all iterations.
#include "core/codegen/emitter.h"

#include "core/expr/rewrite.h"
#include "core/loop/walk.h"

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
    expr::visit(e, [&](const Expr& node) {
      if (const auto* variable = node.as<expr::Variable>()) variables.insert(variable->name);
      if (const auto* load = node.as<expr::Load>()) buffers.insert(load->buffer);
    });
  }
  void in(const loop::Stmt& root) {
    loop::walk(root, [&](const loop::Stmt& stmt) {
      if (const auto* store = loop::as<loop::Store>(stmt)) buffers.insert(store->buffer);
      if (const auto* alloc = loop::as<loop::Alloc>(stmt)) buffers.insert(alloc->buffer.name);
      if (const auto* hint = loop::as<loop::Prefetch>(stmt)) buffers.insert(hint->buffer);
      loop::each_expr(stmt, [&](const Expr& e) { in(e); });
    });
  }
};

}  // namespace

struct Emitter::Captures {
  struct Capture {
    enum Kind { Variable, Buffer } kind;
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
  for (const std::string& name : uses.buffers) capture(Captures::Capture::Buffer, name, buffers_);
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
    auto& bound = capture.kind == Captures::Capture::Variable ? body.variables_ : body.buffers_;
    bound[capture.name] = value;
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
