#include "core/codegen/kernel_listings.h"

#include "core/codegen/pipeline.h"
#include "core/codegen/source_lines.h"
#include "core/codegen/workbench.h"
#include "core/support/check.h"

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

class Listings : public KernelListings {
 public:
  Listings(loop::Func func, Plan plan, int optimisation_level, const ListingLimits& limits)
      : func_(std::move(func)),
        plan_(std::move(plan)),
        level_(optimisation_level),
        limits_(limits) {
    loops_ = loop::print(func_, &line_map_);
  }

  Result<void> make(const Cancellation& cancellation) {
    const auto bench = TRY(Workbench::with(func_, plan_, level_, &line_map_));
    const std::size_t emitted = instruction_count(bench->module());
    const Recording recording =
        optimise_recorded(bench->module(), bench->machine(), level_, cancellation);
    if (cancellation.requested()) return cancelled();
    add({"emitted", 0});
    for (const PassRun& run : recording.runs) add(run);
    steps_.push_back("optimised");
    step_length_ = std::max(emitted, instruction_count(bench->module()));
    optimised_ = std::make_shared<const SourceLines>(list_module(bench->module()));
    assembly_ = list_assembly(generate_assembly(bench->module(), bench->machine()));
    return {};
  }

  const loop::Listing& loops() const override { return loops_; }
  const SourceLines& assembly() const override { return assembly_; }
  const std::vector<std::string>& llvm_steps() const override { return steps_; }

  Result<LinesPtr> llvm(std::size_t step, const Cancellation& cancellation) const override {
    if (LinesPtr made = llvm_at_hand(step)) return made;
    std::map<std::size_t, LinesPtr> made = TRY(made_again(around(step), cancellation));
    LinesPtr wanted = made.at(step);
    std::lock_guard lock(mutex_);
    at_hand_ = std::move(made);
    return wanted;
  }

  LinesPtr llvm_at_hand(std::size_t step) const override {
    CHECK(step < steps_.size(), "no such step");
    // The last pass leaves the module optimised.
    if (step + 2 >= steps_.size()) return optimised_;
    std::lock_guard lock(mutex_);
    const auto known = at_hand_.find(step);
    return known == at_hand_.end() ? nullptr : known->second;
  }

 private:
  // A pass that runs several times in a row (once per loop, say) makes one step.
  void add(const PassRun& run) {
    if (!steps_.empty() && steps_.back() == run.pass) {
      steps_.pop_back();
      moments_.pop_back();
    }
    steps_.push_back(run.pass);
    moments_.push_back(run.moment);
  }

  // The step, the one before it (whoever looks wants to know what changed), and as many around as
  // there is room for.
  std::vector<std::size_t> around(std::size_t step) const {
    const std::size_t room = limits_.instructions / std::max<std::size_t>(1, step_length_);
    const std::size_t first = step - std::min(step, std::max<std::size_t>(1, room / 2));
    const std::size_t end = std::min(moments_.size(), std::max(step + 1, first + room));
    std::vector<std::size_t> chosen(end - first);
    std::iota(chosen.begin(), chosen.end(), first);
    return chosen;
  }

  Result<std::map<std::size_t, LinesPtr>> made_again(const std::vector<std::size_t>& steps,
                                                     const Cancellation& cancellation) const {
    const auto bench = TRY(Workbench::with(func_, plan_, level_, &line_map_));
    std::map<std::size_t, LinesPtr> made;
    std::vector<std::size_t> moments;
    for (const std::size_t step : steps) moments.push_back(moments_[step]);
    auto next = steps.begin();
    const auto look = [&](std::size_t moment, const std::string& pass) {
      CHECK(moment == 0 || pass == steps_[*next], "LLVM took another way than before");
      made[*next++] = std::make_shared<const SourceLines>(list_module(bench->module()));
    };
    optimise_until(bench->module(), bench->machine(), level_, moments, look, cancellation);
    if (cancellation.requested()) return cancelled();
    CHECK(next == steps.end(), "LLVM ran fewer passes than before");
    return made;
  }

  loop::Func func_;
  Plan plan_;
  int level_;
  ListingLimits limits_;
  loop::Listing loops_;
  LineMap line_map_;
  std::vector<std::string> steps_;
  std::vector<std::size_t> moments_;  // of the steps, but for the last
  std::size_t step_length_ = 0;       // in instructions, about
  LinesPtr optimised_;
  SourceLines assembly_;
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, LinesPtr> at_hand_;
};

}  // namespace

Result<std::shared_ptr<const KernelListings>> list(const loop::Func& lowered,
                                                   const CompileOptions& options,
                                                   const Cancellation& cancellation,
                                                   const ListingLimits& limits) {
  auto listings = std::make_shared<Listings>(lowered, TRY(make_plan(lowered, options.in_place)),
                                             options.optimisation_level, limits);
  TRY_VOID(listings->make(cancellation));
  return listings;
}

}  // namespace loopglass::codegen
