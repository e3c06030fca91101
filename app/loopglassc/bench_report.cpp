#include "app/loopglassc/bench_report.h"

#include "app/common/family_style.h"
#include "app/common/roofline_json.h"
#include "app/common/table.h"
#include "app/common/times_json.h"
#include "core/codegen/kernel.h"
#include "core/fusion/layer_words.h"
#include "core/runtime/timing_words.h"
#include "core/support/counted.h"
#include "core/support/machine_processors.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using runtime::KernelTiming;

double gflops(std::int64_t flops, double milliseconds) {
  return milliseconds > 0 ? static_cast<double>(flops) / milliseconds * 1e-6 : 0;
}

// A kernel with what stands beside its times.
struct KernelRow {
  const KernelTiming* timing;
  const TimedCeilings* ceilings;  // null: nobody knows
  const fusion::Group* group;
  std::size_t number;  // of the plan's groups
};

std::vector<KernelRow> rows_of(const BenchResults& results, const BenchListing& listing) {
  std::vector<KernelRow> rows;
  for (std::size_t k = 0; k < results.report.kernels.size(); ++k) {
    const KernelTiming& timing = results.report.kernels[k];
    const fusion::Group& group = listing.plan.group(timing.group);
    if (listing.kernel && listing.kernel != &group) continue;
    const bool is_known = k < results.ceilings.size() && results.ceilings[k];
    rows.push_back({&timing, is_known ? &*results.ceilings[k] : nullptr, &group,
                    static_cast<std::size_t>(&group - listing.plan.groups.data())});
  }
  return rows;
}

bool is_run(const KernelRow& row) { return !row.timing->is_view && !row.timing->missing; }

std::string whole_percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

std::string peak_words(const KernelRow& row) {
  return row.ceilings && row.ceilings->share_of_peak > 0
             ? whole_percent(row.ceilings->share_of_peak)
             : "-";
}

std::string roof_words(const KernelRow& row) {
  const roofline::Ceiling* nearest = row.ceilings ? row.ceilings->nearest() : nullptr;
  if (!nearest) return "-";
  return fmt::format("{} {}", roofline::name(nearest->bound), whole_percent(nearest->share));
}

// Why it is above a roof; empty: it is not.
std::string above_words(const KernelRow& row) {
  const roofline::Ceiling* nearest = row.ceilings ? row.ceilings->nearest() : nullptr;
  return nearest ? roofline::above_words(*nearest) : "";
}

void print_table(const std::vector<KernelRow>& all, const BenchListing& listing) {
  std::vector<KernelRow> rows;
  std::ranges::copy_if(all, std::back_inserter(rows), is_run);
  std::ranges::stable_sort(rows, std::greater(),
                           [](const KernelRow& row) { return row.timing->time.median_ms; });
  double total = 0;
  for (const KernelRow& row : rows) total += row.timing->time.median_ms;
  const std::size_t ran = rows.size();
  rows.resize(std::min(ran, listing.most));
  Table table({Column::number("#"), Column::name("kernel"), Column::number("median"),
               Column::number("share"), Column::number("GFLOP/s"), Column::number("of peak"),
               Column::number("GB/s"), Column::word("nearest roof"), Column::name("layer")});
  for (const KernelRow& row : rows) {
    table.add({row.number,
               {row.timing->name, style_of(*row.group, listing.graph)},
               readable_milliseconds(row.timing->time.median_ms),
               fmt::format("{:.1f}%", total > 0 ? 100 * row.timing->time.median_ms / total : 0.0),
               fmt::format("{:.1f}", row.timing->gflops),
               peak_words(row),
               fmt::format("{:.1f}", row.timing->gigabytes_per_second),
               roof_words(row),
               fusion::layer_words(*row.group, listing.graph)});
    if (const std::string above = above_words(row); !above.empty())
      table.add_line({"  " + above, Style::Faint});
  }
  if (!table.empty()) table.print();
  double shown = 0;
  for (const KernelRow& row : rows) shown += row.timing->time.median_ms;
  if (rows.size() < ran)
    fmt::print("... and {} faster kernels, {} together\n", ran - rows.size(),
               readable_milliseconds(total - shown));
}

// Which are not in the table, and why.
void print_not_run(const std::vector<KernelRow>& rows) {
  const auto views = std::ranges::count_if(
      rows, [](const KernelRow& row) { return row.timing->is_view && !row.timing->missing; });
  if (views > 0)
    fmt::print("{}: their results are written or lie where they belong\n",
               views == 1 ? "1 more needs no code" : fmt::format("{} more need no code", views));
  const auto missing = std::ranges::count_if(
      rows, [](const KernelRow& row) { return row.timing->missing.has_value(); });
  if (missing > 0)
    fmt::print("{} missing and not timed, with random numbers in the place of their results:\n",
               missing == 1 ? "1 more is" : fmt::format("{} more are", missing));
  for (const KernelRow& row : rows)
    if (row.timing->missing)
      fmt::print("  {}: {}: {}\n", row.timing->name, code_name(row.timing->missing->code),
                 row.timing->missing->what);
}

// One kernel, with all that is known.
void print_card(const KernelRow& row, const BenchResults& results, const BenchListing& listing) {
  const KernelTiming& timing = *row.timing;
  fmt::print("kernel {}, {}: {}\n", row.number, timing.name,
             fusion::layer_words(*row.group, listing.graph));
  std::size_t width = 0;
  for (const graph::NodeId id : row.group->nodes)
    width = std::max(width, listing.graph.node(id).name.size());
  for (const graph::NodeId id : row.group->nodes) {
    const graph::Node& node = listing.graph.node(id);
    const Styled styled(style_of(node.op->family));
    fmt::print("  {:<{}}  {}\n", node.name, width, graph::operator_name(node));
  }
  if (!is_run(row)) return print_not_run({row});
  const double all = runtime::sum_of_kernels(results.report);
  fmt::print("{} in the network on {} (quartiles {} to {}), {:.1f} % of all kernels' {}\n",
             readable_milliseconds(timing.time.median_ms),
             counted(results.report.threads, "thread"),
             readable_milliseconds(timing.time.lower_quartile_ms),
             readable_milliseconds(timing.time.upper_quartile_ms),
             all > 0 ? 100 * timing.time.median_ms / all : 0, readable_milliseconds(all));
  fmt::print("{}, {}; {} of arguments, {:.1f} GB/s\n",
             readable_flops(static_cast<double>(timing.flops)), readable_speed(timing.gflops),
             readable_bytes(timing.bytes), timing.gigabytes_per_second);
  if (row.ceilings && row.ceilings->share_of_peak > 0)
    fmt::print("{} of the machine's peak\n", whole_percent(row.ceilings->share_of_peak));
  if (row.ceilings) {
    fmt::print("\nif this roof alone were in the way\n");
    for (const roofline::Ceiling& ceiling : row.ceilings->ceilings)
      if (ceiling.share >= 0.01)
        fmt::print("  {:<10}{:>11}{:>6.0f} %\n", roofline::name(ceiling.bound),
                   readable_milliseconds(ceiling.milliseconds), 100 * ceiling.share);
    if (const std::string above = above_words(row); !above.empty()) fmt::print("{}\n", above);
  }
  fmt::print(
      "\nloopglassc roofline {0} --kernel {1}  finds by experiments what keeps it from them\n"
      "loopglassc emit asm {0} --kernel {1} --hot  its innermost loops, each line with its "
      "operator\n",
      listing.asked, row.number);
}

// What more threads than one are good for.
std::string words_on_threads(const BenchResults& results) {
  const runtime::BenchmarkReport& report = results.report;
  const std::string threads = counted(report.threads, "thread");
  const double one = results.one_thread->median_ms, more = report.network.median_ms;
  if (one >= more) return fmt::format("{} are {:.2f} times as fast", threads, one / more);
  if (report.load && is_busy(*report.load, report.threads))
    return fmt::format("{} are slower, but others had the processors meanwhile", threads);
  return fmt::format("{} are slower, for it is small; --threads 1 times that", threads);
}

// Of the network: time, threads, memory.
void print_sum(const BenchResults& results, const BenchListing& listing) {
  const runtime::BenchmarkReport& report = results.report;
  fmt::print("\n{} on {}: median {} (quartiles {} to {}; {}), {}", listing.session.model_name(),
             counted(report.threads, "thread"), readable_milliseconds(report.network.median_ms),
             readable_milliseconds(report.network.lower_quartile_ms),
             readable_milliseconds(report.network.upper_quartile_ms),
             runtime::trust_words(report.network, report.load, report.threads),
             readable_speed(gflops(report.flops, report.network.median_ms)));
  if (results.roofs && results.roofs->float32_gflops > 0)
    fmt::print(" of {} in float32", readable_speed(results.roofs->float32_gflops));
  fmt::print(", arena {}\n", readable_bytes(report.arena_bytes));
  if (results.one_thread)
    fmt::print("on 1 thread it takes {}: {}\n",
               readable_milliseconds(results.one_thread->median_ms), words_on_threads(results));
  fmt::print("{}\n", runtime::sum_words(report));
  fmt::print("outputs are kept from run to run; to take {} for them anew costs {} more\n",
             readable_bytes(report.output_bytes),
             readable_milliseconds(report.fresh_outputs.median_ms));
  if (results.roofs)
    fmt::print(
        "roofs are counted; 'loopglassc roofline' finds by experiments what keeps a kernel "
        "from them\n");
}

Json to_json(const MachineProcessors& processors) {
  return {{"online", processors.online},
          {"affinity", processors.allowed},
          {"quota", processors.quota ? Json(*processors.quota) : Json()},
          {"usable", processors.usable()}};
}

Json to_json(const KernelRow& row, const graph::Graph& graph) {
  const KernelTiming& kernel = *row.timing;
  Json json{{"number", row.number},
            {"name", kernel.name},
            {"layer", fusion::layer_words(*row.group, graph)}};
  json["operators"] = Json::array();
  for (const graph::NodeId id : row.group->nodes)
    json["operators"].push_back(
        {{"name", graph.node(id).name}, {"operator", graph::operator_name(graph.node(id))}});
  json.update(app::to_json(kernel.time));
  json.update({{"flops", kernel.flops},
               {"traffic_bytes", kernel.bytes},
               {"view", kernel.is_view},
               {"missing", kernel.missing ? Json(kernel.missing->what) : Json(nullptr)},
               {"gflops", kernel.gflops},
               {"gigabytes_per_second", kernel.gigabytes_per_second}});
  json["share_of_peak"] = row.ceilings ? Json(row.ceilings->share_of_peak) : Json();
  json["ceilings"] = Json::array();
  if (row.ceilings)
    for (const roofline::Ceiling& ceiling : row.ceilings->ceilings)
      json["ceilings"].push_back({{"bound", roofline::name(ceiling.bound)},
                                  {"time_us", microseconds(ceiling.milliseconds)},
                                  {"share", ceiling.share}});
  // Nobody has timed these.
  if (kernel.missing)
    for (const char* name : {"median_us", "lower_quartile_us", "upper_quartile_us", "minimum_us",
                             "rounds", "gflops", "gigabytes_per_second"})
      json[name] = nullptr;
  return json;
}

}  // namespace

void print(const BenchResults& results, const BenchListing& listing) {
  const std::vector<KernelRow> rows = rows_of(results, listing);
  if (listing.kernel) {
    for (const KernelRow& row : rows) print_card(row, results, listing);
    return;
  }
  print_table(rows, listing);
  print_not_run(rows);
  const bool any_missing = std::ranges::any_of(
      rows, [](const KernelRow& row) { return row.timing->missing.has_value(); });
  if (any_missing && std::ranges::none_of(rows, is_run)) {
    fmt::print("\nno kernel of {} can be timed\n", listing.session.model_name());
    return;
  }
  if (any_missing) fmt::print("\nwithout what is missing:");
  print_sum(results, listing);
}

Json to_json(const BenchResults& results, const BenchListing& listing) {
  const runtime::BenchmarkReport& report = results.report;
  const kernel::CodeStore::Counts code = listing.session.code_counts();
  Json json{{"machine", codegen::host_description()},
            {"threads", report.threads},
            {"compiled", code.compiled},
            {"from_cache", code.from_cache}};
  json["processors"] = to_json(machine_processors());
  json.update(app::to_json(report.network));
  json["one_thread"] = results.one_thread ? app::to_json(*results.one_thread) : Json();
  // Not in the above: for a caller who takes new tensors for the outputs of each run.
  json["fresh_outputs"] = {{"bytes", report.output_bytes},
                           {"median_us", microseconds(report.fresh_outputs.median_ms)}};
  json.update({{"flops", report.flops},
               {"gflops", gflops(report.flops, report.network.median_ms)},
               {"arena_bytes", report.arena_bytes},
               {"lower_bound_bytes", report.arena_lower_bound}});
  json["spread"] = runtime::spread(report.network);
  json["load"] = to_json(report.load, report.threads);
  json["roofs"] = results.roofs ? to_json(*results.roofs) : Json();
  json["kernel_count"] = report.kernels.size();
  json["kernels"] = Json::array();
  for (const KernelRow& row : rows_of(results, listing))
    json["kernels"].push_back(to_json(row, listing.graph));
  return json;
}

}  // namespace loopglass::app
