// What can be seen of a kernel's way from the lowered loop nest to machine code: LLVM IR after each
// pass that changed it, and assembly. Needs no compiled kernel: the way is gone for the listings
// alone.
#pragma once

#include "core/codegen/kernel.h"
#include "core/codegen/llvm_remarks.h"
#include "core/loop/text.h"
#include "core/support/cancellation.h"

#include <memory>
#include <string>
#include <vector>

namespace loopglass::codegen {

// A line of LLVM IR or assembly and the line of the lowered loop nest's listing it came from
// (1-based; 0: no mapping).
struct SourceLine {
  std::string text;
  int loop_line = 0;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};
using SourceLines = std::vector<SourceLine>;

class KernelListings {
 public:
  virtual ~KernelListings() = default;
  virtual const loop::Listing& loops() const = 0;  // what loop_line refers to
  virtual const SourceLines& assembly() const = 0;
  virtual const LlvmRemarks& remarks() const = 0;
  // "emitted", then each LLVM pass that changed the module's text, then "optimised".
  virtual const std::vector<std::string>& llvm_steps() const = 0;
  // Passes of code generation that changed the text, behind those: the first still work on LLVM IR,
  // instruction selection and what follows on machine instructions.
  virtual const std::vector<std::string>& machine_steps() const = 0;
  // The module after a step. The last is at hand; for another, LLVM runs again as far as it, and
  // the steps around it, as many as are not too long, are at hand from then on. Thread-safe.
  // Cancelled.
  virtual Result<std::shared_ptr<const SourceLines>> llvm(
      std::size_t step, const Cancellation& cancellation = {}) const = 0;
  // The same of a step of code generation.
  virtual Result<std::shared_ptr<const SourceLines>> machine(
      std::size_t step, const Cancellation& cancellation = {}) const = 0;
  // Null: it is not.
  virtual std::shared_ptr<const SourceLines> llvm_at_hand(std::size_t step) const = 0;
  virtual std::shared_ptr<const SourceLines> machine_at_hand(std::size_t step) const = 0;
};

struct ListingLimits {
  std::size_t instructions = 40'000;  // of all LLVM steps at hand, about; a second's printing
};

// `lowered` has no blocks. Thread-safe. What compile() refuses, and Cancelled.
Result<std::shared_ptr<const KernelListings>> list(const loop::Func& lowered,
                                                   const CompileOptions& options = {},
                                                   const Cancellation& cancellation = {},
                                                   const ListingLimits& limits = {});

}  // namespace loopglass::codegen
