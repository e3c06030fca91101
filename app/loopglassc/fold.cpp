// loopglassc fold: a network as a tree of its parts, by names or by blocks that repeat, with what
// each part costs.
#include "app/common/numbers.h"
#include "app/common/status_line.h"
#include "app/common/table.h"
#include "app/common/times_json.h"
#include "app/loopglassc/declare.h"
#include "core/debug/part_costs.h"
#include "core/runtime/timing_words.h"
#include "core/support/counted.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct FoldOptions {
  ModelOptions model;
  std::string by = "blocks";
  bool kernels = false, bench = false;
  std::optional<int> threads;
  std::optional<int> depth;

  static constexpr int usual_depth = 3;
  bool json = false;
};

struct ShownFolding {
  graph::Folding folding;
  PartCosts costs;
};

std::string title_of(const graph::Fold& fold) {
  return fold.repeats > 1 ? fmt::format("{} x{}", fold.title, fold.repeats) : fold.title;
}

Json cost_json(const PartCost& cost) {
  return {
      {"operator_count", cost.operators},
      {"kernel_count", cost.kernels},
      {"flops", cost.flops},
      {"result_bytes", cost.bytes},
      {"median_us", cost.milliseconds ? Json(microseconds(*cost.milliseconds)) : Json(nullptr)}};
}

Json part_json(const ShownFolding& shown, int which) {
  const graph::Fold& fold = shown.folding.folds[static_cast<std::size_t>(which)];
  Json json{{"title", fold.title}, {"repeats", fold.repeats}};
  json.update(cost_json(shown.costs.folds[static_cast<std::size_t>(which)]));
  json["items"] = Json::array();
  for (const std::uint32_t item : fold.items)
    json["items"].push_back(shown.folding.items[item].name);
  json["parts"] = Json::array();
  for (const int child : fold.children) json["parts"].push_back(part_json(shown, child));
  return json;
}

Json to_json(const ShownFolding& shown, const FoldOptions& options) {
  Json json{{"by", options.by}, {"item_count", shown.folding.items.size()}};
  json.update(cost_json(shown.costs.all));
  json["parts"] = Json::array();
  for (std::size_t f = 0; f < shown.folding.folds.size(); ++f)
    if (shown.folding.folds[f].parent < 0)
      json["parts"].push_back(part_json(shown, static_cast<int>(f)));
  return json;
}

class Tree {
 public:
  Tree(const ShownFolding& shown, const FoldOptions& options)
      : shown_(shown), options_(options), table_(columns(options)) {}

  void print(const std::string& model) {
    row(shown_.costs.all, model, 0);
    for (std::size_t f = 0; f < shown_.folding.folds.size(); ++f)
      if (shown_.folding.folds[f].parent < 0) fold(static_cast<int>(f), 1);
    table_.print();
    const auto loose =
        std::count(shown_.folding.innermost.begin(), shown_.folding.innermost.end(), -1);
    if (loose > 0)
      fmt::print("{} of {} {} lie in no part\n", loose, shown_.folding.items.size(),
                 options_.kernels ? "kernels" : "operators");
  }

 private:
  static std::vector<Column> columns(const FoldOptions& options) {
    std::vector<Column> columns{Column::number("operators"), Column::number("kernels"),
                                Column::number("arithmetic"), Column::number("results")};
    if (options.bench) {
      columns.push_back(Column::number("median"));
      columns.push_back(Column::number("share"));
    }
    columns.push_back(Column::name("part"));
    return columns;
  }

  void row(const PartCost& cost, const std::string& title, int depth) {
    std::vector<Cell> row{cost.operators, cost.kernels,
                          readable_flops(static_cast<double>(cost.flops)),
                          readable_bytes(cost.bytes)};
    if (options_.bench) {
      const double all = shown_.costs.all.milliseconds.value_or(0);
      row.emplace_back(cost.milliseconds ? readable_time(Milliseconds(*cost.milliseconds)) : "-");
      row.emplace_back(cost.milliseconds
                           ? fmt::format("{:.1f}%", all > 0 ? 100 * *cost.milliseconds / all : 0)
                           : "");
    }
    row.emplace_back(std::string(static_cast<std::size_t>(2 * depth), ' ') + title);
    table_.add(std::move(row));
  }

  void fold(int which, int depth) {
    if (depth > options_.depth.value_or(FoldOptions::usual_depth)) return;
    const graph::Fold& fold = shown_.folding.folds[static_cast<std::size_t>(which)];
    row(shown_.costs.folds[static_cast<std::size_t>(which)], title_of(fold), depth);
    // Blocks of a run are alike: one says it for all, unless they took different times.
    for (const int child : fold.children) {
      this->fold(child, depth + 1);
      if (fold.repeats > 1 && !options_.bench) break;
    }
  }

  const ShownFolding& shown_;
  const FoldOptions& options_;
  Table table_;
};

Result<Exit> show(const FoldOptions& options) {
  if (options.json && options.depth)
    return fail(Code::UsageInvalid, "--json prints all depths", "--depth", "leave one of them out");
  const auto session = TRY(open_session(options.model));
  const auto graph = TRY(session->graph());
  const auto plan = TRY(session->plan());
  std::optional<runtime::BenchmarkReport> timings;
  if (options.bench) {
    runtime::BenchmarkOptions benchmark;
    benchmark.threads = options.threads.value_or(runtime::hardware_threads());
    StatusLine status;
    timings = TRY(session->benchmark(benchmark, status.progress()));
  }
  const graph::Parts kernels = kernels_as_parts(*plan, *graph);
  ShownFolding shown;
  shown.folding =
      graph::fold(*graph, options.by == "names" ? graph::FoldBy::Names : graph::FoldBy::Blocks,
                  options.kernels ? &kernels : nullptr);
  shown.costs = part_costs(shown.folding, *graph, *plan, timings ? &*timings : nullptr);
  if (options.json) print_json(Schema::Fold, session->model_name(), to_json(shown, options));
  else Tree(shown, options).print(session->model_name());
  if (timings && !options.json)
    fmt::print("\non {}: {}\n", counted(timings->threads, "thread"),
               runtime::trust_words(timings->network, timings->load, timings->threads));
  return Exit::Good;
}

}  // namespace

void add_fold(Command app, Action& chosen) {
  const auto [command, options] = declare<FoldOptions>(
      app, chosen, "fold", "a network as a tree of its parts, with what each of them costs", show,
      "as JSON: every part with its items, all depths");
  add_model(command, options->model).required();
  add_plan(command, options->model);
  command
      .add_option("--by", options->by,
                  "parts are blocks that repeat, or follow the operators' names")
      .check(one_of({"blocks", "names"}))
      .capture_default_str();
  command.add_flag("--kernels", options->kernels, "kernels are folded, not operators");
  const Option bench =
      command.add_flag("--bench", options->bench, "with the time of each part, measured now");
  command
      .add_option("--threads", options->threads,
                  "threads to measure on; as many as run at once here")
      .check(thread_count())
      .needs(bench);
  command.add_option("--depth", options->depth, "how many levels are printed")
      .check(whole_number(1, 64))
      .default_str(std::to_string(FoldOptions::usual_depth));
}

}  // namespace loopglass::app
