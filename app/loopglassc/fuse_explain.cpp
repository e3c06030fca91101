// loopglassc fuse, --explain, --near-misses, --steps, --reasons: one plan, and why it is as it is.
#include "app/common/family_style.h"
#include "app/common/operator_choice.h"
#include "app/common/table.h"
#include "app/common/typed_text.h"
#include "app/loopglassc/fuse_edge.h"
#include "app/loopglassc/fuse_views.h"
#include "app/loopglassc/memory_limit.h"
#include "core/debug/kernel_nests.h"
#include "core/fusion/decision_filter.h"
#include "core/fusion/estimate_words.h"
#include "core/fusion/explain.h"
#include "core/fusion/near_miss.h"
#include "core/fusion/saving.h"
#include "core/fusion/smallest_change.h"
#include "core/support/counted.h"
#include "core/support/readable_bytes.h"
#include "core/support/shell_word.h"
#include "core/support/suggestion.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using fusion::Decision;

Json to_json(const std::vector<std::pair<std::string, double>>& numbers) {
  Json json = Json::object();
  for (const auto& [key, value] : numbers) {
    std::string word = key;
    std::replace(word.begin(), word.end(), ' ', '_');
    if (const auto kind = fusion::kind_of(key, value)) json[word] = *kind;
    else json[word] = value;
  }
  return json;
}

Json to_json(const fusion::Decision& decision, const graph::Graph& graph,
             const fusion::Saving& saving) {
  return {{"value", graph.value(decision.value).name},
          {"type", to_string(graph.value(decision.value).type)},
          {"producer", graph.node(decision.producer).name},
          {"consumer", graph.node(decision.consumer).name},
          {"fused", decision.fused},
          {"forced", decision.forced},
          {"reason", fusion::name(decision.reason)},
          {"condition", decision.condition},
          {"sentence", decision.sentence},
          {"numbers", to_json(decision.numbers)},
          {"saved_bytes", saving.bytes},
          {"workspace_bytes", saving.workspace_bytes}};
}

Json operators_of(const fusion::Group& group, const graph::Graph& graph) {
  Json rows = Json::array();
  for (const graph::NodeId node : group.nodes)
    rows.push_back(
        {{"name", graph.node(node).name}, {"operator", graph::operator_name(graph.node(node))}});
  return rows;
}

// Why a group needs no code; empty: it does.
std::string view_text(const placement::Placement* placement, fusion::GroupId group,
                      const graph::Graph& graph) {
  if (!placement || !placement->kernels[group.value].is_view()) return "";
  return describe_view(placement->kernels[group.value], *placement, graph);
}

Json plan_json(const fusion::Plan& plan, const graph::Graph& graph,
               const placement::Placement* placement) {
  Json kernels = Json::array(), edges = Json::array();
  for (const fusion::Group& group : plan.groups) {
    const std::string view = view_text(placement, group.id, graph);
    kernels.push_back({{"name", group.name},
                       {"anchor", graph.node(group.anchor).name},
                       {"operators", operators_of(group, graph)},
                       {"view", view.empty() ? Json(nullptr) : Json(view)}});
  }
  const fusion::BlockRules rules(graph);
  const fusion::EdgeSavings savings(rules, plan);
  for (const fusion::Decision& decision : plan.decisions)
    edges.push_back(to_json(decision, graph, savings(decision)));
  return {{"strategy", plan.strategy},
          {"optimality", fusion::name(plan.optimality)},
          {"operator_count", graph.nodes().size()},
          {"kernel_count", plan.groups.size()},
          {"kernels", kernels},
          {"edges", edges}};
}

fusion::DecisionOrder order_of(const std::string& word) {
  const auto found =
      std::find_if(fusion::decision_orders.begin(), fusion::decision_orders.end(),
                   [&](fusion::DecisionOrder order) { return fusion::name(order) == word; });
  return found == fusion::decision_orders.end() ? fusion::DecisionOrder::Graph : *found;
}

// The table as asked for.
Result<std::vector<const Decision*>> rows_of(const FuseOptions& options, const fusion::Plan& plan,
                                             const graph::Graph& graph) {
  const Filter filter =
      TRY(typed(parse_filter(options.filter.value_or(""), fusion::decision_fields())));
  auto rows = fusion::decision_table(plan, graph, filter, order_of(options.sort.value_or("graph")));
  return rows;
}

std::string edge_text(const Decision& decision, const graph::Graph& graph) {
  return fmt::format("{} -> {}", graph.node(decision.producer).name,
                     graph.node(decision.consumer).name);
}

Style style_of(const Decision& decision) {
  return decision.forced ? Style::Caution : decision.fused ? Style::Good : Style::Bad;
}

void print_table(const std::vector<const Decision*>& rows, const fusion::Plan& plan,
                 const graph::Graph& graph, const fusion::EdgeSavings& savings) {
  Table table({Column::number("size"), Column::number("saves"), Column::name("edge"),
               Column::name("verdict"), Column::word("condition")});
  for (const Decision* row : rows) {
    const fusion::Saving saving = savings(*row);
    const bool only_moves = saving.bytes == 0 && saving.workspace_bytes > 0;
    table.add({readable_bytes(graph.value(row->value).type.bytes()),
               only_moves ? "workspace" : readable_bytes(saving.bytes), edge_text(*row, graph),
               Cell(fusion::verdict(*row, plan), style_of(*row)), row->condition});
    if (!row->fused || row->forced) table.add_line({"    " + row->sentence, Style::Faint});
  }
  table.print();
}

void print_counts(const std::vector<const Decision*>& rows, const fusion::Plan& plan) {
  std::vector<std::string> counts;
  for (const auto& [reason, count] : fusion::reason_counts(rows))
    counts.push_back(fmt::format("{} {}", count, fusion::name(reason)));
  fmt::print("{} of {} edges ({}){}{}\n", rows.size(), plan.decisions.size(), plan.strategy,
             counts.empty() ? "" : ": ", fmt::join(counts, ", "));
}

// A word that is nearly a verdict may be meant as one, though by the grammar it is a name.
void suggest_verdict(const std::string& filter) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < fusion::reason_count; ++i)
    names.emplace_back(fusion::name(static_cast<fusion::Reason>(i)));
  if (const std::string near = did_you_mean(filter, names); !near.empty())
    fmt::print(stderr, "hint: '{}' is taken for a part of a name; {}\n", filter, near);
}

// Of all edges, so that whoever adds up the rows knows what the plan saves.
void print_sum(const fusion::BlockRules& rules, const fusion::Plan& plan,
               const fusion::EdgeSavings& savings) {
  std::size_t fused = 0;
  std::int64_t edges = 0;
  for (const Decision& decision : plan.decisions) {
    if (!decision.fused) continue;
    ++fused;
    edges += savings(decision).bytes;
  }
  fmt::print("{}\n", fusion::sum_words(fused, fusion::plan_saving(rules, plan).bytes, edges));
}

Json to_json(const fusion::NearMiss& miss, const fusion::Plan& plan, const graph::Graph& graph) {
  const Decision& decision = plan.decisions[miss.decision];
  const fusion::Change& change = miss.change;
  Json allowed = Json::array();
  for (const fusion::Edge& edge : change.allowed)
    allowed.push_back({{"producer", graph.node(edge.producer).name},
                       {"consumer", graph.node(edge.consumer).name}});
  return {{"producer", graph.node(decision.producer).name},
          {"consumer", graph.node(decision.consumer).name},
          {"value", graph.value(decision.value).name},
          {"saved_us", miss.saved_microseconds},
          {"gain", fusion::name(miss.gain)},
          {"error_us", miss.error_microseconds ? Json(*miss.error_microseconds) : Json(nullptr)},
          {"saved_bytes", miss.saved_bytes},
          {"workspace_bytes", miss.workspace_bytes},
          {"leaves_cache", miss.leaves_cache},
          {"saves_write", miss.saves_write},
          {"reason", fusion::name(decision.reason)},
          {"sentence", decision.sentence},
          {"change",
           {{"kind", fusion::name(change.kind)},
            {"sentence", change.sentence},
            {"operator_names", names_of(change.nodes, graph)},
            {"allowed", allowed},
            {"recipe", change.recipe},
            {"numbers", to_json(change.numbers)}}}};
}

// "--force a:b" as it is, edits as an option; to be pasted into a shell.
std::string option_of(const std::string& recipe) {
  const std::size_t space = recipe.find(' ');
  if (!recipe.starts_with("--") || space == std::string::npos)
    return "--edit " + shell_word(recipe);
  return recipe.substr(0, space + 1) + shell_word(recipe.substr(space + 1));
}

// What the change gains, in a column; then the edge, the verdict and the change.
void print(const fusion::NearMiss& miss, const std::string& gain, const fusion::Plan& plan,
           const graph::Graph& graph) {
  const Decision& decision = plan.decisions[miss.decision];
  const fusion::Change& change = miss.change;
  fmt::print("{:>10} {:>10}  {}: {}\n", gain, readable_bytes(miss.saved_bytes),
             edge_text(decision, graph), fusion::name(decision.reason));
  constexpr int indent = 22;
  fmt::print("{:{}} {}\n{:{}} change: {}\n", "", indent, decision.sentence, "", indent,
             change.sentence);
  if (!change.recipe.empty()) fmt::print("{:{}} try: {}\n", "", indent, option_of(change.recipe));
}

// Whether verdicts of the plan rest on the cost model.
bool weighs_costs(const fusion::Plan& plan) {
  return plan.optimality != fusion::Optimality::Heuristic;
}

void print_costs(const Session& session) {
  for (const std::string& note : session.cost_model()->notes()) fmt::print("{}\n", note);
}

Json explained(const fusion::Plan& plan, const Json& edges,
               const std::vector<const Decision*>& rows, const Session& session) {
  Json reasons = Json::object();
  for (const auto& [reason, count] : fusion::reason_counts(rows))
    reasons[std::string(fusion::name(reason))] = count;
  return {{"strategy", plan.strategy},
          {"edges", edges},
          {"reasons", reasons},
          {"calibrated", session.cost_model()->is_calibrated()},
          {"costs", session.cost_model()->notes()}};
}

}  // namespace

Result<Exit> list_reasons(const FuseOptions& options) {
  Json rows = Json::array();
  Table table({Column::word(""), Column::word("")});
  for (std::size_t i = 0; i < fusion::reason_count; ++i) {
    const auto reason = static_cast<fusion::Reason>(i);
    if (options.json)
      rows.push_back(
          {{"reason", fusion::name(reason)}, {"explanation", fusion::explanation(reason)}});
    else table.add({fusion::name(reason), fusion::explanation(reason)});
  }
  if (options.json) {
    print_json(Schema::FuseReasons,
               Json{{"notation", fusion::condition_notation()}, {"reasons", rows}});
  } else {
    table.print();
    fmt::print("\n{}\n", fusion::condition_notation());
  }
  return Exit::Good;
}

std::vector<std::string> names_of(const std::vector<graph::NodeId>& nodes,
                                  const graph::Graph& graph) {
  std::vector<std::string> names;
  for (const graph::NodeId node : nodes) names.push_back(graph.node(node).name);
  return names;
}

Result<Exit> show_plan(const FuseOptions& options, Session& session) {
  const auto graph = TRY(session.graph());
  const auto plan = TRY(session.plan());
  // A plan can be looked at whose kernels cannot be made.
  const auto placed = session.placement();
  const placement::Placement* placement = placed ? placed->get() : nullptr;
  const Json baseline = TRY(read_baseline(options.gate, Schema::Fuse, session));
  Json json = plan_json(*plan, *graph, placement);
  TRY_VOID(add_arena(json, options.gate, baseline, session));
  const auto print = [&] {
    fmt::print("{}\n", fusion::plan_line(*plan, *graph));
    for (const fusion::Group& group : plan->groups) {
      const Styled styled(style_of(group, *graph));
      fmt::print("{}\n", fusion::group_line(group, *graph));
    }
    fmt::print("* the operator whose loop nest the kernel takes\n");
    for (const fusion::Group& group : plan->groups)
      if (const std::string view = view_text(placement, group.id, *graph); !view.empty())
        fmt::print("{} needs no code: {}\n", group.name, view);
    fmt::print("{} in {} ({}, {})\n", counted(graph->nodes().size(), "operator"),
               counted(plan->groups.size(), "kernel"), plan->strategy,
               fusion::optimality_words(plan->optimality, *session.cost_model()));
  };
  const auto limit = TRY(judge_memory_limit(session, options.model));
  return print_gated({Schema::Fuse, session, limit, json, print}, options.gate, baseline,
                     options.json);
}

namespace {

std::string change_text(const fusion::Change& change) {
  return fmt::format(
      "    change: {}\n{}", change.sentence,
      change.recipe.empty() ? "" : fmt::format("    try: {}\n", option_of(change.recipe)));
}

// The edges that were asked for by name, each with its card.
Result<Exit> explain_edge(const FuseOptions& options, Session& session) {
  const auto graph = TRY(session.graph());
  const auto told = TRY(session.told_plan());  // first: of it the plan comes for nothing
  const auto plan = TRY(session.plan());
  const ChosenEdge chosen = TRY(choose_edge(session, *options.edge));
  for (const std::string& became : chosen.became) fmt::print(stderr, "note: {}\n", became);
  auto rows = TRY(rows_of(options, *plan, *graph));
  std::erase_if(rows, [&](const Decision* row) {
    return fusion::Edge{row->producer, row->consumer} != chosen.edge;
  });
  const fusion::EdgeCards cards(graph, plan, told);
  const fusion::BlockRules rules(*graph);
  Json edges = Json::array();
  for (const Decision* row : rows) {
    const fusion::EdgeCard card =
        cards(*row, [&](fusion::GroupId group) { return debug::kernel_nests(session, group); });
    const fusion::Saving saving = card.traffic ? fusion::saving(*card.traffic) : fusion::Saving{};
    const auto miss = fusion::near_miss_of(*row, *plan, rules, *session.cost_model());
    if (options.json) {
      edges.push_back(to_json(*row, *graph, saving));
      edges.back()["card"] = Json::parse(card_json(card, cards));
      edges.back()["near_miss"] = miss ? to_json(*miss, *plan, *graph) : Json(nullptr);
    } else {
      fmt::print("{}    {}\n{}{}",
                 fusion::to_text(*row, *plan, *graph, session.cost_model()->is_calibrated()),
                 fusion::sentence(saving, row->fused), fusion::to_text(card, cards),
                 miss ? change_text(miss->change) : "");
    }
  }
  if (options.json) {
    Json json = explained(*plan, edges, rows, session);
    json["became"] = chosen.became;
    print_json(Schema::FuseExplain, session.model_name(), json);
  } else if (weighs_costs(*plan)) {
    print_costs(session);
  }
  return Exit::Good;
}

}  // namespace

Result<Exit> explain_plan(const FuseOptions& options, Session& session) {
  if (options.edge) return explain_edge(options, session);
  const auto graph = TRY(session.graph());
  const auto plan = TRY(session.plan());
  const auto rows = TRY(rows_of(options, *plan, *graph));
  const fusion::BlockRules rules(*graph);
  const fusion::EdgeSavings savings(rules, *plan);
  // A filter that picks nothing out has told nothing of what it was meant for.
  const Exit found = options.filter && rows.empty() ? Exit::Bad : Exit::Good;
  if (options.json) {
    Json edges = Json::array();
    for (const Decision* row : rows) edges.push_back(to_json(*row, *graph, savings(*row)));
    print_json(Schema::FuseExplain, session.model_name(), explained(*plan, edges, rows, session));
  } else {
    print_table(rows, *plan, *graph, savings);
    print_counts(rows, *plan);
    if (options.filter && rows.empty()) suggest_verdict(*options.filter);
    if (rows.size() == plan->decisions.size()) print_sum(rules, *plan, savings);
    if (weighs_costs(*plan)) print_costs(session);
  }
  return found;
}

Result<Exit> show_near_misses(const FuseOptions& options, Session& session) {
  const auto graph = TRY(session.graph());
  const auto plan = TRY(session.plan());
  const Filter filter =
      TRY(typed(parse_filter(options.filter.value_or(""), fusion::decision_fields())));
  const auto misses = TRY(fusion::near_misses(
      fusion::BlockRules(*graph), *plan, *session.cost_model(), *options.near_misses, {}, {},
      [&](const Decision& decision) { return matches(filter, decision, *plan, *graph); }));
  if (options.json) {
    Json rows = Json::array();
    for (const fusion::NearMiss& miss : misses) rows.push_back(to_json(miss, *plan, *graph));
    print_json(Schema::FuseNearMisses, session.model_name(),
               Json{{"strategy", plan->strategy},
                    {"calibrated", session.cost_model()->is_calibrated()},
                    {"near_misses", rows},
                    {"costs", session.cost_model()->notes()}});
  } else if (misses.empty()) {
    if (options.filter) suggest_verdict(*options.filter);
    const bool all_fused = std::ranges::all_of(plan->decisions, &Decision::fused);
    fmt::print("{}\n", all_fused        ? "every edge is fused"
                       : options.filter ? "the filter picks out no edge that is not fused"
                                        : "no edge that is not fused could be by another plan");
  } else {
    const auto gains = fusion::gain_words(misses);
    fmt::print("{:>10} {:>10}  edge that is not fused\n", "time", "traffic");
    for (std::size_t i = 0; i < misses.size(); ++i) {
      if (!fusion::saves_time(misses[i]) && (i == 0 || fusion::saves_time(misses[i - 1])))
        fmt::print("{} no time by the estimate:\n", i == 0 ? "these save" : "the rest saves");
      print(misses[i], gains[i], *plan, *graph);
    }
    print_costs(session);
  }
  return options.filter && misses.empty() ? Exit::Bad : Exit::Good;
}

Result<Exit> show_steps(const FuseOptions& options, Session& session) {
  const auto graph = TRY(session.graph());
  const auto plan = TRY(session.told_plan());
  Json rows = Json::array();
  for (std::size_t i = 0; i < plan->events.size(); ++i) {
    const fusion::PlanEvent& event = plan->events[i];
    if (options.json) {
      Json row{{"step", i + 1},
               {"kind", fusion::name(event.kind)},
               {"operator_names", names_of(event.nodes, *graph)},
               {"sentence", event.sentence},
               {"numbers", to_json(event.numbers)}};
      if (!event.condition.empty()) row["condition"] = event.condition;
      if (event.reason != fusion::Reason::Fused) row["reason"] = fusion::name(event.reason);
      rows.push_back(std::move(row));
      continue;
    }
    std::string numbers;
    for (const auto& [key, value] : event.numbers)
      if (const auto words =
              fusion::number_words(key, value, session.cost_model()->is_calibrated()))
        numbers += (numbers.empty() ? "  [" : ", ") + *words;
    fmt::print("{:>6}  {:<9}{}{}{}\n", i + 1, fusion::name(event.kind),
               event.reason == fusion::Reason::Fused
                   ? ""
                   : fmt::format("{}: ", fusion::name(event.reason)),
               event.sentence, numbers.empty() ? "" : numbers + "]");
  }
  if (options.json)
    print_json(Schema::FuseSteps, session.model_name(),
               Json{{"strategy", plan->strategy},
                    {"optimality", fusion::name(plan->optimality)},
                    {"steps", rows}});
  else
    fmt::print("{}{} ({}, {})\n", plan->events.empty() ? "this strategy took no steps; " : "",
               counted(plan->groups.size(), "kernel"), plan->strategy,
               fusion::optimality_words(plan->optimality, *session.cost_model()));
  return Exit::Good;
}

}  // namespace loopglass::app
