#include "app/loopglassc/bench_against.h"

#include "app/common/interrupts.h"
#include "app/common/kernel_choice.h"
#include "app/common/status_line.h"
#include "app/common/table.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/library_words.h"
#include "core/fusion/layer_words.h"
#include "core/kernel_file/kernel_file.h"
#include "core/library/comparison.h"
#include "core/support/counted.h"
#include "core/support/readable_time.h"
#include "core/support/statistics.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using library::Comparison;
using library::KernelPart;

// One kernel beside the library, or why there is no comparison.
struct ComparedRow {
  const fusion::Group* group;
  std::string layer;
  std::vector<std::string> left_out = {};  // operators that the library did not compute
  std::optional<Comparison> comparison = {};
  std::optional<Diagnostic> refusal = {};

  bool is_like_for_like() const { return comparison && left_out.empty(); }
};

struct Report {
  library::Library* library;
  int threads = 1, blocks = 1;
  std::vector<ComparedRow> rows;
  std::size_t without_anchor = 0;  // kernels that are neither convolutions nor products, of floats
  std::optional<NetworkBeside> network = {};
};

bool takes_networks(const AgainstOptions& options) {
  return library::takes_models(options.library) && options.kernel.empty() &&
         !kernel_file::is_kernel_file(options.network.model.path);
}

// Where their medians stand, by the geometric mean.
std::optional<double> mean_ratio(const std::vector<ComparedRow>& rows) {
  std::vector<double> ratios;
  for (const ComparedRow& row : rows)
    if (row.is_like_for_like()) ratios.push_back(row.comparison->ratio.median);
  return ratios.empty() ? std::nullopt : std::optional(geometric_mean(ratios));
}

const ComparedRow* worst_of(const std::vector<ComparedRow>& rows) {
  const ComparedRow* worst = nullptr;
  for (const ComparedRow& row : rows)
    if (row.is_like_for_like() &&
        (!worst || row.comparison->ratio.median > worst->comparison->ratio.median))
      worst = &row;
  return worst;
}

Result<Comparison> compare_code(const library::Subject& subject, const KernelPart& part,
                                library::Library& library, runtime::ThreadPool& pool,
                                const library::ComparisonOptions& options) {
  if (!subject.kernel.code)
    return fail(Code::LibraryRefused, "the kernel needs no code", subject.kernel.name);
  return library::compare(subject, part, library, pool, options);
}

Result<Report> measure(Session& session, const AgainstOptions& options, StatusLine& status) {
  library::Library& library = *TRY(library::load(options.library));
  const auto groups = TRY(choose_kernels(session, options.kernel));
  library::ComparisonOptions asked{options.threads, options.blocks};
  const Interrupts interrupts(asked.cancellation);
  const auto network =
      TRY(session.network(status.progress(), asked.cancellation, Missing::TimeOthers));
  const auto placement = TRY(session.placement());
  const graph::Graph& graph = *network->graph;
  runtime::ThreadPool pool(options.threads);
  const int threads = library.set_threads(options.threads);
  if (threads != pool.threads())
    return fail(Code::LibraryRefused,
                fmt::format("{} runs on {} where {} were asked for", library.name(),
                            counted(threads, "thread"), options.threads));
  Report report{&library, threads, options.blocks, {}};
  if (takes_networks(options)) {
    status.update("the network", 0);
    report.network = TRY(network_beside(session, options.network, pool, options.blocks,
                                        status.progress(), asked.cancellation));
  }
  // None are listed: the network alone is asked for.
  const bool is_of_kernels = !report.network || options.kernels != 0;
  for (std::size_t g = 0; is_of_kernels && g < groups.size(); ++g) {
    const fusion::Group& group = *groups[g];
    if (!library::has_anchor(graph, group)) {
      ++report.without_anchor;
      continue;
    }
    status.update(fmt::format("{}, {} of {}", group.name, g + 1, groups.size()),
                  static_cast<double>(g) / static_cast<double>(groups.size()));
    ComparedRow row{&group, fusion::layer_words(group, graph)};
    const auto kernel =
        std::ranges::find(network->kernels, group.id, &runtime::KernelInstance::group);
    const auto part = library::part_of(graph, group);
    if (!part) {
      row.refusal = part.error();
    } else {
      row.left_out = library::left_out(graph, *part);
      auto comparison = compare_code({graph, *kernel, *placement}, *part, library, pool, asked);
      if (comparison) row.comparison = *std::move(comparison);
      else if (comparison.error().code == Code::LibraryRefused) row.refusal = comparison.error();
      else return std::unexpected(std::move(comparison).error());
    }
    report.rows.push_back(std::move(row));
  }
  if (report.network && report.network->comparison) return report;
  if (std::ranges::none_of(report.rows,
                           [](const ComparedRow& row) { return row.comparison.has_value(); })) {
    if (report.network) return std::unexpected(*report.network->refusal);
    return fail(Code::LibraryRefused,
                report.rows.empty() ? "no kernel holds an operator Conv, MatMul or Gemm"
                                    : report.rows.front().refusal->what,
                options.kernel.empty() ? session.model_name() : groups.front()->name,
                report.rows.empty() || report.rows.front().refusal->hint.empty()
                    ? "operators are compared with the library's; what a kernel's text computes "
                      "is not looked for"
                    : report.rows.front().refusal->hint);
  }
  return report;
}

Json to_json(const ComparedRow& row) {
  Json json{{"name", row.group->name}, {"layer", row.layer}};
  json["refusal"] = row.refusal ? Json(row.refusal->what) : Json();
  if (!row.comparison) return json;
  const Comparison& comparison = *row.comparison;
  json["left_out"] = row.left_out;
  json["ours"] = median_and_quartiles(comparison.ours);
  json["given_layouts"] = app::to_json(comparison.given);
  json["own_layouts"] = app::to_json(comparison.own);
  json["best"] = comparison.best == library::Layouts::Own ? "own_layouts" : "given_layouts";
  json["ratio"] = app::to_json(comparison.ratio);
  json["difference"] = std::isfinite(comparison.difference) ? Json(comparison.difference) : Json();
  json["tolerance"] = comparison.tolerance;
  json["agrees"] = comparison.agrees();
  return json;
}

Json to_json(const Report& report) {
  Json json{{"against", app::to_json(*report.library)},
            {"threads", report.threads},
            {"blocks", report.blocks}};
  const auto mean = mean_ratio(report.rows);
  const ComparedRow* worst = worst_of(report.rows);
  json["network"] = report.network ? app::to_json(*report.network) : Json();
  json["geometric_mean"] = mean ? Json(*mean) : Json();
  json["worst"] = worst ? Json(worst->group->name) : Json();
  json["kernels"] = Json::array();
  for (const ComparedRow& row : report.rows) json["kernels"].push_back(to_json(row));
  return json;
}

std::vector<Cell> cells_of(const ComparedRow& row) {
  const Comparison& comparison = *row.comparison;
  return {row.group->name,
          readable_milliseconds(comparison.ours.median_ms),
          words(comparison.own),
          words(comparison.given),
          words(comparison.ratio),
          Cell(fmt::format("{:.1e}", comparison.difference),
               comparison.agrees() ? Style::Plain : Style::Bad),
          comparison.theirs().implementation,
          fmt::format("{}{}", row.layer,
                      row.left_out.empty()
                          ? ""
                          : fmt::format("; theirs without {}", fmt::join(row.left_out, ", ")))};
}

// A network of another element type has a reason for each kernel, and they are alike.
void print_refusals(const std::vector<ComparedRow>& rows) {
  constexpr std::size_t told = 3;
  std::size_t refused = 0;
  for (const ComparedRow& row : rows)
    if (row.refusal && refused++ < told)
      fmt::print("{} is not compared: {}\n", row.group->name, row.refusal->what);
  if (refused > told)
    fmt::print("{} {} not compared either; --json says why\n",
               counted(static_cast<std::int64_t>(refused - told), "more kernel"),
               refused - told == 1 ? "is" : "are");
}

void print(const Report& report, const AgainstOptions& options) {
  fmt::print("{} {} ({}, {}) on {}, medians of {}\n", report.library->name(),
             report.library->version(), report.library->instruction_set(),
             report.library->threading_runtime(), counted(report.threads, "thread"),
             counted(report.blocks, "alternating block"));
  if (report.network) app::print(*report.network);
  if (report.network && options.kernels == 0) return;
  fmt::print(
      "kernels by themselves; weights lie as each wants them, and are not timed\n"
      "as given: with tensors in our layouts; none: the library has nothing, or only a reference, "
      "for these\n\n");
  std::vector<const ComparedRow*> order;
  for (const ComparedRow& row : report.rows)
    if (row.comparison) order.push_back(&row);
  std::ranges::stable_sort(order, std::greater(),
                           [](const ComparedRow* row) { return row->comparison->ours.median_ms; });
  const std::size_t compared = order.size();
  order.resize(
      std::min(compared, static_cast<std::size_t>(options.kernels.value_or(usual_kernels))));
  Table table({Column::name("kernel"), Column::number("ours"), Column::number("as it likes"),
               Column::number("as given"), Column::word("ours / theirs"), Column::number("differ"),
               Column::name("theirs by"), Column::name("layer")});
  for (const ComparedRow* row : order) table.add(cells_of(*row));
  table.print();
  if (order.size() < compared) fmt::print("... and {} faster kernels\n", compared - order.size());
  print_refusals(report.rows);
  if (report.without_anchor > 0)
    fmt::print("{} without a convolution or product, or with one of bytes or of few bits\n",
               counted(static_cast<std::int64_t>(report.without_anchor), "more kernel"));
  const auto in_full = std::ranges::count_if(report.rows, &ComparedRow::is_like_for_like);
  if (const auto mean = mean_ratio(report.rows)) {
    const ComparedRow& worst = *worst_of(report.rows);
    fmt::print(
        "\nours / theirs, which is {}'s faster layout: geometric mean {:.2f} of {}, worst {} "
        "({})\n",
        report.library->name(), *mean, counted(in_full, "kernel"), words(worst.comparison->ratio),
        worst.group->name);
  }
  if (in_full < static_cast<std::ptrdiff_t>(compared))
    fmt::print("not in the mean: {} of which it does not compute all\n",
               counted(static_cast<std::int64_t>(compared) - in_full, "kernel"));
}

}  // namespace

Result<Exit> bench_against(Session& session, const AgainstOptions& options) {
  StatusLine status;
  const Report report = TRY(measure(session, options, status));
  status.end();
  if (options.json) print_json(Schema::BenchAgainst, session.model_name(), to_json(report));
  else print(report, options);
  Exit exit = Exit::Good;
  if (report.network && report.network->comparison && !report.network->comparison->worst.agrees()) {
    const library::OutputComparison& worst = report.network->comparison->worst;
    // Where the model allows more than rounding, nothing is said of what it comes to.
    const bool is_allowed = report.network->may_round > 0;
    fmt::print(stderr,
               "{}: '{}' differs from {} by {:.3g}, and {:.3g} is what layers' rounding explains\n",
               is_allowed ? "note" : "error", worst.output, report.library->name(),
               worst.difference, worst.may_differ());
    if (!is_allowed) exit = Exit::Bad;
  }
  for (const ComparedRow& row : report.rows)
    if (row.comparison && !row.comparison->agrees()) {
      fmt::print(stderr,
                 "error: {} differs from {} by {:.3g}, and {:.3g} is what rounding explains\n",
                 row.group->name, report.library->name(), row.comparison->difference,
                 row.comparison->tolerance);
      exit = Exit::Bad;
    }
  return exit;
}

}  // namespace loopglass::app
