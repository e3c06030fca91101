#include "core/pass/runner.h"

#include "core/graph/text.h"
#include "core/loop/text.h"
#include "core/support/check.h"
#include "core/support/suggestion.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>

namespace loopglass::pass {

namespace {

// What the runner needs to know of an IR; one overload per kind.
bool same(const graph::Graph& a, const graph::Graph& b) {
  return a.nodes() == b.nodes() && a.outputs() == b.outputs() && a.inputs() == b.inputs();
}
bool same(const loop::Func& a, const loop::Func& b) {
  return (a.body == b.body && a.annotations == b.annotations) ||
         loop::to_text(a) == loop::to_text(b);
}
// What a pass did not touch was verified before it.
Result<void> verify_step(const graph::Graph& after, const graph::Graph& before) {
  return verify(after, before);
}
Result<void> verify_step(const loop::Func& after, const loop::Func&) { return verify(after); }
std::string text(const graph::Graph& graph) { return graph::to_text(graph); }
std::string text(const loop::Func& func) { return loop::to_text(func); }
constexpr Code broken(const graph::Graph*) { return Code::PassBrokeGraph; }
constexpr Code broken(const loop::Func*) { return Code::PassBrokeFunc; }

// A large graph's text would bury the message it belongs to.
std::string first_lines(const std::string& text, int limit) {
  std::size_t end = 0;
  for (int line = 0; line < limit && end != std::string::npos; ++line)
    end = text.find('\n', end + (line > 0));
  return end == std::string::npos ? text : text.substr(0, end) + "\n...";
}

template <class IR>
std::unexpected<Diagnostic> culprit(const PassInfo& info, const IR& before,
                                    const std::string& why) {
  return fail(broken(static_cast<const IR*>(nullptr)),
              fmt::format("pass '{}' failed: {}", info.name, why),
              fmt::format("pass '{}'", info.name),
              "this is a defect in the pass; switch it off to go on. Before it:\n" +
                  first_lines(text(before), 200));
}

template <class IR>
Result<Step<IR>> apply_pass(const Pass<IR>& pass, const std::shared_ptr<const IR>& before,
                            std::size_t rewrites, const RunOptions& options) {
  Report report(options.settings, options.cancellation, rewrites);
  const auto start = std::chrono::steady_clock::now();
  Step<IR> step;
  step.pass = pass.info;
  try {
    auto after = pass.run(*before, report);
    if (!after) return std::unexpected(std::move(after).error());
    step.duration = std::chrono::steady_clock::now() - start;
    step.changed = !same(*before, *after);
    step.result = step.changed ? std::make_shared<const IR>(*std::move(after)) : before;
  } catch (const InternalError& error) {
    return culprit(pass.info, *before, error.what());
  }
  if (step.changed)
    if (auto verified = verify_step(*step.result, *before); !verified)
      return culprit(pass.info, *before, verified.error().what);
  step.rewrites = std::move(report.rewrites);
  step.remarks = std::move(report.remarks);
  return step;
}

// Walks a pipeline over a table of passes and records what happens.
template <class IR>
class Run {
 public:
  Run(std::shared_ptr<const IR> input, std::span<const Pass<IR>> table, const Pipeline& pipeline,
      const RunOptions& options)
      : table_(table), pipeline_(pipeline), options_(options) {
    Step<IR> first;
    first.pass = {"input", "what the pipeline starts from", ""};
    first.result = std::move(input);
    history_.steps.push_back(std::move(first));
  }

  Result<History<IR>> operator()() {
    TRY_VOID(stop_at_once());
    for (entry_ = 0; entry_ < pipeline_.entries.size() && !stopped_; ++entry_) {
      const PipelineEntry& entry = pipeline_.entries[entry_];
      if (entry.fixed_point) TRY_VOID(to_fixed_point(entry));
      else TRY_VOID(apply(entry.passes.front(), 1));
    }
    if (options_.stop_after && !stopped_) TRY_VOID(stop_at_end());
    return std::move(history_);
  }

 private:
  // Before the first pass, where that is asked for.
  Result<void> stop_at_once() {
    const auto& stop = options_.stop_after;
    const std::string& input = history_.steps.front().pass.name;
    stopped_ = stop && (stop->pass.empty() ? stop->occurrence == 0
                                           : stop->pass == input && stop->occurrence == 1);
    if (!stopped_ || stop->rewrites == Report::all || stop->rewrites == 0) return {};
    return made_fewer(input, 0);
  }

  // All have run, and the place was none of them.
  Result<void> stop_at_end() const {
    const StopAfter& stop = *options_.stop_after;
    if (stop == StopAfter{"last"}) return {};
    const std::string last = fmt::format("the last is {} ({})", history_.steps.size() - 1,
                                         history_.steps.back().pass.name);
    if (stop.pass == "last")
      return fail(Code::UsageInvalid, "which step is the last is known when all have been made",
                  to_text(stop), last);
    if (stop.pass.empty())
      return fail(Code::UsageInvalid,
                  fmt::format("the pipeline has no step {} to stop after", stop.occurrence),
                  to_text(stop), last);
    std::vector<std::string> names;
    for (const Step<IR>& step : history_.steps) names.push_back(step.pass.name);
    const auto ran = std::ranges::count(names, stop.pass);
    return fail(Code::UsageInvalid,
                fmt::format("the pipeline never came to stop after '{}': '{}' ran {} times",
                            to_text(stop), stop.pass, ran),
                {}, ran > 0 ? last : did_you_mean(stop.pass, names, last));
  }

  std::unexpected<Diagnostic> made_fewer(const std::string& name, std::size_t made) const {
    return fail(Code::UsageInvalid,
                fmt::format("'{}' cannot stop after {} rewrites: it made {}", name,
                            options_.stop_after->rewrites, made),
                to_text(*options_.stop_after));
  }

  // Whether this application is the one that is asked for.
  bool stops_at(const std::string& name, std::size_t occurrence) const {
    const auto& stop = options_.stop_after;
    if (!stop) return false;
    return stop->pass.empty() ? stop->occurrence == history_.steps.size()
                              : stop->pass == name && stop->occurrence == occurrence;
  }

  Result<void> to_fixed_point(const PipelineEntry& entry) {
    for (int round = 1; round <= max_rounds; ++round) {
      bool changed = false;
      for (const std::string& pass : entry.passes) {
        TRY_VOID(apply(pass, round));
        if (stopped_) return {};
        changed = changed || history_.steps.back().changed;
      }
      if (!changed) return {};
    }
    history_.steps.back().remarks.push_back(
        {RemarkKind::Missed,
         "FIXED_POINT_NOT_REACHED",
         {},
         {{"rounds", max_rounds}},
         fmt::format("The group still changed something after {} rounds, and was left.",
                     max_rounds)});
    return {};
  }

  Result<void> apply(const std::string& name, int round) {
    const auto pass = std::find_if(table_.begin(), table_.end(), [&](const Pass<IR>& candidate) {
      return candidate.info.name == name;
    });
    if (pass == table_.end())
      return fail(Code::PassUnknown, fmt::format("there is no pass '{}'", name));
    if (options_.cancellation.requested())
      return fail(Code::Cancelled, fmt::format("cancelled before pass '{}'", name));
    if (options_.progress)
      options_.progress(
          name, static_cast<double>(entry_) / static_cast<double>(pipeline_.entries.size()));
    std::size_t limit = Report::all;
    const std::size_t occurrence = ++applications_[name];
    if (stops_at(name, occurrence)) {
      limit = options_.stop_after->rewrites;
      stopped_ = true;
    }
    auto step = TRY(apply_pass(*pass, history_.steps.back().result, limit, options_));
    if (limit != Report::all && step.rewrites.size() < limit)
      return made_fewer(name, step.rewrites.size());
    step.entry = entry_;
    step.round = round;
    history_.steps.push_back(std::move(step));
    return {};
  }

  std::span<const Pass<IR>> table_;
  const Pipeline& pipeline_;
  const RunOptions& options_;
  History<IR> history_;
  std::map<std::string, std::size_t> applications_;
  std::size_t entry_ = 0;
  bool stopped_ = false;
};

template <class IR>
Pipeline in_order(std::span<const Pass<IR>> passes) {
  Pipeline pipeline;
  for (const Pass<IR>& pass : passes) pipeline.entries.push_back({{pass.info.name}, false});
  return pipeline;
}

}  // namespace

Result<GraphHistory> run(std::shared_ptr<const graph::Graph> input,
                         std::span<const GraphPass> table, const Pipeline& pipeline,
                         const RunOptions& options) {
  return Run<graph::Graph>(std::move(input), table, pipeline, options)();
}

Result<GraphHistory> run(std::shared_ptr<const graph::Graph> input,
                         std::span<const GraphPass> passes, const RunOptions& options) {
  return run(std::move(input), passes, in_order(passes), options);
}

Result<FuncHistory> run(std::shared_ptr<const loop::Func> input, std::span<const FuncPass> passes,
                        const RunOptions& options) {
  return Run<loop::Func>(std::move(input), passes, in_order(passes), options)();
}

Result<Step<graph::Graph>> apply(const GraphPass& pass, std::shared_ptr<const graph::Graph> before,
                                 std::size_t rewrites, const RunOptions& options) {
  return apply_pass(pass, before, rewrites, options);
}

Words runner_words() {
  return {{Word::Kind::Remark, "FIXED_POINT_NOT_REACHED",
           "A group of passes still changed something after as many rounds as are allowed, and was "
           "left."}};
}

}  // namespace loopglass::pass
