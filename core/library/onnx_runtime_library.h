// ONNX Runtime as a library of kernels: each computation is a small model of its own, whose tensors
// lie in rows, as those of models do. It has no layouts that are handed in: what it brings into
// blocks inside, and back, is in its times.
#pragma once

#include "core/library/library.h"
#include "core/library/onnx_runtime.h"

namespace loopglass::library {

class OnnxRuntimeLibrary : public Library {
 public:
  explicit OnnxRuntimeLibrary(OnnxRuntime& runtime) : runtime_(runtime) {}

  std::string name() const override { return "ONNX Runtime"; }
  std::string version() const override { return runtime_.version(); }
  std::string instruction_set() const override { return "all that the processor has"; }
  std::string threading_runtime() const override { return "threads of its own"; }
  // It cannot be held to fewer.
  Result<void> hold_to(std::string_view level) override;
  int set_threads(int threads) override { return threads_ = threads; }
  Result<std::unique_ptr<Primitive>> prepare(const Computation& computation, Layouts layouts,
                                             const Arguments& constants) override;

 private:
  OnnxRuntime& runtime_;
  int threads_ = 1;
};

}  // namespace loopglass::library
