// loopglassc passes: the table of passes and presets; or what each pass did to a model, every
// single rewrite of it, or the places that breakpoints stop at.
#include "app/common/remarks.h"
#include "app/common/status_line.h"
#include "app/common/table.h"
#include "app/common/times_json.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/passes_summary.h"
#include "app/loopglassc/rules.h"
#include "app/loopglassc/trace.h"
#include "core/support/readable_time.h"
#include "passes/pipeline.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct PassesOptions {
  ModelOptions model;
  std::vector<std::string> breakpoints;
  bool summary = false, trace = false, rules = false, json = false;
};

Json table_json() {
  Json rows = Json::array();
  const auto add = [&](std::string_view level, const auto& passes) {
    for (const auto& pass : passes)
      rows.push_back({{"name", pass.info.name},
                      {"level", level},
                      {"doc", pass.info.doc},
                      {"reason", pass.info.reason}});
  };
  add("graph", passes::graph_passes({}));
  add("loop", passes::loop_passes());
  for (const pass::Preset& preset : passes::presets())
    rows.push_back({{"name", preset.name},
                    {"level", "preset"},
                    {"doc", preset.doc},
                    {"pipeline", preset.text}});
  return rows;
}

Json history_json(const pass::GraphHistory& history) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < history.steps.size(); ++i) {
    const auto& step = history.steps[i];
    Json remarks = Json::array(), rules = Json::object();
    for (const pass::Remark& remark : step.remarks) remarks.push_back(remark_json<Json>(remark));
    for (const pass::Rewrite& rewrite : step.rewrites)
      rules[rewrite.rule] = rules.value(rewrite.rule, 0) + 1;
    rows.push_back({{"step", i},
                    {"pass", step.pass.name},
                    {"changed", step.changed},
                    {"time_us", microseconds(step.duration)},
                    {"operator_count", step.result->nodes().size()},
                    {"rewrite_count", step.rewrites.size()},
                    {"rules", rules},
                    {"remarks", remarks}});
  }
  return rows;
}

void print_table(const Json& rows) {
  std::string level;
  Table table({Column::word(""), Column::word("")}, 2);
  for (const Json& row : rows) {
    const bool is_preset = row["level"] == "preset";
    if (row["level"] != level) {
      const std::string gap = level.empty() ? "" : "\n";
      level = row["level"].get<std::string>();
      table.add_line(
          {gap + (is_preset ? "presets of graph passes" : level + " passes"), Style::Title});
    }
    table.add(
        {(is_preset ? "@" : "") + row["name"].get<std::string>(), row["doc"].get<std::string>()});
    const std::string second = row[is_preset ? "pipeline" : "reason"].get<std::string>();
    if (!second.empty()) table.add({"", Cell(second, Style::Faint)});
  }
  table.print();
}

// Of remarks that a pass made.
Style style_of(pass::RemarkKind kind) {
  return kind == pass::RemarkKind::Missed ? Style::Caution : Style::Faint;
}

// The first few of each code; in a network of many layers the others say the same of other
// operators.
void add_remarks(Table& table, const std::vector<pass::Remark>& remarks) {
  constexpr int shown_alike = 3;
  std::map<std::pair<pass::RemarkKind, std::string>, int> seen;
  for (const pass::Remark& remark : remarks)
    if (++seen[{remark.kind, remark.code}] <= shown_alike)
      table.add_line({"      " + to_text(remark), style_of(remark.kind)});
  for (const auto& [alike, count] : seen)
    if (count > shown_alike)
      table.add_line({fmt::format("      {} {}: {} more, all in --json", app::name(alike.first),
                                  alike.second, count - shown_alike),
                      style_of(alike.first)});
}

void print_history(const pass::GraphHistory& history) {
  Table table({Column::number("step"), Column::name("pass"), Column::number("time"),
               Column::number("rewrites"), Column::number("operators"), Column::word("rules")});
  for (std::size_t i = 0; i < history.steps.size(); ++i) {
    const auto& step = history.steps[i];
    std::map<std::string, int> rules;
    for (const pass::Rewrite& rewrite : step.rewrites) ++rules[rewrite.rule];
    std::string summary;
    for (const auto& [rule, count] : rules)
      summary += fmt::format("{}{} x{}", summary.empty() ? "" : ", ", rule, count);
    table.add({i, Cell(step.pass.name, step.changed ? Style::Good : Style::Plain),
               readable_time(step.duration), step.rewrites.size(), step.result->nodes().size(),
               summary});
    add_remarks(table, step.remarks);
  }
  table.print();
}

// Without a model there is nothing for these to act on.
Result<void> check_without_model(const ModelOptions& model) {
  for (const auto& [name, is_given] : {std::pair("--shape", !model.shapes.empty()),
                                       {"--set", !model.symbols.empty()},
                                       {"--target", !model.target.empty()},
                                       {"--subgraph", !model.subgraph.empty()},
                                       {"--without", !model.disabled_passes.empty()},
                                       {"--passes", !model.pipeline.empty()},
                                       {"--stop-after", !model.stop_after.empty()},
                                       {"--memory-limit", model.memory_limit.has_value()}})
    if (is_given)
      return fail(Code::UsageInvalid, fmt::format("{} is about a model, and there is none", name),
                  name, "name the MODEL, or leave it out");
  return {};
}

Result<Exit> show(const PassesOptions& options) {
  if (options.model.model.empty()) TRY_VOID(check_without_model(options.model));
  if (options.rules) {
    print_rules(options.json);
    return Exit::Good;
  }
  if (options.model.model.empty()) {
    const Json rows = table_json();
    if (options.json) print_json(Schema::Passes, Json{{"passes", rows}});
    else print_table(rows);
    return Exit::Good;
  }
  const auto session = TRY(open_session(options.model));
  if (!options.breakpoints.empty()) {
    TRY_VOID(print_stops(*session, options.breakpoints, options.model, options.json));
    return Exit::Good;
  }
  if (options.trace) {
    TRY_VOID(print_trace(*session, options.json));
    return Exit::Good;
  }
  StatusLine status;
  const auto history = TRY(session->graph_history(status.progress()));
  status.end();
  if (options.summary) print_passes_summary(*history, session->model_name(), options.json);
  else if (options.json)
    print_json(Schema::PassesModel, session->model_name(), Json{{"steps", history_json(*history)}});
  else print_history(*history);
  return Exit::Good;
}

}  // namespace

void add_passes(Command app, Action& chosen) {
  const auto [command, options] = declare<PassesOptions>(
      app, chosen, "passes",
      "lists the passes; with MODEL, what each graph pass did to it and in what time", show,
      "as JSON");
  const Option model = add_model(command, options->model);
  command
      .add_flag("--rules", options->rules,
                "the algebraic rewrite rules: before, after, and on what condition")
      .excludes(model);
  const Option summary =
      command
          .add_flag("--summary", options->summary,
                    "the passes that changed something, rewrites and remarks counted")
          .needs(model);
  const Option trace = command
                           .add_flag("--trace", options->trace,
                                     "every rewrite: what it consumed and made, why, in what time")
                           .needs(model)
                           .excludes(summary);
  const Option breaks =
      command
          .add_option("--break", options->breakpoints,
                      "every place where something happens to operators: create "
                      "op=Conv, remove name~bn, "
                      "change @conv1, any in simplify dtype=f32 & rank>2, fuse op=Relu")
          .type_name("BREAKPOINT")
          .allow_extra_args(false)
          .needs(model)
          .excludes(summary)
          .excludes(trace);
  add_strategy(command, options->model, "fusion strategy, for breakpoints at 'fuse'").needs(breaks);
}

}  // namespace loopglass::app
