#include "core/codegen/emit.h"

#include "core/codegen/emitter.h"
#include "core/codegen/operators.h"
#include "core/codegen/target.h"
#include "core/expr/rewrite.h"
#include "core/loop/annotations.h"
#include "core/loop/uses.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>

#include <set>

namespace loopglass::codegen {
namespace {

// The kernel proper: every buffer an argument of its own.
//   void name(parameters..., workspace buffers..., symbols..., parallel runtime)
struct Signature {
  std::vector<const Storage*> parameters, workspace;
  std::vector<std::string> symbols;
};

Signature signature_of(const loop::Func& func, const Plan& plan) {
  Signature signature;
  for (const loop::Buffer& parameter : func.parameters)
    signature.parameters.push_back(&plan.storage.at(parameter.name));
  for (const auto& [name, storage] : plan.storage)
    if (storage.home == Home::Workspace) signature.workspace.push_back(&storage);
  signature.symbols = func.symbols;
  return signature;
}

void describe_buffer(llvm::Argument& argument, const Storage& storage) {
  llvm::LLVMContext& context = argument.getContext();
  argument.setName(storage.buffer.name);
  if (!storage.may_overlap) argument.addAttr(llvm::Attribute::NoAlias);
  argument.addAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(Tensor::alignment)));
  bool read_only = storage.home == Home::Parameter && storage.buffer.role != loop::Role::Output &&
                   storage.buffer.role != loop::Role::Intermediate;
  if (read_only) argument.addAttr(llvm::Attribute::ReadOnly);
  if (storage.home == Home::Parameter && storage.elements > 0)
    argument.addAttr(llvm::Attribute::getWithDereferenceableBytes(
        context, static_cast<std::uint64_t>(storage.bytes())));
}

// Statements in a row, and the buffers they touch: what one LLVM function computes.
struct Part {
  std::vector<loop::Stmt> statements;
  std::set<std::string> buffers;
};

// The statements of a Func, parted where one is annotated as the first of a function.
class Parting {
 public:
  explicit Parting(const Plan& plan) : plan_(plan), parts_(1) {}

  void add(const loop::Stmt& stmt) {
    if (const auto* seq = loop::as<loop::Seq>(stmt)) {
      for (const loop::Stmt& inner : seq->statements) add(inner);
      return;
    }
    // A buffer in the workspace is there for all parts; one on the stack belongs to its function.
    const auto* alloc = loop::as<loop::Alloc>(stmt);
    if (alloc && plan_.storage.at(alloc->buffer.name).home == Home::Workspace)
      return add(alloc->body);
    if (loop::find_annotation(stmt->annotations, loop::function_annotation) &&
        !parts_.back().statements.empty())
      parts_.emplace_back();
    Part& last = parts_.back();
    last.statements.push_back(stmt);
    loop::each_access(stmt, [&](const std::string& buffer) { last.buffers.insert(buffer); });
  }

  std::vector<Part> take() && { return std::move(parts_); }

 private:
  const Plan& plan_;
  std::vector<Part> parts_;
};

Signature restricted(Signature signature, const std::set<std::string>& buffers) {
  const auto unused = [&](const Storage* storage) {
    return !buffers.contains(storage->buffer.name);
  };
  std::erase_if(signature.parameters, unused);
  std::erase_if(signature.workspace, unused);
  return signature;
}

llvm::Function* emit_body(KernelContext& kernel, const std::vector<loop::Stmt>& statements,
                          const Signature& signature) {
  llvm::LLVMContext& context = kernel.module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  std::vector<llvm::Type*> types(signature.parameters.size() + signature.workspace.size(), pointer);
  types.insert(types.end(), signature.symbols.size(), llvm::Type::getInt64Ty(context));
  types.push_back(pointer);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  // The dot keeps a kernel called "tanh" apart from the C library's function.
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                          kernel.name + ".body", kernel.module);
  begin_function(kernel, *function, 1);
  // Inlined into the entry, its arguments would no longer be known distinct.
  function->addFnAttr(llvm::Attribute::NoInline);

  Emitter emitter(kernel, *function);
  llvm::Argument* argument = function->arg_begin();
  for (const Storage* storage : signature.parameters) {
    describe_buffer(*argument, *storage);
    emitter.bind_buffer(storage->buffer.name, argument++);
  }
  for (const Storage* storage : signature.workspace) {
    describe_buffer(*argument, *storage);
    // Of several functions, only one has the allocation of a buffer that they share.
    emitter.bind_buffer(storage->buffer.name, argument);
    emitter.bind_workspace(storage->buffer.name, argument++);
  }
  for (const std::string& symbol : signature.symbols) {
    argument->setName(symbol);
    emitter.bind_variable(symbol, argument++);
  }
  argument->setName("parallel");
  emitter.bind_runtime(argument);
  for (const loop::Stmt& stmt : statements) emitter.statement(stmt);
  emitter.finish();
  return function;
}

struct Body {
  Signature signature;
  llvm::Function* function;
};

// void kernel(void* const* buffers, const int64_t* symbols, void* workspace, const
// ParallelRuntime*)
void emit_entry(KernelContext& kernel, const std::vector<Body>& bodies) {
  llvm::LLVMContext& context = kernel.module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {pointer, pointer, pointer, pointer}, false);
  auto* function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, entry_symbol, kernel.module);
  begin_function(kernel, *function, 1);
  const char* names[] = {"buffers", "symbols", "workspace", "parallel"};
  for (unsigned i = 0; i < 4; ++i) function->getArg(i)->setName(names[i]);
  llvm::IRBuilder<> b(&function->getEntryBlock());
  b.SetCurrentDebugLocation(llvm::DILocation::get(context, 1, 0, function->getSubprogram()));
  Emitter emitter(kernel, *function);
  std::vector<llvm::Value*> symbols;
  if (!bodies.empty())
    for (const std::string& symbol : bodies.front().signature.symbols) {
      llvm::Value* place =
          b.CreateConstGEP1_64(b.getInt64Ty(), function->getArg(1), symbols.size());
      symbols.push_back(b.CreateLoad(b.getInt64Ty(), place, symbol));
      emitter.bind_variable(symbol, symbols.back());
    }
  for (const auto& [signature, body] : bodies) {
    std::vector<llvm::Value*> arguments;
    for (const Storage* storage : signature.parameters) {
      llvm::Value* place = b.CreateConstGEP1_64(pointer, function->getArg(0), storage->parameter);
      arguments.push_back(b.CreateLoad(pointer, place, storage->buffer.name));
    }
    for (const Storage* storage : signature.workspace)
      arguments.push_back(b.CreateGEP(b.getInt8Ty(), function->getArg(2),
                                      emitter.number(storage->offset), storage->buffer.name));
    arguments.insert(arguments.end(), symbols.begin(), symbols.end());
    arguments.push_back(function->getArg(3));
    b.CreateCall(body, arguments);
  }
  b.CreateRetVoid();
}

}  // namespace

void begin_function(KernelContext& kernel, llvm::Function& function, int line) {
  set_target_attributes(function);
  auto* type = kernel.debug.createSubroutineType(kernel.debug.getOrCreateTypeArray({}));
  auto at = static_cast<unsigned>(line);
  auto flags = llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized |
               llvm::DISubprogram::SPFlagLocalToUnit;
  function.setSubprogram(kernel.debug.createFunction(kernel.file, function.getName(), {},
                                                     kernel.file, at, type, at,
                                                     llvm::DINode::FlagZero, flags));
  llvm::BasicBlock::Create(function.getContext(), "entry", &function);
}

void emit(llvm::Module& module, const loop::Func& func, const Plan& plan, const LineMap& lines,
          bool line_tables) {
  llvm::DIBuilder debug(module);
  llvm::DIFile* file = debug.createFile(func.name + ".loop", ".");
  using Kind = llvm::DICompileUnit::DebugEmissionKind;
  debug.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "loopglass", true, "", 0, "",
                          line_tables ? Kind::LineTablesOnly : Kind::NoDebug);
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  const bool contracts = loop::find_annotation(func.annotations, loop::contract_annotation);
  KernelContext kernel{module, plan, lines, debug, file, func.name, contracts};
  const Signature signature = signature_of(func, plan);
  Parting parting(plan);
  if (func.body) parting.add(func.body);
  std::vector<Part> parts = std::move(parting).take();
  std::vector<Body> bodies;
  for (const Part& part : parts) {
    Signature own = parts.size() > 1 ? restricted(signature, part.buffers) : signature;
    llvm::Function* function = emit_body(
        kernel, parts.size() > 1 || !func.body ? part.statements : std::vector{func.body}, own);
    bodies.push_back({std::move(own), function});
  }
  emit_entry(kernel, bodies);
  debug.finalize();
}

}  // namespace loopglass::codegen
