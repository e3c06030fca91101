// From a lowered Func to machine code, and what can be shown of the way.
#pragma once

#include "core/loop/text.h"
#include "core/schedule/in_place.h"
#include "core/schedule/machine.h"
#include "core/support/result.h"

#include <functional>
#include <memory>

namespace loopglass::codegen {

// A line of LLVM IR or assembly and the line of the lowered loop nest's listing it came from
// (1-based; 0: no mapping).
struct SourceLine {
  std::string text;
  int loop_line = 0;
};

struct LlvmStep {
  std::string pass;  // "emitted", then one per LLVM pass that changed the module, or "optimised"
  std::vector<SourceLine> lines;
};

// Runs body(begin, end) over disjoint chunks of [0, count), possibly on several threads; returns
// when all are done. Passed to kernels so that generated code needs no symbol of ours.
struct ParallelRuntime {
  void* context;
  void (*run)(void* context, std::int64_t count, void (*body)(void* closure, std::int64_t begin, std::int64_t end),
              void* closure);
};

// One pointer per Func parameter, in order, aligned to 64 bytes, none overlapping one that is
// written, except that the two of an in-place pair it was compiled for may be the same; symbols;
// scratch of `workspace_bytes`, aligned to 64.
using EntryPoint = void (*)(void* const* buffers, const std::int64_t* symbols, void* workspace,
                            const ParallelRuntime* parallel);

class CompiledKernel {
 public:
  virtual ~CompiledKernel() = default;
  virtual EntryPoint entry() const = 0;
  virtual std::int64_t workspace_bytes() const = 0;
  // Listings are made on demand (and cached): most kernels are never looked at.
  virtual const std::vector<LlvmStep>& llvm() const = 0;
  virtual const std::vector<SourceLine>& assembly() const = 0;
  virtual const loop::Listing& loop_listing() const = 0;  // what loop_line refers to
};

struct CompileOptions {
  int optimisation_level = 3;
  std::vector<schedule::InPlace> in_place = {};  // parameters that may be given one memory
};

// `lowered` has no blocks. Thread-safe; different kernels may be compiled at the same time.
Result<std::shared_ptr<const CompiledKernel>> compile(const loop::Func& lowered, const CompileOptions& options = {});

// Equal for the same options and Funcs that differ at most in names and origins.
std::uint64_t code_hash(const loop::Func& lowered, const CompileOptions& options = {});
// A kernel with `compiled`'s machine code and the listings of `lowered`, which has the same code_hash under
// the same options.
Result<std::shared_ptr<const CompiledKernel>> share_code(const CompiledKernel& compiled, const loop::Func& lowered);

// The host as LLVM sees it: "znver5, avx512f ...".
std::string host_description();

}  // namespace loopglass::codegen
