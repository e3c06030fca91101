#include "core/debug/llvm_bisect.h"

#include "core/loop/text.h"
#include "core/support/statistics.h"
#include "core/tune/measurer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace loopglass::debug {
namespace {

// Few turns tell which interval has most of a change.
constexpr int turns_of_the_search = 3;

class PipelineSearch {
 public:
  PipelineSearch(const tune::Task& task, const kernel::Lowered& kernel,
                 std::vector<codegen::PassRun> steps, measure::WorkerPool& workers,
                 const LlvmBisectOptions& options)
      : kernel_(kernel), workers_(workers), options_(options) {
    report_.steps = std::move(steps);
    const tune::Tolerance tolerance = tune::tolerance_of(task.nest);
    request_.nest = measure::signature(kernel.lowered());
    request_.machine = task.machine;
    request_.symbols = task.symbols;
    request_.threads = task.threads;
    request_.seed = options.seed;
    request_.reference =
        measure::Reference{loop::to_text(task.nest), "", tolerance.absolute, tolerance.relative};
  }

  Result<LlvmBisectReport> run() {
    std::vector<Interval> intervals;
    const std::size_t last = report_.steps.size() - 1;
    if (options_.thorough)
      for (std::size_t step = 0; step < last; ++step)
        intervals.push_back(TRY(measured(step, step + 1)));
    else if (last > 0) intervals.push_back(TRY(measured(0, last)));
    while (!intervals.empty()) {
      const auto largest = std::ranges::max_element(intervals, {}, &Interval::change);
      const Interval parted = *largest;
      if (parted.change == 0) break;
      if (parted.to == parted.from + 1) {
        report_.step = parted.to;
        tell(parted.from, parted.to);
        report_.times = TRY(compare(parted.from, parted.to, options_.turns));
        break;
      }
      const std::size_t middle = std::midpoint(parted.from, parted.to);
      *largest = TRY(measured(parted.from, middle));
      intervals.push_back(TRY(measured(middle, parted.to)));
    }
    for (const auto& [step, milliseconds] : times_)
      report_.milliseconds.emplace_back(step, median(milliseconds));
    return std::move(report_);
  }

 private:
  struct Interval {
    std::size_t from, to;
    double change;  // of the times, as a logarithm without its sign; 0: the code is the same
  };

  void tell(std::size_t from, std::size_t to) const {
    if (!options_.progress) return;
    options_.progress(
        fmt::format("timing LLVM's passes {} to {} of {}", from, to, report_.steps.size() - 1),
        options_.thorough ? static_cast<double>(from) / static_cast<double>(report_.steps.size())
                          : -1.0);
  }

  Result<Interval> measured(std::size_t from, std::size_t to) {
    tell(from, to);
    const runtime::TimesInTurns times = TRY(compare(from, to, turns_of_the_search));
    return Interval{from, to, std::abs(std::log(times.ratio))};
  }

  Result<runtime::TimesInTurns> compare(std::size_t before, std::size_t after, int turns) {
    if (TRY(code(before))->bytes == TRY(code(after))->bytes) return runtime::TimesInTurns{};
    std::vector<double> first, second;
    for (int turn = 0; turn < turns; ++turn) {
      // Whoever comes second may find the machine warmer.
      const bool turned = turn % 2 != 0;
      double early = TRY(time(turned ? after : before)), late = TRY(time(turned ? before : after));
      if (turned) std::swap(early, late);
      first.push_back(early);
      second.push_back(late);
    }
    return runtime::times_in_turns(first, second);
  }

  Result<const codegen::ObjectCode*> code(std::size_t step) {
    if (const auto known = codes_.find(step); known != codes_.end()) return &known->second;
    codegen::CompileOptions options = kernel_.compile_options();
    options.llvm_passes.runs = report_.steps[step].moment;
    return &codes_.emplace(step, TRY(codegen::generate(kernel_.lowered(), options))).first->second;
  }

  Result<double> time(std::size_t step) {
    request_.code = *TRY(code(step));
    auto answer = workers_.ask(request_, options_.cancellation);
    if (!answer) {
      Diagnostic problem = std::move(answer.error().diagnostic);
      problem.where =
          fmt::format("{}{}LLVM IR {}: {}", problem.where, problem.where.empty() ? "" : ", ", step,
                      report_.steps[step].pass);
      return std::unexpected(std::move(problem));
    }
    times_[step].push_back(answer->time.median_ms);
    return answer->time.median_ms;
  }

  const kernel::Lowered& kernel_;
  measure::WorkerPool& workers_;
  const LlvmBisectOptions& options_;
  measure::Request request_;
  std::map<std::size_t, codegen::ObjectCode> codes_;
  std::map<std::size_t, std::vector<double>> times_;
  LlvmBisectReport report_;
};

}  // namespace

Result<LlvmBisectReport> bisect_llvm(const tune::Task& task, const kernel::Lowered& kernel,
                                     measure::WorkerPool& workers,
                                     const LlvmBisectOptions& options) {
  auto steps = TRY(codegen::llvm_steps(kernel.lowered(), kernel.compile_options()));
  return PipelineSearch(task, kernel, std::move(steps), workers, options).run();
}

}  // namespace loopglass::debug
