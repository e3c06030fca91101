#include "app/common/session_options.h"

#include "app/common/model_argument.h"
#include "core/saved_session.h"
#include "passes/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::app {
namespace {

template <class T>
void take_where_unsaid(T& option, const T& value) {
  if (option == T{}) option = value;
}

void take_bindings(ModelOptions& options, const onnx::InputBindings& inputs) {
  const auto add = [](std::vector<std::string>& bindings, const std::string& name,
                      const std::string& value) {
    const bool said = std::ranges::any_of(bindings, [&](const std::string& binding) {
      return binding.substr(0, binding.rfind('=')) == name;
    });
    if (!said) bindings.push_back(name + "=" + value);
  };
  for (const auto& [input, shape] : inputs.shapes) add(options.shapes, input, to_string(shape));
  for (const auto& [symbol, value] : inputs.symbols)
    add(options.symbols, symbol, std::to_string(value));
}

// What the command line wants otherwise is not taken.
void take_edges(std::vector<std::string>& wanted, const std::vector<std::string>& others,
                const std::vector<std::string>& edges) {
  for (const std::string& edge : edges)
    if (std::ranges::find(others, edge) == others.end() &&
        std::ranges::find(wanted, edge) == wanted.end())
      wanted.push_back(edge);
}

Result<void> check_model(const SavedSession& session, const std::string& file) {
  const std::string& model = session.asked.request.model;
  std::error_code error;
  const bool is_there =
      session.stamp ? std::filesystem::exists(model, error) : bool(find_model(model));
  if (!is_there)
    return fail(Code::SessionModelMissing, "the model of the session is not there", model,
                fmt::format("bring it back, or write in {} where it is", file));
  if (!session.stamp) return {};
  const std::filesystem::path path = std::filesystem::is_directory(model, error)
                                         ? std::filesystem::path(model) / "model.onnx"
                                         : std::filesystem::path(model);
  if (TRY(stamp_of(path)) != *session.stamp)
    fmt::print(stderr, "note: the model has changed since the session was saved\n");
  return {};
}

// What the session asks of the graph that the command line names: of the one that was open, or of
// another that it knows.
Request request_for(const SavedSession& session, const std::string& subgraph) {
  const Request& request = session.asked.request;
  if (subgraph.empty() || subgraph == request.subgraph) return request;
  for (const SavedGraph& graph : session.others) {
    if (graph.asked.request.subgraph != subgraph) continue;
    Request other = graph.asked.request;
    other.model = request.model;
    other.inputs = request.inputs;
    return other;
  }
  return request;
}

Result<void> take_plan(ModelOptions& options, const Request& request, const std::string& file) {
  const bool other_graph = options.subgraph != request.subgraph;
  const bool has_plan =
      !request.forced.empty() || !request.forbidden.empty() || request.uses_edits();
  take_where_unsaid(options.strategy, request.uses_edits() ? request.edits.base : request.strategy);
  if (!has_plan) return {};
  if (!options.takes_plan) {
    fmt::print(stderr, "note: the edges and edits of the session are left out here\n");
    return {};
  }
  if (other_graph)
    return fail(Code::UsageInvalid,
                fmt::format("the edges and edits of the session are of {}, not of '{}'",
                            request.subgraph.empty() ? "the model's own graph"
                                                     : "'" + request.subgraph + "'",
                            options.subgraph),
                "--subgraph",
                fmt::format("loopglassc session {} prints what else it asks for", file));
  const std::vector<std::string> forced = options.forced, forbidden = options.forbidden;
  take_edges(options.forced, forbidden, request.forced);
  take_edges(options.forbidden, forced, request.forbidden);
  for (const auto& [edges, said] :
       {std::pair(&options.forced, &forced), {&options.forbidden, &forbidden}})
    for (const std::string& edge : *edges)
      if (std::ranges::find(*said, edge) == said->end()) options.edges_in.emplace(edge, file);
  if (!request.uses_edits() || !options.edits.empty()) return {};
  std::vector<std::string> edits;
  for (const fusion::Edit& edit : request.edits.edits) edits.push_back(fusion::to_text(edit));
  options.more_edits.insert(options.more_edits.begin(), edits.begin(), edits.end());
  return {};
}

}  // namespace

Result<void> take_session(ModelOptions& options) {
  note_what_is_said(options);
  if (!is_session_file(options.model)) return {};
  const std::string file = options.model;
  const SavedSession session = TRY(read_session(file));
  TRY_VOID(check_model(session, file));
  const Request request = in_short(request_for(session, options.subgraph), passes::toolchain());
  options.model = request.model;
  take_bindings(options, request.inputs);
  take_where_unsaid(options.subgraph, request.subgraph);
  take_where_unsaid(options.pipeline, request.pipeline);
  if (!options.memory_limit && request.memory_limit)
    options.memory_limit = static_cast<std::uint64_t>(*request.memory_limit);
  // Before those of the command line, which are asked for besides.
  if (!session.asked.schedules.empty()) {
    using enum ModelOptions::Schedules;
    if (options.of_session == Taken) options.schedules.insert(options.schedules.begin(), file);
    if (options.of_session == LeftOut)
      fmt::print(stderr, "note: the schedules of the session are left out here\n");
  }
  return take_plan(options, request, file);
}

}  // namespace loopglass::app
