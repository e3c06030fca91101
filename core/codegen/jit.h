// Loading object code into this process.
#pragma once

#include "core/codegen/kernel.h"

#include <memory>
#include <string>

namespace llvm {
class MemoryBuffer;
}

namespace loopglass::codegen {

// Keeps the code in memory for as long as it lives.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  virtual EntryPoint entry() const = 0;
};

Result<std::unique_ptr<LoadedCode>> load(std::unique_ptr<llvm::MemoryBuffer> object);

}  // namespace loopglass::codegen
