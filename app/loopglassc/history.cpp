// loopglassc history: the life of one operator through the graph passes: what it came from, what
// changed it, what became of it.
#include "app/common/place.h"
#include "app/common/table.h"
#include "app/loopglassc/declare.h"
#include "core/pass/node_history.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct HistoryOptions {
  ModelOptions model;
  std::string node, at;
  bool json = false;
};

Json to_json(const pass::NodeHistory& nodes, const pass::Moment& moment) {
  return {{"position", to_text(moment.position)},
          {"step", moment.position.step},
          {"pass", nodes.history().steps[moment.position.step].pass.name},
          {"rule", moment.rule},
          {"reason", moment.detail}};
}

Json to_json(const pass::NodeHistory& nodes, const std::vector<graph::NodeId>& ids) {
  Json list = Json::array();
  for (const graph::NodeId id : ids) {
    const pass::Life* life = nodes.find(id);
    list.push_back({{"id", id.value},
                    {"name", nodes.name_of(id)},
                    {"operator", life->last ? Json(operator_name(*life->last)) : Json(nullptr)},
                    {"imported", life->imported}});
  }
  return list;
}

Json to_json(const pass::NodeHistory& nodes, const pass::Life& life) {
  Json steps = Json::array(), changes = Json::array();
  const auto presences = nodes.presences(life.id);
  for (std::size_t step = 0; step < presences.size(); ++step)
    steps.push_back({{"step", step},
                     {"pass", nodes.history().steps[step].pass.name},
                     {"state", name(presences[step])}});
  for (const pass::Life::Change& change : life.changes) {
    changes.push_back(to_json(nodes, change.moment));
    changes.back()["differences"] = to_text(change.differences);
  }
  return {{"id", life.id.value},
          {"name", nodes.name_of(life.id)},
          {"names", life.names},
          {"operator", life.last ? Json(operator_name(*life.last)) : Json(nullptr)},
          {"imported", life.imported},
          {"born", to_json(nodes, life.born)},
          {"gone", life.gone ? to_json(nodes, *life.gone) : Json(nullptr)},
          {"parents", to_json(nodes, life.parents)},
          {"children", to_json(nodes, life.children)},
          {"into", to_json(nodes, life.into)},
          {"constant", life.constant.empty() ? Json(nullptr) : Json(life.constant)},
          {"changes", changes},
          {"ancestors", to_json(nodes, nodes.ancestors(life.id))},
          {"descendants", to_json(nodes, nodes.descendants(life.id))},
          {"steps", steps},
          {"story", nodes.story(life.id)}};
}

void print(const pass::NodeHistory& nodes, const pass::Life& life) {
  fmt::print("{}\n", nodes.names_of({life.id}));
  for (const std::string& sentence : nodes.story(life.id)) fmt::print("  {}\n", sentence);
  const auto list = [&](const char* title, const std::vector<graph::NodeId>& ids) {
    if (!ids.empty()) fmt::print("  {}: {}\n", title, nodes.names_of(ids));
  };
  list("comes from", nodes.ancestors(life.id));
  list("became", nodes.descendants(life.id));
  const auto presences = nodes.presences(life.id);
  Table table({Column::word(""), Column::number(""), Column::name(""), Column::word("")}, 2);
  for (std::size_t step = 0; step < presences.size(); ++step)
    if (presences[step] != pass::Presence::Absent && presences[step] != pass::Presence::Unchanged)
      table.add({"step", step, nodes.history().steps[step].pass.name, name(presences[step])});
  table.print();
}

Result<Exit> show(const HistoryOptions& options) {
  const auto session = TRY(open_session(options.model));
  const auto history = TRY(session->graph_history());
  const pass::NodeHistory nodes(history, [&](std::size_t step, std::size_t rewrites) {
    return session->graph_at(step, rewrites);
  });
  // A name may have been that of several nodes, one after another.
  std::vector<graph::NodeId> chosen;
  if (!options.at.empty()) {
    const pass::Position position = TRY(pass::parse_position(options.at, *history));
    const auto graph = TRY(session->graph_at(position.step, position.rewrites));
    const graph::Node* node = graph->find_node(options.node);
    if (node == nullptr)
      return fail(Code::GraphEntityUnknown,
                  fmt::format("there is no operator '{}' at {}", options.node,
                              describe(position, *history)),
                  {}, "without --at, all that ever had the name are shown");
    chosen = {node->id};
  } else {
    chosen = nodes.named(options.node);
    if (chosen.empty()) chosen = {TRY(nodes.resolve(options.node))};
  }
  Json lives = Json::array();
  for (const graph::NodeId id : chosen) {
    const pass::Life* life = nodes.find(id);
    if (life == nullptr) continue;  // made and consumed in one step, and looked up only now
    if (options.json) lives.push_back(to_json(nodes, *life));
    else print(nodes, *life);
  }
  if (options.json)
    print_json(Schema::History, session->model_name(),
               Json{{"node", options.node}, {"lives", lives}});
  return Exit::Good;
}

}  // namespace

void add_history(Command app, Action& chosen) {
  const auto [command, options] = declare<HistoryOptions>(
      app, chosen, "history", "tells what an operator was made from and what became of it", show);
  add_model(command, options->model).required();
  command.add_option("node", options->node, "an operator's name at any step, or its number: #12")
      .type_name("NODE")
      .required();
  add_place(command, "--at", options->at, "only the one that has the name at this place");
}

}  // namespace loopglass::app
