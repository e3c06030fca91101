// loopglassc fuse: the groups a strategy makes of a model's operators, and the decision on every
// edge.
#include "app/loopglassc/declare.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  ModelOptions model;
  bool json = false;
};

Json to_json(const fusion::Plan& plan, const graph::Graph& graph) {
  Json groups = Json::array(), decisions = Json::array();
  for (const fusion::Group& group : plan.groups) {
    Json nodes = Json::array();
    for (const graph::NodeId node : group.nodes) nodes.push_back(graph.node(node).name);
    groups.push_back(
        {{"name", group.name}, {"anchor", graph.node(group.anchor).name}, {"nodes", nodes}});
  }
  for (const fusion::Decision& decision : plan.decisions) {
    Json numbers = Json::object();
    for (const auto& [key, value] : decision.numbers) numbers[key] = value;
    decisions.push_back({{"value", graph.value(decision.value).name},
                         {"producer", graph.node(decision.producer).name},
                         {"consumer", graph.node(decision.consumer).name},
                         {"fused", decision.fused},
                         {"reason", fusion::name(decision.reason)},
                         {"condition", decision.condition},
                         {"sentence", decision.sentence},
                         {"numbers", numbers}});
  }
  return {{"strategy", plan.strategy},
          {"operators", graph.nodes().size()},
          {"kernels", plan.groups.size()},
          {"groups", groups},
          {"decisions", decisions}};
}

Result<Exit> show(const Options& options) {
  const auto session = TRY(open_session(options.model));
  const auto graph = TRY(session->graph());
  const auto plan = TRY(session->plan());
  if (options.json) {
    print_json(to_json(*plan, *graph));
  } else {
    fmt::print("{}", fusion::to_text(*plan, *graph));
    fmt::print("{} operators in {} kernels ({})\n", graph->nodes().size(), plan->groups.size(),
               plan->strategy);
  }
  return Exit::Good;
}

}  // namespace

void add_fuse(CLI::App& app, Action& chosen) {
  const auto [command, options] =
      declare<Options>(app, chosen, "fuse", "groups a model's operators into kernels and says why", show,
                       "as JSON: kernels (their number), groups, decisions");
  add_model(*command, options->model)->required();
}

}  // namespace loopglass::app
