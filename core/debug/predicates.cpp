// What a bisection can ask of a position.
#include "core/debug/bisect.h"
#include "core/debug/subgraph.h"
#include "core/runtime/moved_inputs.h"
#include "core/runtime/timing_words.h"
#include "core/support/readable_time.h"

#include <fmt/format.h>

namespace loopglass::debug {

namespace {

using GraphPtr = std::shared_ptr<const graph::Graph>;

// The output that differs most, in a sentence.
Verdict verdict_on(const graph::Graph& graph, const std::vector<Tensor>& expected,
                   const std::vector<Tensor>& actual, const Tolerance& tolerance) {
  Verdict verdict{false, {}, "the results are the same to the bit"};
  std::int64_t outside = 0, different = 0;
  std::pair<bool, double> worst{false, 0};  // of an output: beyond the tolerance, by how much
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Difference found = difference(expected[i], actual[i], tolerance);
    const std::string& name = graph.value(graph.outputs()[i]).name;
    if (!found.comparable) {
      const std::string types =
          fmt::format("output '{}' is {} instead of {}", name, to_string(actual[i].type()),
                      to_string(expected[i].type()));
      return {true, {}, types};
    }
    outside += found.outside;
    different += found.bitwise_different;
    verdict.bad = verdict.bad || found.diverges;
    const std::pair severity(found.diverges, found.relative_error);
    if (found.bitwise_different == 0 || severity < worst) continue;
    worst = severity;
    verdict.text = fmt::format(
        "output '{}' differs in {} of {} elements, by up to {:.3g} of what is expected and the "
        "root mean square of all together ({:.6g} where {:.6g} is expected, root mean square "
        "{:.3g}): {} the tolerance",
        name, found.bitwise_different, found.elements, found.relative_error, found.worst_after,
        found.worst_before, found.magnitude, found.diverges ? "beyond" : "within");
  }
  verdict.numbers = {{"outside", static_cast<double>(outside)},
                     {"bitwise_different", static_cast<double>(different)},
                     {"relative_error", worst.second}};
  return verdict;
}

// What differs beyond the tolerance, beside what the reference does when its inputs move a little.
class Differing {
 public:
  Differing(Evaluator& evaluator, GraphPtr reference, Inputs inputs, const Tolerance& tolerance,
            const Control& control)
      : evaluator_(evaluator),
        reference_(std::move(reference)),
        inputs_(std::move(inputs)),
        tolerance_(tolerance),
        control_(control) {}

  Result<Verdict> operator()(const graph::Graph& graph) {
    if (graph.outputs().size() != reference_->outputs().size())
      return Verdict{true,
                     {},
                     fmt::format("the network has {} outputs instead of {}", graph.outputs().size(),
                                 reference_->outputs().size())};
    if (expected_.empty()) expected_ = TRY(evaluator_.outputs(*reference_, inputs_, control_));
    Verdict verdict =
        verdict_on(graph, expected_, TRY(evaluator_.outputs(graph, inputs_, control_)), tolerance_);
    if (verdict.bad && !verdict.numbers.empty()) TRY_VOID(tell_what_rounding_does(verdict));
    return verdict;
  }

 private:
  Result<void> tell_what_rounding_does(Verdict& verdict) {
    if (!moved_) {
      Inputs inputs = inputs_;
      std::uint64_t seed = 0;
      for (auto& [name, value] : inputs) value = runtime::moved_by_a_millionth(value, ++seed);
      moved_ = verdict_on(*reference_, expected_,
                          TRY(evaluator_.outputs(*reference_, inputs, control_)), tolerance_);
    }
    const double by = moved_->numbers.empty() ? 0 : moved_->numbers.back().second;
    verdict.numbers.emplace_back("moved_error", by);
    if (moved_->bad)
      verdict.text += fmt::format(
          ". Inputs moved by a millionth move those of the reference by up to {:.3g}: rounding may "
          "be "
          "all there is to it",
          by);
    return {};
  }

  Evaluator& evaluator_;
  const GraphPtr reference_;
  const Inputs inputs_;
  const Tolerance tolerance_;
  const Control control_;
  std::vector<Tensor> expected_;  // once asked for
  std::optional<Verdict> moved_;  // the same
};

class Slowdown {
 public:
  Slowdown(const Toolchain& toolchain, const SlowdownOptions& options, const Control& control)
      : options_(options),
        control_(control),
        session_(without_graph_passes(toolchain), session_options(options)),
        pool_(options.threads) {}

  Result<void> set_reference(const graph::Graph& graph) {
    reference_ = TRY(prepare(graph));
    return {};
  }

  Result<Verdict> operator()(const graph::Graph& graph) {
    const Contestant contestant = TRY(prepare(graph));
    const std::vector<runtime::Contestant> both{
        {&reference_.executor->loaded(), reference_.inputs},
        {&contestant.executor->loaded(), contestant.inputs}};
    const auto times = TRY(
        runtime::time_in_turns(both, pool_, in_turns(options_.rounds, options_.warm_up, control_)));
    const runtime::Statistics& time = times.networks[1].network;
    const double reference = times.networks[0].network.median_ms, median = time.median_ms;
    const double ratio = reference > 0 ? median / reference : 1;
    return Verdict{
        ratio >= options_.factor,
        {{"reference_ms", reference}, {"median_ms", median}, {"ratio", ratio}},
        fmt::format("{} where the reference takes {}: {:.3g} times (spread {:.1f} %)",
                    readable_time(Milliseconds(median)), readable_time(Milliseconds(reference)),
                    ratio, 100 * runtime::spread(time))};
  }

 private:
  struct Contestant {
    std::shared_ptr<runtime::Executor> executor;
    std::vector<Tensor> inputs;
  };

  static SessionOptions session_options(const SlowdownOptions& options) {
    SessionOptions session;
    session.strategy = options.strategy;
    session.compile_threads = options.threads;
    return session;
  }

  Result<Contestant> prepare(const graph::Graph& graph) {
    session_.open(model_of(TRY(live_part(graph))), graph.name());
    auto executor =
        TRY(session_.executor(control_.progress, control_.cancellation, Missing::TimeOthers));
    Inputs inputs = random_inputs(graph, 1);
    for (auto& [name, value] : inputs)
      if (const auto given = options_.inputs.find(name); given != options_.inputs.end())
        value = given->second;
    auto ordered = TRY(in_order(std::move(inputs), graph));
    return Contestant{std::move(executor), std::move(ordered)};
  }

  SlowdownOptions options_;
  Control control_;
  Session session_;
  runtime::ThreadPool pool_;
  Contestant reference_;
};

}  // namespace

Predicate results_differ(Evaluator& evaluator, GraphPtr reference, Inputs inputs,
                         const Tolerance& tolerance, const Control& control) {
  auto differing = std::make_shared<Differing>(evaluator, std::move(reference), std::move(inputs),
                                               tolerance, control);
  return Predicate(
      [differing](const pass::Position&, const GraphPtr& graph) { return (*differing)(*graph); });
}

Result<Predicate> is_slower(const Toolchain& toolchain, GraphPtr reference,
                            const SlowdownOptions& options, const Control& control) {
  if (options.threads < 1 || options.rounds < 1 || !(options.factor > 0))
    return fail(Code::UsageInvalid,
                "timing needs at least one thread, one round, and a factor above zero");
  auto slowdown = std::make_shared<Slowdown>(toolchain, options, control);
  TRY_VOID(slowdown->set_reference(*reference));
  return Predicate(
      [slowdown](const pass::Position&, const GraphPtr& graph) { return (*slowdown)(*graph); });
}

}  // namespace loopglass::debug
