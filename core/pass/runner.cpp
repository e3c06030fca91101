#include "core/pass/runner.h"

#include "core/graph/text.h"
#include "core/loop/text.h"
#include "core/support/check.h"

#include <fmt/format.h>

namespace loopglass::pass {

namespace {

// What the runner needs to know of an IR; one overload per kind.
bool same(const graph::Graph& a, const graph::Graph& b) {
  return a.nodes() == b.nodes() && a.outputs() == b.outputs() && a.inputs() == b.inputs();
}
bool same(const loop::Func& a, const loop::Func& b) {
  return a.body == b.body || loop::to_text(a) == loop::to_text(b);
}
std::string text(const graph::Graph& graph) { return graph::to_text(graph); }
std::string text(const loop::Func& func) { return loop::to_text(func); }
constexpr Code broken(const graph::Graph*) { return Code::PassBrokeGraph; }
constexpr Code broken(const loop::Func*) { return Code::PassBrokeFunc; }

// A large graph's text would bury the message it belongs to.
std::string first_lines(const std::string& text, int limit) {
  std::size_t end = 0;
  for (int line = 0; line < limit && end != std::string::npos; ++line) end = text.find('\n', end + (line > 0));
  return end == std::string::npos ? text : text.substr(0, end) + "\n...";
}

template <class IR>
std::unexpected<Diagnostic> culprit(const PassInfo& info, const IR& before, const std::string& why) {
  return fail(broken(static_cast<const IR*>(nullptr)), fmt::format("pass '{}' failed: {}", info.name, why),
              fmt::format("pass '{}'", info.name),
              "this is a defect in the pass; switch it off to go on. Before it:\n" + first_lines(text(before), 200));
}

template <class IR>
Result<Step<IR>> apply(const Pass<IR>& pass, const std::shared_ptr<const IR>& before, const Cancellation& cancellation) {
  Report report;
  report.cancellation = cancellation;
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
    if (auto verified = verify(*step.result); !verified) return culprit(pass.info, *before, verified.error().what);
  step.rewrites = std::move(report.rewrites);
  step.remarks = std::move(report.remarks);
  return step;
}

template <class IR>
Result<History<IR>> run_pipeline(std::shared_ptr<const IR> input, std::span<const Pass<IR>> passes,
                                 const Progress& progress, const Cancellation& cancellation) {
  History<IR> history;
  Step<IR> first;
  first.pass = {"input", "what the pipeline starts from", ""};
  first.result = std::move(input);
  history.steps.push_back(std::move(first));
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (cancellation.requested()) return fail(Code::Cancelled, fmt::format("cancelled before pass '{}'", passes[i].info.name));
    if (progress) progress(passes[i].info.name, static_cast<double>(i) / static_cast<double>(passes.size()));
    history.steps.push_back(TRY(apply(passes[i], history.steps.back().result, cancellation)));
  }
  return history;
}

}  // namespace

Result<GraphHistory> run(std::shared_ptr<const graph::Graph> input, std::span<const GraphPass> passes,
                         const Progress& progress, const Cancellation& cancellation) {
  return run_pipeline(std::move(input), passes, progress, cancellation);
}

Result<FuncHistory> run(std::shared_ptr<const loop::Func> input, std::span<const FuncPass> passes,
                        const Progress& progress, const Cancellation& cancellation) {
  return run_pipeline(std::move(input), passes, progress, cancellation);
}

}  // namespace loopglass::pass
