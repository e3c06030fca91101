// loopglassc roofline: every kernel under the roofs of the machine, and what keeps it from them.
#include "app/common/calibration.h"
#include "app/common/interrupts.h"
#include "app/common/kernel_choice.h"
#include "app/common/numbers.h"
#include "app/common/roofline_json.h"
#include "app/common/schedule_options.h"
#include "app/common/status_line.h"
#include "app/common/table.h"
#include "app/common/times_json.h"
#include "app/common/worker.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/inputs.h"
#include "core/fusion/layer_words.h"
#include "core/loop/text.h"
#include "core/support/counted.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>
#include <tuple>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using roofline::Bound;

struct RooflineOptions {
  ModelOptions model;
  std::vector<std::string> inputs;
  std::string kernel, experiment;
  int threads = 1;
  std::optional<std::uint64_t> kernels;  // that are listed
  bool trail = false;
  bool json = false;
};

std::string bytes(double count) { return readable_bytes(static_cast<std::int64_t>(count)); }

void print(const roofline::Roofs& roofs) {
  fmt::print("roofs on {}: {} of float32, {} of float64, {} of products of bytes;",
             counted(roofs.threads, "thread"), readable_speed(roofs.float32_gflops),
             readable_speed(roofs.float64_gflops), readable_speed(roofs.byte_products_gflops));
  const char* separator = " ";
  for (const roofline::LevelRoof& level : roofs.levels) {
    fmt::print("{}{}{} {:.0f} GB/s", separator, level.name,
               level.bytes > 0 ? " (" + readable_bytes(level.bytes) + ")" : "",
               level.gigabytes_per_second);
    separator = ", ";
  }
  fmt::print("; {:.2f} GHz\n", roofs.gigahertz);
}

// That --kernel takes.
std::size_t number_of(const fusion::Plan& plan, fusion::GroupId group) {
  return static_cast<std::size_t>(&plan.group(group) - plan.groups.data());
}

void print_table(const NetworkRoofline& network, const fusion::Plan& plan,
                 const graph::Graph& graph, std::size_t most) {
  std::vector<const KernelVerdict*> order;
  for (const KernelVerdict& kernel : network.kernels) order.push_back(&kernel);
  std::ranges::stable_sort(order, std::greater(),
                           [](const KernelVerdict* kernel) { return kernel->milliseconds(); });
  double total = 0;
  for (const KernelVerdict* kernel : order) total += kernel->milliseconds();
  const std::size_t all = order.size();
  if (order.size() > most) order.resize(most);
  Table table({Column::number("#"), Column::name("kernel"), Column::number("time"),
               Column::number("share"), Column::number("by itself"), Column::number("GFLOP/s"),
               Column::number("of roof"), Column::word("bound"), Column::name("layer")});
  for (const KernelVerdict* kernel : order) {
    const roofline::Verdict& verdict = kernel->verdict;
    table.add({number_of(plan, kernel->group), kernel->kernel,
               readable_milliseconds(kernel->milliseconds()),
               fmt::format("{:.1f}%", total > 0 ? 100 * kernel->milliseconds() / total : 0),
               readable_milliseconds(verdict.milliseconds), fmt::format("{:.1f}", verdict.gflops()),
               fmt::format("{:.0f}%", 100 * verdict.share_of_roof()), roofline::name(verdict.bound),
               fusion::layer_words(plan.group(kernel->group), graph)});
    table.add_line({"  " + kernel->sentence(), Style::Faint});
  }
  fmt::print("\n");
  table.print();
  if (order.size() < all) fmt::print("... and {} faster kernels\n", all - order.size());

  std::map<Bound, double> by_bound;
  double at_roofs = 0;
  for (const KernelVerdict& kernel : network.kernels) {
    by_bound[kernel.verdict.bound] += kernel.milliseconds();
    at_roofs += kernel.milliseconds() * std::min(1.0, kernel.verdict.share_of_roof());
  }
  std::vector<std::pair<Bound, double>> bounds(by_bound.begin(), by_bound.end());
  std::ranges::stable_sort(bounds, std::greater(), &std::pair<Bound, double>::second);
  fmt::print("\nof the time of all kernels, {}:\n", readable_milliseconds(total));
  for (const auto& [bound, time] : bounds)
    fmt::print("{:>6.1f}%  {:<12} {}\n", total > 0 ? 100 * time / total : 0, roofline::name(bound),
               roofline::doc(bound));
  fmt::print("at their roofs they would take {}\n", readable_milliseconds(at_roofs));
  if (const auto distance = data_distance(network); distance && distance->share() > 0)
    fmt::print(
        "by themselves, with data in the caches from the run before, {}; with all data near, {}: "
        "{:.0f} % at the most is what fewer or nearer bytes could save, weights from memory among "
        "them\n",
        readable_milliseconds(distance->alone_ms), readable_milliseconds(distance->near_ms),
        100 * distance->share());
}

bool is_worth_telling(const roofline::Ceiling& ceiling) { return ceiling.share >= 0.01; }

void print_card(const KernelVerdict& kernel) {
  const roofline::Verdict& verdict = kernel.verdict;
  const roofline::Traffic& traffic = verdict.traffic;
  fmt::print("\n{} on {}: {}", kernel.kernel, counted(verdict.threads, "thread"),
             readable_milliseconds(verdict.milliseconds));
  if (kernel.network_ms > 0)
    fmt::print(" by itself, {} in the network", readable_milliseconds(kernel.network_ms));
  fmt::print(", {}\n", readable_speed(verdict.gflops()));
  fmt::print("{} of {}{}; {} loaded from L1; fetched {} from L2, {} from L3, {} from memory\n\n",
             readable_flops(traffic.useful_flops), name(traffic.type),
             traffic.flops > 1.01 * traffic.useful_flops
                 ? fmt::format(" ({} are computed)", readable_flops(traffic.flops))
                 : "",
             bytes(traffic.l1), bytes(traffic.l2), bytes(traffic.l3), bytes(traffic.memory));
  fmt::print("{}: {}\n{}\n", roofline::name(verdict.bound), roofline::doc(verdict.bound),
             kernel.sentence());
  for (const std::string& note : verdict.notes) fmt::print("note: {}\n", note);
  if (kernel.pipeline) fmt::print("main loop: {}\n", kernel.pipeline->words());
  fmt::print("\nif this alone were in the way\n");
  for (const roofline::Ceiling& ceiling : verdict.ceilings | std::views::filter(is_worth_telling))
    fmt::print("  {:<10}{:>11}{:>6.0f} %\n", roofline::name(ceiling.bound),
               readable_milliseconds(ceiling.milliseconds), 100 * ceiling.share);
  if (!verdict.trials.empty()) fmt::print("\nexperiments\n");
  for (const roofline::Trial& trial : verdict.trials)
    fmt::print("  {:<14}{:>11}  {}\n", roofline::name(trial.experiment),
               readable_milliseconds(trial.milliseconds), roofline::words(trial, verdict));
  fmt::print("\nwithout what binds it: {} at the least\ntry: {}\n",
             readable_milliseconds(verdict.otherwise_ms), roofline::advice(verdict.bound));
}

void print(const ScheduleTrail& trail) {
  fmt::print("\n");
  Table table({Column::number("step"), Column::name("line of the schedule"), Column::number("time"),
               Column::number("GFLOP/s"), Column::number("of roof"), Column::word("bound"),
               Column::number("L1"), Column::number("L2"), Column::number("L3"),
               Column::number("memory")});
  for (const auto& [step, primitive, line, verdict] : trail.steps) {
    const roofline::Traffic& traffic = verdict.traffic;
    table.add({step, line, readable_milliseconds(verdict.milliseconds),
               fmt::format("{:.1f}", verdict.gflops()),
               fmt::format("{:.0f}%", 100 * verdict.share_of_roof()), roofline::name(verdict.bound),
               bytes(traffic.l1), bytes(traffic.l2), bytes(traffic.l3), bytes(traffic.memory)});
  }
  table.print();
  for (const std::string& problem : trail.left_out) fmt::print("left out: {}\n", problem);
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const roofline::Experiment each : roofline::all_experiments)
    names.emplace_back(roofline::name(each));
  return names;
}

Result<Exit> print_experiment(Session& session, const RooflineOptions& options) {
  const auto experiment = roofline::experiment_named(options.experiment);
  const fusion::Group* group = TRY(choose_kernel(session, options.kernel, "--kernel"));
  const auto stages = TRY(session.kernel(group->id));
  const auto asked = roofline_question(*stages, session.toolchain().machine, options.threads);
  const auto changed = changed_for(*experiment, asked.scheduled, asked.machine);
  if (!changed)
    return fail(Code::UsageInvalid,
                fmt::format("'{}' would change nothing in this kernel", options.experiment),
                group->name);
  if (options.json)
    print_json(Schema::RooflineExperiment, session.model_name(),
               Json{{"kernel", group->name},
                    {"experiment", options.experiment},
                    {"nest", loop::to_text(*changed)}});
  else fmt::print("{}", loop::to_text(*changed));
  return Exit::Good;
}

Result<Exit> show(const RooflineOptions& options) {
  if (options.json && options.kernels)
    return fail(Code::UsageInvalid, "--json lists all kernels", "--kernels",
                "leave one of them out");
  if (!options.experiment.empty() && options.kernels)
    return fail(Code::UsageInvalid, "an experiment is of one kernel", "--kernels", "leave it out");
  if (!options.kernel.empty() && options.kernels)
    return fail(Code::UsageInvalid, "one kernel is looked at", "--kernels",
                "leave --kernel out for all of them");
  if (options.trail && options.kernel.empty())
    return fail(Code::UsageInvalid, "a trail is of one kernel", "--trail", "choose it: --kernel");
  if (options.trail && !options.experiment.empty())
    return fail(Code::UsageInvalid, "an experiment has no trail", "--trail", "leave it out");
  const ModelOptions asked = TRY(with_known_inputs(options.model, options.inputs));
  const auto session = TRY(open_session(asked));
  if (!options.experiment.empty()) return print_experiment(*session, options);
  const auto plan = TRY(session->plan());
  const auto groups = TRY(choose_kernels(*session, options.kernel));
  const Cancellation cancellation;
  const Interrupts interrupts(cancellation);
  measure::WorkerPool workers(own_worker());
  StatusLine status;
  const NetworkRoofline network =
      TRY(network_roofline(*session, {groups, options.threads, options.trail, asked.known_inputs},
                           workers, status.progress(), cancellation));
  status.end();
  // For bench, which measures none where some are known. Where nothing can be kept, it measures.
  std::ignore = keep(network.roofs);
  for (const std::string& problem : network.left_out) fmt::print(stderr, "note: {}\n", problem);
  if (network.kernels.empty())
    return fail(Code::NothingToTune, "no kernel of the network is run", options.kernel,
                "its results are inputs, constants or views of them");
  if (options.json) {
    Json json{{"roofs", app::to_json(network.roofs)}};
    json["kernels"] = Json::array();
    for (const KernelVerdict& kernel : network.kernels) {
      Json entry{{"number", number_of(*plan, kernel.group)}};
      entry.update(app::to_json(kernel));
      json["kernels"].push_back(std::move(entry));
    }
    const auto distance = data_distance(network);
    json["distance"] = distance ? Json{{"network_us", microseconds(distance->network_ms)},
                                       {"alone_us", microseconds(distance->alone_ms)},
                                       {"near_us", microseconds(distance->near_ms)}}
                                : Json();
    print_json(Schema::Roofline, session->model_name(), json);
    return Exit::Good;
  }
  print(network.roofs);
  if (network.kernels.size() == 1) print_card(network.kernels.front());
  if (options.trail) print(*network.kernels.front().trail);
  if (network.kernels.size() > 1)
    print_table(network, *plan, *TRY(session->graph()), options.kernels.value_or(usual_kernels));
  return Exit::Good;
}

}  // namespace

void add_roofline(Command app, Action& chosen) {
  const auto [command, options] = declare<RooflineOptions>(
      app, chosen, "roofline", "says what keeps each kernel from the roofs of this machine", show,
      "as JSON: roofs, and kernels with time, bytes of each level, ceilings, experiments and what "
      "binds");
  add_model(command, options->model).required();
  add_plan(command, options->model);
  add_schedules(command, options->model);
  command
      .add_option("--kernel", options->kernel,
                  "one kernel, by name or number, with all that is known (default: all)")
      .check(not_blank())
      .type_name("NAME");
  command.add_flag("--trail", options->trail,
                   "of one kernel: after each primitive of its schedule, from the nest as it is "
                   "written");
  add_input_values(command, options->inputs);
  command.add_option("--threads", options->threads, "threads of kernels and roofs")
      .check(thread_count())
      .capture_default_str();
  command.add_option("--kernels", options->kernels, "how many kernels to list, slowest first")
      .check(whole_number(0, 1000000))
      .default_str(std::to_string(usual_kernels));
  command
      .add_option("--experiment", options->experiment,
                  "prints the kernel's nest as the experiment changes it, to be run as a kernel")
      .check(one_of(experiment_names()))
      .type_name("NAME");
}

}  // namespace loopglass::app
