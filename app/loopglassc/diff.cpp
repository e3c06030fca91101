// loopglassc diff: what changed between two places of a model's history, in numbers, node by node
// and as text.
#include "core/graph/diff.h"
#include "app/common/place.h"
#include "app/common/status_line.h"
#include "app/common/table.h"
#include "app/loopglassc/declare.h"
#include "core/graph/counts.h"
#include "core/graph/text.h"
#include "core/pass/position.h"
#include "core/support/line_diff.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct DiffOptions {
  ModelOptions model;
  std::string before = "input", after = "last";
  bool text = false, json = false;
};

// One of the two ends.
struct End {
  pass::Position position;
  std::string words;
  std::shared_ptr<const graph::Graph> graph;
};

struct StepComparison {
  End before, after;
  graph::Diff diff;
  std::vector<graph::CountRow> counts;
  std::string hunks;  // only where asked for
};

Result<End> end_at(Session& session, const pass::GraphHistory& history, const std::string& text) {
  End end;
  end.position = TRY(pass::parse_position(text, history));
  end.words = describe(end.position, history);
  end.graph = TRY(session.graph_at(end.position.step, end.position.rewrites));
  return end;
}

std::size_t changed_constants(const graph::Diff& diff, graph::Change change) {
  std::size_t count = 0;
  for (const graph::ValueDiff& value : diff.values)
    count += value.is_constant() && value.change == change;
  return count;
}

std::string described(const graph::NodeDiff& node) {
  const graph::Node& shown = node.after ? *node.after : *node.before;
  std::string text = fmt::format("{} ({})", shown.name, operator_name(shown));
  return node.differences.empty() ? text : text + ": " + to_text(node.differences);
}

Json to_json(const End& end) {
  return {{"position", to_text(end.position)},
          {"place", end.words},
          {"operator_count", end.graph->nodes().size()}};
}

Json to_json(const std::vector<graph::Difference>& differences) {
  Json rows = Json::array();
  for (const graph::Difference& difference : differences)
    rows.push_back(
        {{"what", difference.what}, {"before", difference.before}, {"after", difference.after}});
  return rows;
}

Json to_json(const StepComparison& comparison, bool with_text) {
  Json counts = Json::array(), nodes = Json::array(), values = Json::array();
  for (const graph::CountRow& row : comparison.counts)
    counts.push_back({{"name", row.name},
                      {"before", row.before},
                      {"after", row.after},
                      {"delta", row.delta()},
                      {"per_operator", row.per_operator}});
  for (const graph::NodeDiff& node : comparison.diff.nodes) {
    const graph::Node& shown = node.after ? *node.after : *node.before;
    nodes.push_back({{"change", name(node.change)},
                     {"id", node.id.value},
                     {"name", shown.name},
                     {"operator", operator_name(shown)},
                     {"differences", to_json(node.differences)}});
  }
  for (const graph::ValueDiff& value : comparison.diff.values) {
    const graph::Value& shown = value.after ? *value.after : *value.before;
    values.push_back({{"change", name(value.change)},
                      {"id", value.id.value},
                      {"name", shown.name},
                      {"type", to_string(shown.type)},
                      {"constant", value.is_constant()},
                      {"differences", to_json(value.differences)}});
  }
  Json json{{"before", to_json(comparison.before)},
            {"after", to_json(comparison.after)},
            {"counts", counts},
            {"same_node_count", comparison.diff.same_nodes},
            {"nodes", nodes},
            {"values", values}};
  if (with_text) json["text"] = comparison.hunks;
  return json;
}

void print_counts(const std::vector<graph::CountRow>& rows) {
  Table table({Column::name("counts"), Column::number("before"), Column::number("after"),
               Column::number("change")});
  for (const graph::CountRow& row : rows)
    if (!row.per_operator || row.delta() != 0)
      table.add({row.name, row.before, row.after,
                 row.delta() == 0 ? "=" : fmt::format("{:+}", row.delta())});
  table.print();
}

void print(const StepComparison& comparison, bool with_text) {
  fmt::print("{}  ->  {}\n\n", comparison.before.words, comparison.after.words);
  print_counts(comparison.counts);
  const graph::Diff& diff = comparison.diff;
  fmt::print("\nnodes: {} added, {} removed, {} changed, {} the same\n",
             diff.count(graph::Change::Added), diff.count(graph::Change::Removed),
             diff.count(graph::Change::Changed), diff.same_nodes);
  for (const graph::NodeDiff& node : diff.nodes) {
    const bool is_added = node.change == graph::Change::Added,
               is_removed = node.change == graph::Change::Removed;
    const Styled styled(is_added ? Style::Good : is_removed ? Style::Bad : Style::Caution);
    fmt::print("  {} {}\n", is_added ? '+' : is_removed ? '-' : '~', described(node));
  }
  fmt::print("\nconstants: {} added, {} removed, {} changed\n",
             changed_constants(diff, graph::Change::Added),
             changed_constants(diff, graph::Change::Removed),
             changed_constants(diff, graph::Change::Changed));
  if (with_text) fmt::print("\ntext\n{}", comparison.hunks);
}

Result<Exit> show(const DiffOptions& options) {
  const auto session = TRY(open_session(options.model));
  StatusLine status;
  const auto history = TRY(session->graph_history(status.progress()));
  status.end();
  StepComparison comparison;
  comparison.before = TRY(end_at(*session, *history, options.before));
  comparison.after = TRY(end_at(*session, *history, options.after));
  const graph::Graph &before = *comparison.before.graph, &after = *comparison.after.graph;
  comparison.diff = graph::diff(before, after);
  comparison.counts = graph::compare(graph::count(before), graph::count(after));
  if (options.text)
    comparison.hunks = to_text(line_diff(graph::to_text(before), graph::to_text(after)));
  if (options.json)
    print_json(Schema::Diff, session->model_name(), to_json(comparison, options.text));
  else print(comparison, options.text);
  return Exit::Good;
}

}  // namespace

void add_diff(Command app, Action& chosen) {
  const auto [command, options] = declare<DiffOptions>(
      app, chosen, "diff",
      "compares two steps of the graph passes, or places in the middle of them", show);
  add_model(command, options->model).required();
  add_place(command, "before", options->before, "a place in the history").capture_default_str();
  add_place(command, "after", options->after, "another").capture_default_str();
  command.add_flag("--text", options->text, "also line by line, in the graph's text form");
}

}  // namespace loopglass::app
