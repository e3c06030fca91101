// loopglassc compare: the same model through two pipelines, side by side.
#include "core/debug/counterfactual.h"
#include "app/common/numbers.h"
#include "app/common/status_line.h"
#include "app/common/table.h"
#include "app/common/times_json.h"
#include "app/common/vocabulary.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/inputs.h"
#include "core/support/counted.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct CounterfactualCommandOptions {
  ModelOptions model;
  std::string against, toggle;
  EvaluationOptions evaluation;
  int rounds = debug::CounterfactualOptions{}.rounds;
  bool bench = false, json = false;
};

Json to_json(const debug::Side& side) {
  Json json{{"pipeline", side.pipeline},
            {"step_count", side.history->steps.size() - 1},
            {"operator_count", side.counts.nodes},
            {"flops", side.counts.flops},
            {"parameter_bytes", side.counts.parameter_bytes},
            {"intermediate_bytes", side.counts.intermediate_bytes},
            {"kernel_count", side.kernels},
            {"kernel_flops", side.kernel_flops},
            {"kernel_bytes", side.memory->separate_bytes},
            {"arena_bytes", side.memory->arena_bytes},
            {"lower_bound_bytes", side.memory->lower_bound}};
  if (side.time) json["time"] = app::to_json(*side.time);
  return json;
}

Json step_json(const debug::Side& side, std::optional<std::size_t> index) {
  if (!index) return {};
  const auto& step = side.history->steps[*index];
  return {{"step", *index},
          {"pass", step.pass.name},
          {"round", step.round},
          {"operator_count", step.result->nodes().size()},
          {"rewrite_count", step.rewrites.size()},
          {"changed", step.changed},
          {"time_us", microseconds(step.duration)}};
}

Json to_json(const debug::Counterfactual& result) {
  Json json{
      {"left", to_json(result.left)}, {"right", to_json(result.right)}, {"agree", result.agree}};
  json["outputs"] = Json::array();
  for (const debug::Difference& output : result.outputs)
    json["outputs"].push_back({{"name", output.name_before},
                               {"comparable", output.comparable},
                               {"elements", output.elements},
                               {"bitwise_different", output.bitwise_different},
                               {"outside", output.outside},
                               {"absolute_error", output.absolute_error},
                               {"relative_error", output.relative_error}});
  json["timeline"] = Json::array();
  for (const debug::AlignedStep& step : result.steps)
    json["timeline"].push_back({{"left", step_json(result.left, step.left)},
                                {"right", step_json(result.right, step.right)},
                                {"same_graph", step.same_graph}});
  return json;
}

std::string pass_name(const debug::Side& side, std::size_t index) {
  const auto& step = side.history->steps[index];
  return step.round > 1 ? fmt::format("{} (round {})", step.pass.name, step.round) : step.pass.name;
}

// The cells of a step; empty ones where the side has none there.
std::vector<Cell> half(const debug::Side& side, std::optional<std::size_t> index) {
  if (!index) return std::vector<Cell>(5, Cell(""));
  const auto& step = side.history->steps[*index];
  return {*index, pass_name(side, *index), step.result->nodes().size(),
          step.changed ? fmt::format("{}", step.rewrites.size()) : "",
          readable_time(step.duration)};
}

void print_timelines(const debug::Counterfactual& result) {
  const std::vector<Column> side{Column::number("step"), Column::name("pass"),
                                 Column::number("ops"), Column::number("rewrites"),
                                 Column::number("time")};
  std::vector<Column> columns = side;
  columns.push_back(Column::word(""));
  columns.insert(columns.end(), side.begin(), side.end());
  Table table(std::move(columns));
  for (const debug::AlignedStep& step : result.steps) {
    std::vector<Cell> row = half(result.left, step.left);
    row.push_back(!step.left || !step.right ? Cell("<>", Style::Caution)
                  : step.same_graph         ? Cell("==", Style::Faint)
                                            : Cell("!=", Style::Caution));
    const std::vector<Cell> right = half(result.right, step.right);
    row.insert(row.end(), right.begin(), right.end());
    table.add(std::move(row));
  }
  table.print();
}

std::string count_words(double number) { return fmt::format("{:.0f}", number); }
std::string size_words(double bytes) { return readable_bytes(static_cast<std::int64_t>(bytes)); }

void print_sides(const debug::Side& left, const debug::Side& right) {
  Table table({Column::word(""), Column::number("left"), Column::number("right"),
               Column::number("change")});
  const auto row = [&](const char* name, auto part, std::string (*words)(double) = count_words) {
    const auto before = static_cast<double>(part(left)), after = static_cast<double>(part(right));
    table.add({name, words(before), words(after),
               before > 0 ? fmt::format("{:+.1f}%", 100 * (after - before) / before) : ""});
  };
  row("operators", [](const debug::Side& side) { return side.counts.nodes; });
  row(
      "arithmetic", [](const debug::Side& side) { return side.counts.flops; }, readable_flops);
  row(
      "parameters", [](const debug::Side& side) { return side.counts.parameter_bytes; },
      size_words);
  row(
      "intermediates", [](const debug::Side& side) { return side.counts.intermediate_bytes; },
      size_words);
  row("kernels", [](const debug::Side& side) { return side.kernels; });
  row(
      "arithmetic of kernels", [](const debug::Side& side) { return side.kernel_flops; },
      readable_flops);
  row(
      "written between kernels",
      [](const debug::Side& side) { return side.memory->separate_bytes; }, size_words);
  row(
      "arena", [](const debug::Side& side) { return side.memory->arena_bytes; }, size_words);
  if (left.time) {
    row(
        "median time", [](const debug::Side& side) { return side.time->median_ms; },
        readable_milliseconds);
    row(
        "lower quartile", [](const debug::Side& side) { return side.time->lower_quartile_ms; },
        readable_milliseconds);
    row(
        "upper quartile", [](const debug::Side& side) { return side.time->upper_quartile_ms; },
        readable_milliseconds);
  }
  fmt::print("\n");
  table.print();
}

void print(const debug::Counterfactual& result, const CounterfactualCommandOptions& options) {
  fmt::print("left:  {}\nright: {}\n\n", result.left.pipeline, result.right.pipeline);
  print_timelines(result);
  print_sides(result.left, result.right);
  if (options.bench)
    fmt::print("times are of {} in turns, on {}\n", counted(options.rounds, "round"),
               counted(options.evaluation.threads, "thread"));
  fmt::print("\n");
  for (const debug::Difference& output : result.outputs)
    if (!output.comparable)
      fmt::print("output {}: {} instead of {}\n", output.name_before, to_string(output.type_after),
                 to_string(output.type_before));
    else
      fmt::print("output {}: {}\n", output.name_before,
                 output.bitwise_different == 0
                     ? "the same to the bit"
                     : fmt::format("{} of {} elements differ, by up to {:.3g} of what is expected "
                                   "and the root mean square of all together: {} the tolerance",
                                   output.bitwise_different, output.elements, output.relative_error,
                                   output.diverges ? "beyond" : "within"));
}

Result<Exit> act(const CounterfactualCommandOptions& options) {
  const ModelOptions model =
      TRY(with_known_inputs(options.model, options.evaluation.inputs, options.evaluation.seed));
  const auto session = TRY(open_session(model));
  const Toolchain& toolchain = session->toolchain();
  const SessionOptions left = TRY(session_options(options.model));
  SessionOptions right = left;
  if (!options.toggle.empty()) {
    right = TRY(debug::toggled(toolchain, left, options.toggle));
  } else {
    right.pipeline = options.against;
    right.disabled_passes.clear();
    right.stop_after.reset();
  }
  debug::CounterfactualOptions how;
  how.inputs =
      network_inputs(TRY(session->model())->graph, model.known_inputs, options.evaluation.seed);
  how.tolerance = options.evaluation.tolerance();
  how.threads = options.evaluation.threads;
  how.bench = options.bench;
  how.rounds = options.rounds;
  StatusLine status;
  how.control.progress = status.progress();
  tell_of_stand_ins(TRY(session->model())->graph);
  const auto result =
      TRY(debug::counterfactual(toolchain, TRY(session->model()), left, right, how));
  status.end();
  if (options.json) {
    Json json = to_json(result);
    json["threads"] = options.evaluation.threads;
    print_json(Schema::Compare, session->model_name(), json);
  } else {
    print(result, options);
  }
  return result.agree ? Exit::Good : Exit::Bad;
}

}  // namespace

void add_compare(Command app, Action& chosen) {
  const auto [command, options] = declare<CounterfactualCommandOptions>(
      app, chosen, "compare",
      "puts a model through a second pipeline: timelines, results, sizes and "
      "times side by side; ends with 1 when results differ",
      act);
  add_model(command, options->model).required();
  Command other = command.add_option_group("The second pipeline");
  other
      .add_option("--against", options->against,
                  "graph passes in order, or a preset: a, (b, c)*, @canonical")
      .type_name("PIPELINE")
      .suggests(pipeline_words);
  other
      .add_option("--toggle", options->toggle,
                  "the same pipeline with this pass switched off, or on if it was off")
      .type_name("PASS")
      .suggests(graph_pass_names);
  other.require_option(1, 1);
  const Option bench =
      command.add_flag("--bench", options->bench, "times both networks, round by round in turns");
  command.add_option("--rounds", options->rounds, "timed runs of either")
      .check(whole_number(1, 1000000))
      .capture_default_str()
      .needs(bench);
  add_strategy(command, options->model, "fusion strategy of both");
  add_evaluation(command, options->evaluation);
}

}  // namespace loopglass::app
