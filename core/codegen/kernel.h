// From a lowered Func to machine code.
#pragma once

#include "core/codegen/workspace_size.h"
#include "core/dependence/in_place.h"
#include "core/loop/func.h"
#include "core/support/result.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::codegen {

// Runs body(begin, end) over disjoint chunks of [0, count), possibly on several threads; returns
// when all are done. Passed to kernels so that generated code needs no symbol of ours.
struct ParallelRuntime {
  void* context;
  void (*run)(void* context, std::int64_t count,
              void (*body)(void* closure, std::int64_t begin, std::int64_t end), void* closure);
};

// One pointer per Func parameter, in order, aligned to 64 bytes, none overlapping one that is
// written, except that the two of an in-place pair it was compiled for may be the same; symbols;
// scratch of workspace() bytes for these symbols, aligned to 64.
using EntryPoint = void (*)(void* const* buffers, const std::int64_t* symbols, void* workspace,
                            const ParallelRuntime* parallel);

class CompiledKernel {
 public:
  virtual ~CompiledKernel() = default;
  virtual EntryPoint entry() const = 0;
  virtual const WorkspaceSize& workspace() const = 0;
};

// Which of LLVM's passes over its IR run. Those that it calls required always do: without them no
// code could be generated (llvm_passes.h).
struct LlvmPasses {
  std::vector<std::string> without = {};  // as listings name them: "slp-vectorizer"
  std::optional<std::size_t> runs = {};   // the others end after so many runs of passes
  friend bool operator==(const LlvmPasses&, const LlvmPasses&) = default;
};

struct CompileOptions {
  int optimisation_level = 3;
  std::vector<schedule::InPlace> in_place = {};  // parameters that may be given one memory
  LlvmPasses llvm_passes = {};
};

// Object code (object_code.h), made and loaded at once. `lowered` has no blocks. Thread-safe;
// different kernels may be compiled at the same time.
Result<std::shared_ptr<const CompiledKernel>> compile(const loop::Func& lowered,
                                                      const CompileOptions& options = {});

// The host as LLVM sees it: "znver5, avx512f ...".
std::string host_description();

}  // namespace loopglass::codegen
