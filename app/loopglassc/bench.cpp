// loopglassc bench: how long the whole network and each kernel take.
#include "app/common/calibration.h"
#include "app/common/numbers.h"
#include "app/common/schedule_options.h"
#include "app/loopglassc/bench_against.h"
#include "app/loopglassc/bench_lines.h"
#include "app/loopglassc/declare.h"
#include "core/fusion/layer_words.h"
#include "core/runtime/timing_words.h"
#include "core/support/counted.h"
#include "core/support/machine_processors.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t usual_kernels = 20;
constexpr int usual_warm_up = 2;

struct Options {
  ModelOptions model;
  std::optional<int> threads;
  int rounds = 10;
  std::optional<int> warm_up;
  std::optional<std::uint64_t> kernels;  // that are listed
  bool record = false;
  bool per_line = false;
  std::string kernel;   // whose lines, or that is compared
  std::string against;  // a library
  bool json = false;
};

Json to_json(const runtime::Statistics& time) {
  return {{"median_ms", time.median_ms},
          {"lower_quartile_ms", time.lower_quartile_ms},
          {"upper_quartile_ms", time.upper_quartile_ms},
          {"minimum_ms", time.minimum_ms},
          {"rounds", time.rounds}};
}

Json to_json(const MachineProcessors& processors) {
  return {{"online", processors.online},
          {"affinity", processors.allowed},
          {"quota", processors.quota ? Json(*processors.quota) : Json()},
          {"usable", processors.usable()}};
}

std::string ms(double time) { return readable_time(Milliseconds(time)); }

double gflops(std::int64_t flops, double milliseconds) {
  return milliseconds > 0 ? static_cast<double>(flops) / milliseconds * 1e-6 : 0;
}

Json to_json(const runtime::BenchmarkReport& report, const std::string& model,
             const kernel::CodeStore::Counts& code) {
  Json json{{"model", model},
            {"machine", codegen::host_description()},
            {"threads", report.threads},
            {"compiled", code.compiled},
            {"from_cache", code.from_cache}};
  json["processors"] = to_json(machine_processors());
  json.update(to_json(report.network));
  // Not in the above: for a caller who takes new tensors for the outputs of each run.
  json["fresh_outputs"] = {{"bytes", report.output_bytes},
                           {"median_ms", report.fresh_outputs.median_ms}};
  json.update({{"flops", report.flops},
               {"gflops", gflops(report.flops, report.network.median_ms)},
               {"arena_bytes", report.arena_bytes},
               {"arena_lower_bound", report.arena_lower_bound}});
  json["spread"] = runtime::spread(report.network);
  // Processors that others kept busy meanwhile.
  json["load"] = report.load ? Json{{"others", report.load->others},
                                    {"processors", report.load->processors},
                                    {"busy", is_busy(*report.load, report.threads)}}
                             : Json(nullptr);
  json["kernels"] = Json::array();
  for (const runtime::KernelTiming& kernel : report.kernels) {
    Json row{{"name", kernel.name}};
    row.update(to_json(kernel.time));
    row.update({{"flops", kernel.flops},
                {"bytes", kernel.bytes},
                {"view", kernel.is_view},
                {"missing", kernel.missing ? Json(kernel.missing->what) : Json(nullptr)},
                {"gflops", kernel.gflops},
                {"gigabytes_per_second", kernel.gigabytes_per_second}});
    // Nobody has timed these.
    if (kernel.missing)
      for (const char* name : {"median_ms", "lower_quartile_ms", "upper_quartile_ms", "minimum_ms",
                               "rounds", "gflops", "gigabytes_per_second"})
        row[name] = nullptr;
    json["kernels"].push_back(std::move(row));
  }
  return json;
}

void print(const runtime::BenchmarkReport& report, const fusion::Plan& plan,
           const graph::Graph& graph, const std::string& model, std::size_t most) {
  std::vector<runtime::KernelTiming> kernels = report.kernels;
  const auto missing = std::count_if(kernels.begin(), kernels.end(),
                                     [](const auto& kernel) { return kernel.missing.has_value(); });
  std::erase_if(kernels, [](const runtime::KernelTiming& kernel) {
    return kernel.is_view || kernel.missing;
  });
  const std::size_t ran = kernels.size();
  std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
    return a.time.median_ms > b.time.median_ms;
  });
  double total = 0;
  std::size_t width = 6;
  for (const runtime::KernelTiming& kernel : kernels) total += kernel.time.median_ms;
  if (kernels.size() > most) kernels.resize(most);
  for (const runtime::KernelTiming& kernel : kernels) width = std::max(width, kernel.name.size());
  if (ran > 0)
    fmt::print("{:<{}}{:>12}{:>8}{:>12}{:>9}  {}\n", "kernel", width, "median", "share", "GFLOP/s",
               "GB/s", "layer");
  for (const runtime::KernelTiming& kernel : kernels)
    fmt::print("{:<{}}{:>12}{:>7.1f}%{:>12.1f}{:>9.1f}  {}\n", kernel.name, width,
               ms(kernel.time.median_ms), total > 0 ? 100 * kernel.time.median_ms / total : 0.0,
               kernel.gflops, kernel.gigabytes_per_second,
               fusion::layer_words(plan.group(kernel.group), graph));
  if (kernels.size() < ran) fmt::print("... and {} faster kernels\n", ran - kernels.size());
  const std::size_t views = report.kernels.size() - ran - static_cast<std::size_t>(missing);
  if (views > 0)
    fmt::print("{} more need no code: their results are written or lie where they belong\n", views);
  if (missing > 0)
    fmt::print("{} missing and not timed, with random numbers in the place of their results:\n",
               missing == 1 ? "1 more is" : fmt::format("{} more are", missing));
  for (const runtime::KernelTiming& kernel : report.kernels)
    if (kernel.missing)
      fmt::print("  {}: {}: {}\n", kernel.name, code_name(kernel.missing->code),
                 kernel.missing->what);
  if (missing > 0 && ran == 0) {
    fmt::print("\nno kernel of {} can be timed\n", model);
    return;
  }
  if (missing > 0) fmt::print("\nwithout what is missing:");
  fmt::print("\n{} on {}: median {} (quartiles {} to {}; {}), {}, arena {}\n", model,
             counted(report.threads, "thread"), ms(report.network.median_ms),
             ms(report.network.lower_quartile_ms), ms(report.network.upper_quartile_ms),
             runtime::trust_words(report.network, report.load, report.threads),
             readable_speed(gflops(report.flops, report.network.median_ms)),
             readable_bytes(report.arena_bytes));
  fmt::print("{}\n", runtime::sum_words(report));
  fmt::print("outputs are kept from run to run; to take {} for them anew costs {} more\n",
             readable_bytes(report.output_bytes), ms(report.fresh_outputs.median_ms));
}

// What the numbers depend on and does not show in them.
void print_notes(const runtime::BenchmarkReport& report) {
  const MachineProcessors processors = machine_processors();
  if (!report.shortage.empty()) fmt::print(stderr, "note: {}\n", report.shortage);
  if (processors.usable() < processors.online)
    fmt::print(stderr, "note: {}\n", to_string(processors));
}

// Plans made from now on weigh kernels of the same structure by what they took here.
Result<void> record(Session& session, const runtime::BenchmarkReport& report) {
  const auto graph = TRY(session.graph());
  const auto plan = TRY(session.plan());
  const fusion::BlockRules rules(*graph);
  const auto cost = session.cost_model();
  fusion::Measurements measurements;
  for (const runtime::KernelTiming& kernel : report.kernels) {
    if (kernel.is_view || kernel.missing) continue;
    std::vector<std::size_t> nodes;
    for (const graph::NodeId node : plan->group(kernel.group).nodes)
      nodes.push_back(graph->position(node));
    std::sort(nodes.begin(), nodes.end());
    const std::uint64_t structure = fusion::CostModel::structural_hash(*graph, nodes);
    fusion::Measurement measured = cost->measurement(rules, nodes, kernel.time.median_ms * 1e3);
    measured.spread = runtime::spread(kernel.time) / 2;
    const auto [known, fresh] = measurements.emplace(structure, measured);
    // Of repeated layers, the one that was disturbed least.
    if (!fresh)
      known->second.microseconds = std::min(known->second.microseconds, measured.microseconds);
  }
  const auto file = TRY(keep(measurements));
  fmt::print(stderr, "note: {} kernels kept in {}\n", measurements.size(), file.string());
  return {};
}

Result<Exit> measure(const Options& options) {
  if (options.json && options.kernels)
    return fail(Code::UsageInvalid, "--json lists all kernels", "--kernels",
                "leave one of them out");
  if (!options.kernel.empty() && !options.per_line && options.against.empty())
    return fail(Code::UsageInvalid, "all kernels are timed", "--kernel",
                "with --per-line it says whose schedule is walked through, with --against which "
                "kernel is compared");
  if (!options.against.empty() && (options.record || options.per_line || options.warm_up))
    return fail(Code::UsageInvalid, "kernels are timed beside a library's", "--against",
                "leave --record, --per-line and --warm-up out");
  if (options.per_line && (options.record || options.kernels))
    return fail(Code::UsageInvalid, "one kernel is timed, line by line", "--per-line",
                "leave --record and --kernels out");
  if (options.per_line || options.record)
    TRY_VOID(refuse_switches(options.model, machine_code_switches,
                             options.per_line ? "--per-line" : "what --record keeps",
                             "leave one of them out"));
  // Plans are weighed for one thread.
  const int threads = options.threads.value_or(options.record ? 1 : runtime::hardware_threads());
  if (options.record && threads != 1)
    return fail(Code::UsageInvalid,
                "kernels are recorded on one thread, which is what plans are weighed for",
                "--record", "leave --threads out");
  if (options.record) TRY_VOID(check_keeping());
  const auto session = TRY(open_session(options.model));
  if (!options.against.empty())
    return bench_against(*session, {options.against, options.kernel, threads, options.rounds,
                                    options.kernels, options.json});
  runtime::BenchmarkOptions benchmark;
  benchmark.threads = threads;
  benchmark.rounds = options.rounds;
  benchmark.warm_up = options.warm_up.value_or(usual_warm_up);
  if (options.per_line) {
    TRY_VOID(bench_lines(*session, options.kernel, benchmark, options.json));
    return Exit::Good;
  }
  const runtime::BenchmarkReport report = TRY(session->benchmark(benchmark));
  print_notes(report);
  if (options.json) print_json(to_json(report, session->model_name(), session->code_counts()));
  else
    print(report, *TRY(session->plan()), *TRY(session->graph()), session->model_name(),
          options.kernels.value_or(usual_kernels));
  // Last, so that what was measured is told even if the disk has filled up meanwhile.
  if (options.record) TRY_VOID(record(*session, report));
  return Exit::Good;
}

}  // namespace

void add_bench(Command app, Action& chosen) {
  const auto [command, options] = declare<Options>(
      app, chosen, "bench", "times a model, as a whole and kernel by kernel", measure,
      "as JSON: median_ms of the network, fresh_outputs beside it, kernels in the order they run");
  add_model(command, options->model).required();
  add_plan(command, options->model);
  add_schedules(command, options->model);
  add_llvm_passes(command, options->model);
  command
      .add_option("--threads", options->threads,
                  "threads to run on; as many as run at once here, and one with --record, where "
                  "it is not said")
      .check(thread_count());
  command.add_option("--rounds", options->rounds, "timed runs")
      .check(whole_number(1, 1000000))
      .capture_default_str();
  command.add_option("--warm-up", options->warm_up, "runs before that")
      .check(whole_number(0, 1000000))
      .default_str(std::to_string(usual_warm_up));
  command
      .add_option("--against", options->against,
                  "times each convolution and product beside what a library makes of the same "
                  "operators, and compares their results: onednn; --rounds are then alternating "
                  "blocks of each")
      .check(not_blank())
      .type_name("LIBRARY");
  command.add_flag("--record", options->record,
                   "keeps the kernels' times on one thread, for fusion to weigh costs by");
  command.add_flag("--per-line", options->per_line,
                   "times one kernel after each line of its schedule");
  command
      .add_option("--kernel", options->kernel,
                  "the kernel of --per-line or --against, by name or number")
      .type_name("NAME");
  command.add_option("--kernels", options->kernels, "how many kernels to list, slowest first")
      .check(whole_number(0, 1000000))
      .default_str(std::to_string(usual_kernels));
}

}  // namespace loopglass::app
