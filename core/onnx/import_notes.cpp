#include "core/onnx/import_notes.h"

#include "core/ops/opaque.h"
#include "core/support/first_names.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::onnx {

std::vector<Note> opaque_notes(const graph::Graph& graph) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;  // as they are met
  std::vector<std::string> readers;
  std::string first_reader;
  for (const graph::NodePtr& node : graph.nodes()) {
    if (!is_opaque(*node)) continue;
    const Diagnostic reason = ops::opaque_reason(node->attributes);
    if (reason.code == Code::OperandTypeUnknown) {
      if (readers.empty()) first_reader = reason.what;
      readers.push_back(node->name);
      continue;
    }
    const std::string why =
        fmt::format("({}): {}: {}", operator_name(*node), code_name(reason.code), reason.what);
    auto known = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& entry) { return entry.first == why; });
    if (known == reasons.end()) known = reasons.insert(reasons.end(), {why, {}});
    known->second.push_back(node->name);
  }
  std::vector<Note> notes;
  for (const auto& [why, names] : reasons)
    notes.push_back({fmt::format("opaque: {} {}", first_names(names), why)});
  if (!readers.empty())
    notes.push_back({fmt::format("opaque with them: {}: {}: {}", first_names(readers),
                                 code_name(Code::OperandTypeUnknown), first_reader)});
  return notes;
}

namespace {

// "'decode' (12 times)".
std::string counted_names(const std::vector<const Expansions::Loop*>& loops) {
  std::vector<std::string> names;
  for (const Expansions::Loop* loop : loops)
    names.push_back(fmt::format("{} ({} {})", loop->name, loop->iterations,
                                loop->iterations == 1 ? "time" : "times"));
  return first_names(names);
}

}  // namespace

std::vector<Note> expansion_notes(const Expansions& expansions) {
  const auto& [taken, chosen_when_run, unrolled, subgraphs] = expansions;
  std::map<std::string, std::vector<std::string>> nodes;  // by branch
  for (const auto& [node, branch] : taken) nodes[branch].push_back(node);
  std::vector<Note> notes;
  for (const auto& [branch, names] : nodes)
    notes.push_back({fmt::format(
        "the condition of {} is known: the {} stands in the graph, as operators named '{}/...'",
        first_names(names), branch, names.front())});
  if (!chosen_when_run.empty())
    notes.push_back({fmt::format(
        "the condition of {} is known only when the network runs: both branches are computed, as "
        "operators named '{}/then_branch/...' and '.../else_branch/...', and one is chosen",
        first_names(chosen_when_run), chosen_when_run.front())});
  std::vector<const Expansions::Loop*> fixed, ending_early;
  for (const Expansions::Loop& loop : unrolled)
    (loop.may_end_early ? ending_early : fixed).push_back(&loop);
  if (!fixed.empty())
    notes.push_back({fmt::format(
        "written out, iteration by iteration, as operators named '{}/0/...' and so on: {}",
        fixed.front()->name, counted_names(fixed))});
  if (!ending_early.empty())
    notes.push_back({fmt::format(
        "when {} ends is known only when the network runs: all iterations that there may be are "
        "computed, as operators named '{}/0/...' and so on, and what was carried when it ended is "
        "kept",
        counted_names(ending_early), ending_early.front()->name)});
  return notes;
}

std::vector<Note> contributed_notes(const std::map<std::string, ContributedNodes>& contributed) {
  if (contributed.empty()) return {};
  std::vector<std::string> counts;
  for (const auto& [name, nodes] : contributed)
    counts.push_back(fmt::format("{} ({})", name, nodes.names.size()));
  std::vector<Note> notes{{fmt::format(
      "in the graph as the operators that they are made of, each under its node's name ('{}/...'): "
      "{}",
      contributed.begin()->second.names.front(), fmt::join(counts, ", "))}};
  for (const auto& [name, nodes] : contributed)
    if (!nodes.caution.empty())
      notes.push_back({fmt::format("{} ({}): {}", name, first_names(nodes.names), nodes.caution)});
  return notes;
}

std::vector<Note> data_notes(const DataValues& data, const ImportOptions& options) {
  if (data.found().empty()) return {};
  std::vector<std::string> random, given;
  for (const std::string& input : data.inputs())
    (options.bound_inputs.contains(input) ? given : random).push_back(input);
  std::string of = given.empty() ? "" : fmt::format("{} as given", first_names(given));
  if (!random.empty())
    of += fmt::format("{}random numbers as {}", of.empty() ? "" : " and ", first_names(random));
  return {{fmt::format("shapes hang on data ({}): this is the network for {}",
                       first_names(data.found()), of)}};
}

}  // namespace loopglass::onnx
