#include "core/debug/counterfactual.h"

#include "core/measure/networks.h"
#include "core/support/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <set>

namespace loopglass::debug {

namespace {

using graph::Graph;
using graph::ValueId;

// Node by node in their order: passes are deterministic, so what is built alike is ordered alike.
class SameContent {
 public:
  SameContent(const Graph& left, const Graph& right) : left_(left), right_(right) {}

  bool operator()() {
    if (&left_ == &right_) return true;
    if (left_.inputs().size() != right_.inputs().size() ||
        left_.nodes().size() != right_.nodes().size())
      return false;
    for (std::size_t i = 0; i < left_.inputs().size(); ++i) {
      const graph::Value &left = left_.value(left_.inputs()[i]),
                         &right = right_.value(right_.inputs()[i]);
      if (left.name != right.name || left.type != right.type) return false;
      image_[left.id] = right.id;
    }
    for (std::size_t i = 0; i < left_.nodes().size(); ++i)
      if (!same_node(*left_.nodes()[i], *right_.nodes()[i])) return false;
    return same_values(left_.outputs(), right_.outputs());
  }

 private:
  bool same_node(const graph::Node& left, const graph::Node& right) {
    if (left.op != right.op || left.outputs.size() != right.outputs.size() ||
        !same_values(left.inputs, right.inputs))
      return false;
    if (&left != &right && !(left.attributes == right.attributes)) return false;
    for (std::size_t i = 0; i < left.outputs.size(); ++i)
      image_[left.outputs[i]] = right.outputs[i];
    return true;
  }

  bool same_values(const std::vector<ValueId>& left, const std::vector<ValueId>& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [&](ValueId a, ValueId b) { return same_value(a, b); });
  }

  bool same_value(ValueId left, ValueId right) {
    if (!left || !right) return left == right;
    const Tensor &a = left_.value(left).constant, &b = right_.value(right).constant;
    if (a.defined() && b.defined()) return a.same_content(b);
    const auto known = image_.find(left);
    return known != image_.end() && known->second == right;
  }

  const Graph &left_, &right_;
  std::map<ValueId, ValueId> image_;
};

std::string in_words(const Toolchain& toolchain, const SessionOptions& options) {
  std::string text = options.pipeline;
  if (text.empty() && !toolchain.presets.empty()) text = toolchain.presets.front().name;
  if (!options.disabled_passes.empty())
    text += fmt::format(" without {}", fmt::join(options.disabled_passes, ", "));
  if (options.stop_after) text += " until " + to_text(*options.stop_after);
  return text;
}

Result<void> configure(Session& session, const SessionOptions& options) {
  session.set_strategy(options.strategy);
  TRY_VOID(session.set_pipeline(options.pipeline));
  session.set_stop_after(options.stop_after);
  session.set_settings(options.settings);
  for (const pass::GraphPass& pass : session.toolchain().graph_passes)
    session.set_pass_enabled(
        pass.info.name, std::find(options.disabled_passes.begin(), options.disabled_passes.end(),
                                  pass.info.name) == options.disabled_passes.end());
  return {};
}

// A side and what runs it.
struct Network {
  Side side;
  std::shared_ptr<const runtime::CompiledNetwork> compiled;
  std::vector<Tensor> inputs;
};

Result<Network> prepare(Session& session, const SessionOptions& variant, const Inputs& inputs,
                        const CounterfactualOptions& options) {
  TRY_VOID(configure(session, variant));
  Network network;
  Side& side = network.side;
  side.pipeline = in_words(session.toolchain(), variant);
  side.history = TRY(session.graph_history());
  const Graph& graph = side.history->last();
  side.counts = graph::count(graph);
  side.memory = TRY(session.memory_plan(options.control.progress, options.control.cancellation));
  const auto plan = TRY(session.plan());
  side.kernels = plan->groups.size();
  std::set<fusion::GroupId> missing;
  for (const MissingKernel& kernel : TRY(session.missing_kernels())) missing.insert(kernel.group);
  for (const fusion::Group& group : plan->groups)
    if (!missing.contains(group.id))
      side.kernel_flops += TRY(session.initial_kernel(group.id))->flops;
  if (!options.run && !options.bench) return network;
  network.compiled = TRY(
      session.network(options.control.progress, options.control.cancellation, Missing::TimeOthers));
  network.inputs = TRY(in_order(inputs, graph));
  return network;
}

// Runs both, with `bench` often enough to time them.
Result<runtime::TurnTimes> run(const Network& left, const Network& right,
                               const CounterfactualOptions& options) {
  measure::NetworksAsked asked{{left.compiled.get(), right.compiled.get()},
                               {left.inputs, right.inputs},
                               options.threads,
                               in_turns(options.rounds, options.warm_up, options.control),
                               {}};
  asked.options.want_outputs = true;
  if (!options.bench) {
    asked.options.warm_up = 1;
    asked.options.rounds = 0;
  }
  return measure::time_networks(asked, options.workers.get());
}

std::vector<Difference> compare_results(const Network& left, const Network& right,
                                        const runtime::TurnTimes& times,
                                        const Tolerance& tolerance) {
  const std::vector<Tensor>&expected = times.networks[0].outputs,
        &actual = times.networks[1].outputs;
  const Graph &before = left.side.history->last(), &after = right.side.history->last();
  std::vector<Difference> outputs;
  for (std::size_t i = 0; i < std::min(expected.size(), actual.size()); ++i) {
    Difference found = difference(expected[i], actual[i], tolerance);
    found.before = before.outputs()[i];
    found.after = after.outputs()[i];
    found.name_before = before.value(found.before).name;
    found.name_after = after.value(found.after).name;
    outputs.push_back(std::move(found));
  }
  return outputs;
}

}  // namespace

Result<SessionOptions> toggled(const Toolchain& toolchain, SessionOptions options,
                               const std::string& pass) {
  std::vector<std::string> names;
  for (const pass::GraphPass& candidate : toolchain.graph_passes)
    names.push_back(candidate.info.name);
  if (std::ranges::find(names, pass) == names.end())
    return fail(Code::PassUnknown, fmt::format("there is no graph pass '{}'", pass), {},
                did_you_mean(pass, names, "loopglassc passes lists them"));
  const pass::Pipeline pipeline = TRY(toolchain.parse_pipeline(options.pipeline));
  const bool is_named = std::any_of(
      pipeline.entries.begin(), pipeline.entries.end(), [&](const pass::PipelineEntry& entry) {
        return std::find(entry.passes.begin(), entry.passes.end(), pass) != entry.passes.end();
      });
  if (!is_named)
    return fail(Code::UsageInvalid,
                fmt::format("pass '{}' is not in the pipeline '{}'", pass, to_text(pipeline)), {},
                "give the other pipeline as text, with the pass in its place");
  if (std::erase(options.disabled_passes, pass) == 0) options.disabled_passes.push_back(pass);
  return options;
}

std::vector<AlignedStep> align(const pass::GraphHistory& left, const pass::GraphHistory& right) {
  const auto &a = left.steps, &b = right.steps;
  const auto same = [&](std::size_t i, std::size_t j) {
    return a[i].pass.name == b[j].pass.name && a[i].round == b[j].round;
  };
  // common[i][j]: how many steps can be paired from i and j on.
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i][j] =
          same(i, j) ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::vector<AlignedStep> rows;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && same(i, j)) {
      rows.push_back({i, j, SameContent(*a[i].result, *b[j].result)()});
      ++i, ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      rows.push_back({i++, {}, false});
    } else {
      rows.push_back({{}, j++, false});
    }
  }
  return rows;
}

Result<Counterfactual> counterfactual(const Toolchain& toolchain,
                                      std::shared_ptr<const onnx::Model> model,
                                      const SessionOptions& left, const SessionOptions& right,
                                      const CounterfactualOptions& options) {
  if (options.threads < 1 || (options.bench && options.rounds < 1))
    return fail(Code::UsageInvalid, "a comparison needs at least one thread and one round");
  SessionOptions both;
  both.compile_threads = options.threads;
  // One session for both, so that kernels that they share are compiled once.
  Session session(toolchain, both);
  session.open(*model, model->graph.name());
  const Inputs inputs = options.inputs ? *options.inputs : random_inputs(model->graph, 1);
  Network first = TRY(prepare(session, left, inputs, options)),
          second = TRY(prepare(session, right, inputs, options));
  Counterfactual result;
  result.steps = align(*first.side.history, *second.side.history);
  if (options.run || options.bench) {
    const runtime::TurnTimes times = TRY(run(first, second, options));
    result.outputs = compare_results(first, second, times, options.tolerance);
    result.threads = times.threads;
    if (options.bench) {
      first.side.time = times.networks[0].network;
      second.side.time = times.networks[1].network;
      result.load = times.load;
    }
  }
  result.agree =
      std::none_of(result.outputs.begin(), result.outputs.end(),
                   [](const Difference& output) { return !output.comparable || output.diverges; });
  result.left = std::move(first.side);
  result.right = std::move(second.side);
  return result;
}

}  // namespace loopglass::debug
