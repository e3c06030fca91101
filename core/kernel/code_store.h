// Compiled kernels by what they were compiled from: in memory, and before that on disk.
#pragma once

#include "core/codegen/object_cache.h"
#include "core/kernel/stages.h"
#include "core/support/memo.h"

#include <atomic>

namespace loopglass::kernel {

class CodeStore {
 public:
  // How often code was really made, and how often it lay on disk. What is asked for again counts
  // for neither.
  struct Counts {
    int compiled = 0, from_cache = 0;
  };

  // `cache`: null: what this process compiled is forgotten with it.
  explicit CodeStore(std::shared_ptr<codegen::ObjectCache> cache = nullptr)
      : cache_(std::move(cache)) {}

  // Ready to be called. Thread-safe; whoever asks for the same meanwhile waits. CodegenUnsupported,
  // CodegenFailed.
  Result<std::shared_ptr<const codegen::CompiledKernel>> get(const Lowered& kernel);

  // Keeps the code of so many kernels, if that is more than it keeps anyway.
  void hold(std::size_t kernels) { loaded_.hold(kernels); }

  Counts counts() const { return {compiled_, from_cache_}; }

 private:
  Result<std::shared_ptr<const codegen::CompiledKernel>> derive(const Lowered& kernel,
                                                                const codegen::CodeKey& key);

  std::shared_ptr<codegen::ObjectCache> cache_;
  Memo<codegen::CompiledKernel> loaded_{1024};
  std::atomic<int> compiled_ = 0, from_cache_ = 0;
};

}  // namespace loopglass::kernel
