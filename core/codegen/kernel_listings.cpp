#include "core/codegen/kernel_listings.h"

#include "core/codegen/machine_passes.h"
#include "core/codegen/pipeline.h"
#include "core/codegen/source_lines.h"
#include "core/codegen/workbench.h"
#include "core/support/check.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

namespace loopglass::codegen {
namespace {

using LinesPtr = std::shared_ptr<const SourceLines>;

std::unexpected<Diagnostic> cancelled() {
  return fail(Code::Cancelled, "listing the machine code was cancelled");
}

// The states that LLVM's passes lead to, of which a few are at hand.
class Steps {
 public:
  void add(const std::vector<PassRun>& runs) {
    for (const PassRun& run : steps_of(runs)) {
      names.push_back(run.pass);
      moments.push_back(run.moment);
    }
  }

  // The step, the one before it (whoever looks wants to know what changed), and as many around as
  // there is room for, if each is of `length`.
  std::vector<std::size_t> around(std::size_t step, std::size_t room, std::size_t length) const {
    room /= std::max<std::size_t>(1, length);
    const std::size_t first = step - std::min(step, std::max<std::size_t>(1, room / 2));
    const std::size_t end = std::min(moments.size(), std::max(step + 1, first + room));
    std::vector<std::size_t> chosen(end - first);
    std::iota(chosen.begin(), chosen.end(), first);
    return chosen;
  }
  std::vector<std::size_t> moments_of(const std::vector<std::size_t>& steps) const {
    std::vector<std::size_t> chosen;
    for (const std::size_t step : steps) chosen.push_back(moments[step]);
    return chosen;
  }

  LinesPtr at_hand(std::size_t step) const {
    std::lock_guard lock(mutex_);
    const auto known = at_hand_.find(step);
    return known == at_hand_.end() ? nullptr : known->second;
  }
  // In the place of what is; the step's own is the answer.
  LinesPtr keep(std::map<std::size_t, LinesPtr> made, std::size_t step) const {
    LinesPtr wanted = made.at(step);
    std::lock_guard lock(mutex_);
    at_hand_ = std::move(made);
    return wanted;
  }

  std::vector<std::string> names;
  std::vector<std::size_t> moments;  // of the steps that a pass led to

 private:
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, LinesPtr> at_hand_;
};

class Listings : public KernelListings {
 public:
  Listings(loop::Func func, Plan plan, const CompileOptions& options, const ListingLimits& limits)
      : func_(std::move(func)), plan_(std::move(plan)), options_(options), limits_(limits) {
    loops_ = loop::print(func_, &line_map_);
  }

  Result<void> make(const Cancellation& cancellation) {
    const auto bench = TRY(emitted());
    llvm::Module& module = bench->module();
    RemarkCollector collector(module.getContext());
    const std::size_t emitted = instruction_count(module);
    const Recording recording = optimise_recorded(*bench, options_, cancellation);
    if (cancellation.requested()) return cancelled();
    llvm_.add({{"emitted", 0}});
    llvm_.add(recording.runs);
    llvm_.names.push_back("optimised");
    step_length_ = std::max(emitted, instruction_count(module));
    optimised_ = std::make_shared<const SourceLines>(list_module(module));
    const Generation generation = generate_recorded(module, bench->machine(), cancellation);
    if (cancellation.requested()) return cancelled();
    machine_.add(generation.passes);
    assembly_ = list_assembly(generation.assembly);
    remarks_ = std::move(collector).take();
    return {};
  }

  const loop::Listing& loops() const override { return loops_; }
  const SourceLines& assembly() const override { return assembly_; }
  const LlvmRemarks& remarks() const override { return remarks_; }
  const std::vector<std::string>& llvm_steps() const override { return llvm_.names; }
  const std::vector<std::string>& machine_steps() const override { return machine_.names; }

  Result<LinesPtr> llvm(std::size_t step, const Cancellation& cancellation) const override {
    if (LinesPtr made = llvm_at_hand(step)) return made;
    return llvm_.keep(TRY(llvm_again(room_around(llvm_, step), cancellation)), step);
  }
  Result<LinesPtr> machine(std::size_t step, const Cancellation& cancellation) const override {
    if (LinesPtr made = machine_at_hand(step)) return made;
    return machine_.keep(TRY(machine_again(room_around(machine_, step), cancellation)), step);
  }

  LinesPtr llvm_at_hand(std::size_t step) const override {
    CHECK(step < llvm_.names.size(), "no such step");
    // The last pass leaves the module optimised.
    return step + 2 >= llvm_.names.size() ? optimised_ : llvm_.at_hand(step);
  }
  LinesPtr machine_at_hand(std::size_t step) const override {
    CHECK(step < machine_.names.size(), "no such step");
    return machine_.at_hand(step);
  }

 private:
  Result<std::unique_ptr<Workbench>> emitted() const {
    return Workbench::with(func_, plan_, options_.optimisation_level, &line_map_);
  }

  std::vector<std::size_t> room_around(const Steps& steps, std::size_t step) const {
    return steps.around(step, limits_.instructions, step_length_);
  }

  Result<std::map<std::size_t, LinesPtr>> llvm_again(const std::vector<std::size_t>& steps,
                                                     const Cancellation& cancellation) const {
    const auto bench = TRY(emitted());
    std::map<std::size_t, LinesPtr> made;
    auto next = steps.begin();
    const auto look = [&](std::size_t moment, const std::string& pass) {
      CHECK(moment == 0 || pass == llvm_.names[*next], "LLVM took another way than before");
      made[*next++] = std::make_shared<const SourceLines>(list_module(bench->module()));
    };
    optimise_until(*bench, options_, llvm_.moments_of(steps), look, cancellation);
    if (cancellation.requested()) return cancelled();
    CHECK(next == steps.end(), "LLVM ran fewer passes than before");
    return made;
  }

  Result<std::map<std::size_t, LinesPtr>> machine_again(const std::vector<std::size_t>& steps,
                                                        const Cancellation& cancellation) const {
    const auto bench = TRY(emitted());
    // Recorded since that can be cancelled.
    optimise_recorded(*bench, options_, cancellation);
    if (cancellation.requested()) return cancelled();
    auto listed = list_generation(bench->module(), bench->machine(), machine_.moments_of(steps),
                                  cancellation);
    if (cancellation.requested()) return cancelled();
    CHECK(listed.size() == steps.size(), "LLVM ran fewer passes than before");
    std::map<std::size_t, LinesPtr> made;
    for (const std::size_t step : steps)
      made[step] =
          std::make_shared<const SourceLines>(std::move(listed.at(machine_.moments[step])));
    return made;
  }

  loop::Func func_;
  Plan plan_;
  CompileOptions options_;
  ListingLimits limits_;
  loop::Listing loops_;
  LineMap line_map_;
  Steps llvm_, machine_;
  std::size_t step_length_ = 0;  // in instructions, about
  LinesPtr optimised_;
  SourceLines assembly_;
  LlvmRemarks remarks_;
};

}  // namespace

Result<std::shared_ptr<const KernelListings>> list(const loop::Func& lowered,
                                                   const CompileOptions& options,
                                                   const Cancellation& cancellation,
                                                   const ListingLimits& limits) {
  auto listings = std::make_shared<Listings>(lowered, TRY(make_plan(lowered, options.in_place)),
                                             options, limits);
  TRY_VOID(listings->make(cancellation));
  return listings;
}

}  // namespace loopglass::codegen
