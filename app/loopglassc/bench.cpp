// loopglassc bench: how long the whole network and each kernel take.
#include "app/common/calibration.h"
#include "app/common/kernel_choice.h"
#include "app/common/model_argument.h"
#include "app/common/numbers.h"
#include "app/common/schedule_options.h"
#include "app/common/status_line.h"
#include "app/loopglassc/bench_against.h"
#include "app/loopglassc/bench_lines.h"
#include "app/loopglassc/bench_report.h"
#include "app/loopglassc/by_library.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/gate.h"
#include "app/loopglassc/inputs.h"
#include "app/loopglassc/known_roofs.h"
#include "app/loopglassc/memory_limit.h"
#include "core/library/library.h"
#include "core/runtime/timing_words.h"
#include "core/support/machine_processors.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr int usual_warm_up = 2;
// Enough to say which of two numbers of threads is the better one.
constexpr int rounds_of_one_thread = 5;
// A network that takes too long is timed so often in all before that counts.
constexpr int most_trials = 3;

struct BenchOptions {
  ModelOptions model;
  std::optional<int> threads;
  int rounds = 10;
  std::optional<int> warm_up;
  std::optional<std::uint64_t> kernels;  // that are listed
  bool record = false;
  bool per_line = false;
  std::string kernel;   // alone
  std::string against;  // a library
  std::vector<std::string> library;
  std::vector<std::string> inputs;
  Gate gate;
  bool json = false;
};

// What the numbers depend on and does not show in them.
void print_notes(const runtime::BenchmarkReport& report) {
  const MachineProcessors processors = machine_processors();
  if (!report.shortage.empty()) fmt::print(stderr, "note: {}\n", report.shortage);
  if (processors.usable() < processors.online)
    fmt::print(stderr, "note: {}\n", to_string(processors));
}

// By what the machine is known to give at most, which is measured once. A benchmark without them is
// one, too.
void take_ceilings(Session& session, BenchResults& results) {
  const auto take = [&]() -> Result<void> {
    const roofline::Roofs roofs = TRY(known_roofs(session, results.report.threads));
    results.ceilings = TRY(timed_ceilings(session, results.report, roofs));
    results.roofs = roofs;
    return {};
  };
  if (const auto taken = take(); !taken)
    fmt::print(stderr, "note: no roofs are known: {}\n", taken.error().what);
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

Result<Exit> measure(const BenchOptions& options) {
  const bool is_network_alone = library::takes_models(options.against) && options.kernels == 0;
  if (options.json && options.kernels && !is_network_alone)
    return fail(Code::UsageInvalid, "--json lists all kernels", "--kernels",
                "leave one of them out");
  if (!options.kernel.empty() && (options.kernels || options.record))
    return fail(Code::UsageInvalid, "one kernel is looked at", "--kernel",
                "leave --kernels and --record out");
  if (!options.against.empty() && (options.record || options.per_line || options.warm_up))
    return fail(Code::UsageInvalid, "kernels are timed beside a library's", "--against",
                "leave --record, --per-line and --warm-up out");
  if (options.per_line && (options.record || options.kernels))
    return fail(Code::UsageInvalid, "one kernel is timed, line by line", "--per-line",
                "leave --record and --kernels out");
  // Single kernels read random numbers.
  if (!options.inputs.empty() && options.per_line)
    return fail(Code::UsageInvalid, "inputs are those of a network", "--input",
                "leave --per-line out");
  if (!options.library.empty() &&
      (!options.against.empty() || !options.kernel.empty() || options.per_line || options.record))
    return fail(Code::UsageInvalid, "networks are timed, with and without the library's kernels",
                "--library", "leave --against, --kernel, --per-line and --record out");
  if (options.per_line || !options.against.empty() || !options.kernel.empty())
    TRY_VOID(refuse_gate(options.gate, "single kernels", "leave it out, or time the network"));
  if (!options.library.empty())
    TRY_VOID(refuse_gate(options.gate, "two networks beside one another", "leave it out"));
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
  const ModelOptions asked = TRY(with_known_inputs(options.model, options.inputs));
  const auto session = TRY(open_session(asked));
  if (!options.against.empty()) {
    const onnx::Source model = TRY(find_model(options.model.model));
    return bench_against(*session, {options.against,
                                    options.kernel,
                                    threads,
                                    options.rounds,
                                    options.kernels,
                                    options.json,
                                    {model, !options.model.subgraph.empty(), asked.known_inputs}});
  }
  if (!options.library.empty())
    return bench_by_library(
        *session,
        {options.library, threads, options.rounds, options.warm_up.value_or(usual_warm_up),
         options.kernels.value_or(usual_kernels), options.json, asked.known_inputs});
  runtime::BenchmarkOptions benchmark;
  benchmark.threads = threads;
  benchmark.rounds = options.rounds;
  benchmark.warm_up = options.warm_up.value_or(usual_warm_up);
  benchmark.inputs = asked.known_inputs;
  if (options.per_line) {
    TRY_VOID(bench_lines(*session, options.kernel, benchmark, options.json));
    return Exit::Good;
  }
  const Json baseline = TRY(read_baseline(options.gate, Schema::Bench, *session));
  const auto plan = TRY(session->plan());
  const fusion::Group* kernel =
      options.kernel.empty() ? nullptr : TRY(choose_kernel(*session, options.kernel, "--kernel"));
  StatusLine status;
  BenchResults results{TRY(session->benchmark(benchmark, status.progress()))};
  const auto graph = TRY(session->graph());
  const BenchListing listing{*session, model_words(options.model),
                             *plan,    *graph,
                             kernel,   options.kernels.value_or(usual_kernels)};
  for (int trial = 1;
       trial < most_trials && takes_too_long(options.gate, baseline, to_json(results, listing));
       ++trial) {
    auto again = TRY(session->benchmark(benchmark, status.progress()));
    if (again.network.median_ms < results.report.network.median_ms)
      results.report = std::move(again);
  }
  if (results.report.threads > 1 && !options.threads) {
    benchmark.threads = 1;
    benchmark.rounds = std::min(benchmark.rounds, rounds_of_one_thread);
    results.one_thread = TRY(session->benchmark(benchmark, status.progress())).network;
  }
  status.end();
  take_ceilings(*session, results);
  const runtime::BenchmarkReport& report = results.report;
  print_notes(report);
  const auto limit = TRY(judge_memory_limit(*session, options.model));
  const Exit gated = TRY(print_gated(
      {Schema::Bench, *session, limit, to_json(results, listing), [&] { print(results, listing); }},
      options.gate, baseline, options.json));
  // Last, so that what was measured is told even if the disk has filled up meanwhile.
  if (options.record) TRY_VOID(record(*session, report));
  const Exit kept = note(limit);
  return gated == Exit::Good ? kept : gated;
}

}  // namespace

void add_bench(Command app, Action& chosen) {
  const auto [command, options] = declare<BenchOptions>(
      app, chosen, "bench", "times a model, as a whole and kernel by kernel", measure,
      "as JSON: median_us of the network, fresh_outputs beside it, kernels in the order they run");
  add_model(command, options->model).required();
  add_plan(command, options->model);
  add_schedules(command, options->model);
  add_llvm_passes(command, options->model);
  add_library(command, options->library);
  add_input_values(command, options->inputs);
  command
      .add_option(
          "--threads", options->threads,
          "threads to run on (default: as many as run at once here, beside which one is timed, "
          "too; with --record one)")
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
                  "operators, and compares their results: onednn, or onnxruntime, and then the "
                  "network as a whole, too; --rounds are alternating blocks of each")
      .check(not_blank())
      .type_name("LIBRARY");
  command.add_flag("--record", options->record,
                   "keeps the kernels' times on one thread, for fusion to weigh costs by");
  command.add_flag("--per-line", options->per_line,
                   "times one kernel after each line of its schedule");
  command
      .add_option("--kernel", options->kernel,
                  "one kernel, by name or number, with its roofs; that of --per-line or --against")
      .check(not_blank())
      .type_name("NAME");
  command
      .add_option("--kernels", options->kernels,
                  "how many kernels to list, slowest first; with --against onnxruntime, 0: the "
                  "network alone is compared")
      .check(whole_number(0, 1000000))
      .default_str(std::to_string(usual_kernels));
  add_gate(command, options->gate);
  add_time_gate(command, options->gate);
}

}  // namespace loopglass::app
