// What the document keeps of the current kernel: the states of its loop nest and its machine code.
#pragma once

#include "core/codegen/kernel_listings.h"
#include "core/session.h"

#include <deque>
#include <mutex>

namespace loopglass::views {

// One state of a kernel's loop nest: 0 is the nest before scheduling, then one per schedule
// primitive, then one per loop pass. The last is what LLVM is given.
struct LoopStep {
  enum class Kind : std::uint8_t { Initial, Schedule, Lowering };
  Kind kind;
  std::string title;   // "fuse(n, k)" as in the script, or the pass's name
  std::string detail;  // remark or the pass's doc; may be empty
  bool changed = true;
};

// Stages 5 to 7. A step is printed when somebody looks at it: a long kernel has hundreds of steps,
// each as long as the kernel.
class Kernel {
 public:
  explicit Kernel(std::shared_ptr<const KernelStages> stages);

  const std::shared_ptr<const KernelStages> stages;
  const std::vector<LoopStep> loops;  // never empty

  std::shared_ptr<const loop::Listing> listing(std::size_t step) const;  // thread-safe
  int listings_printed() const;                                          // so far

 private:
  const loop::Func& func_at(std::size_t step) const;

  mutable std::mutex mutex_;
  // Those that were looked at last; whoever steps on compares with the step before.
  mutable std::deque<std::pair<std::size_t, std::shared_ptr<const loop::Listing>>> kept_;
  mutable int printed_ = 0;
};

// Stages 8 and 9. The steps of LLVM's are one sequence here: those of its IR, then those of code
// generation.
struct MachineCode {
  std::shared_ptr<const codegen::KernelListings> listings;  // never null

  std::size_t step_count() const {
    return listings->llvm_steps().size() + listings->machine_steps().size();
  }
  std::size_t optimised_step() const { return listings->llvm_steps().size() - 1; }
  const std::string& step(std::size_t number) const;
  // As KernelListings has them.
  Result<std::shared_ptr<const codegen::SourceLines>> lines(std::size_t step,
                                                            const Cancellation& cancellation) const;
  std::shared_ptr<const codegen::SourceLines> lines_at_hand(std::size_t step) const;

  const codegen::SourceLines& assembly() const { return listings->assembly(); }
};

}  // namespace loopglass::views
