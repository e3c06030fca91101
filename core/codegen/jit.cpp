// Loading object code into this process.
#include "core/codegen/emit.h"
#include "core/codegen/object_code.h"
#include "core/codegen/target.h"
#include "core/support/check.h"
#include "core/tensor/data_type.h"

#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>

#include <atomic>

namespace loopglass::codegen {
namespace {

// LLVM's name for the conversion that processors without float16 arithmetic lack; GCC 12 has it
// only as a hidden symbol.
Float16 truncate_double_to_half(double value) { return static_cast<Float16>(value); }

// Never destroyed: kernels may outlive every other static object.
llvm::orc::LLJIT& jit() {
  static llvm::orc::LLJIT* instance = [] {
    host_target();  // initialises LLVM's tables
    llvm::orc::LLJITBuilder builder;
    builder.setPlatformSetUp(llvm::orc::setUpInactivePlatform);
    auto created = llvm::cantFail(builder.create());
    llvm::orc::SymbolMap symbols;
    symbols[created->mangleAndIntern("__truncdfhf2")] = {
        llvm::orc::ExecutorAddr::fromPtr(&truncate_double_to_half), llvm::JITSymbolFlags::Exported};
    llvm::cantFail(
        created->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))));
    // The C library: memset, memcpy and mathematical functions.
    created->getMainJITDylib().addGenerator(
        llvm::cantFail(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
            created->getDataLayout().getGlobalPrefix())));
    return created.release();
  }();
  return *instance;
}

std::unexpected<Diagnostic> failure(llvm::Error error) {
  return fail(Code::CodegenFailed,
              "the machine code cannot be loaded: " + llvm::toString(std::move(error)));
}

class LoadedKernel : public CompiledKernel {
 public:
  LoadedKernel(llvm::orc::JITDylib& library, ObjectCode code)
      : library_(library), code_(std::move(code)) {}
  ~LoadedKernel() override {
    llvm::consumeError(jit().getExecutionSession().removeJITDylib(library_));
  }
  EntryPoint entry() const override { return entry_; }
  const WorkspaceSize& workspace() const override { return code_.workspace; }
  const ObjectCode& code() const { return code_; }
  void set_entry(EntryPoint entry) { entry_ = entry; }

 private:
  llvm::orc::JITDylib& library_;
  const ObjectCode code_;
  EntryPoint entry_ = nullptr;
};

}  // namespace

Result<std::shared_ptr<const CompiledKernel>> load(const ObjectCode& code) {
  static std::atomic<std::uint64_t> count = 0;
  auto dylib = jit().createJITDylib("kernel" + std::to_string(count++));
  if (!dylib) return failure(dylib.takeError());
  auto kernel = std::make_shared<LoadedKernel>(*dylib, code);
  dylib->addToLinkOrder(jit().getMainJITDylib());
  // The kernel keeps them longer than the linker looks at them.
  auto bytes = llvm::MemoryBuffer::getMemBuffer(kernel->code().bytes, "kernel", false);
  if (llvm::Error error = jit().addObjectFile(*dylib, std::move(bytes)))
    return failure(std::move(error));
  auto entry = jit().lookup(*dylib, entry_symbol);
  if (!entry) return failure(entry.takeError());
  kernel->set_entry(entry->toPtr<EntryPoint>());
  return kernel;
}

const ObjectCode& code_of(const CompiledKernel& kernel) {
  const auto* loaded = dynamic_cast<const LoadedKernel*>(&kernel);
  CHECK(loaded, "a kernel of another kind has no object code");
  return loaded->code();
}

}  // namespace loopglass::codegen
