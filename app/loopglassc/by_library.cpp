#include "app/loopglassc/by_library.h"

#include "app/common/interrupts.h"
#include "app/common/kernel_choice.h"
#include "app/common/numbers.h"
#include "app/common/status_line.h"
#include "app/common/table.h"
#include "app/common/times_json.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/library_words.h"
#include "core/fusion/layer_words.h"
#include "core/measure/networks.h"
#include "core/runtime/benchmark.h"
#include "core/runtime/timing_words.h"
#include "core/support/counted.h"
#include "core/support/readable_time.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using library::Choice;

// What is asked of which library.
struct Wish {
  std::string library;
  std::vector<fusion::GroupId> wanted;  // empty: whatever it computes sooner
};

Result<Wish> wish_of(Session& session, const std::vector<std::string>& asked) {
  Wish wish;
  for (const std::string& text : asked) {
    // Names of kernels may have equal signs, those of libraries have none.
    const std::size_t at = text.rfind('=');
    const std::string name = at == std::string::npos ? text : text.substr(at + 1);
    if (!wish.library.empty() && name != wish.library)
      return fail(Code::UsageInvalid,
                  fmt::format("one library computes kernels, and '{}' and '{}' are named",
                              wish.library, name),
                  "--library", "leave one of them out");
    wish.library = name;
    if (at == std::string::npos) continue;
    if (at == 0)
      return fail(Code::UsageInvalid, "no kernel is named before the equal sign", "--library",
                  "leave the equal sign out for whatever the library computes sooner");
    for (const fusion::Group* group : TRY(choose_kernels(session, text.substr(0, at), "--library")))
      wish.wanted.push_back(group->id);
  }
  return wish;
}

std::string name_and_version(library::Library& library) {
  return library.name() + " " + library.version();
}

// Why the kernel is whose it is.
std::string reason_for(const Choice& choice) {
  if (choice.refusal) return choice.refusal->what;
  if (choice.is_taken)
    return choice.comparison->ratio.low > 1 ? "it takes less time" : "it was asked for";
  return choice.comparison->ratio.high < 1 ? "the library takes longer"
                                           : "neither is faster for sure";
}

Json to_json(const Choice& choice, const fusion::Plan& plan, const graph::Graph& graph) {
  const fusion::Group& group = plan.group(choice.group);
  Json json{{"name", group.name},
            {"layer", fusion::layer_words(group, graph)},
            {"by", choice.is_taken ? "library" : "generated code"},
            {"reason", reason_for(choice)}};
  if (!choice.comparison) return json;
  json["keeps_nan"] = choice.comparison->keeps_nan;
  json["generated"] = median_and_quartiles(choice.comparison->ours);
  json["library"] = app::to_json(choice.comparison->theirs());
  json["ratio"] = app::to_json(choice.comparison->ratio);
  return json;
}

struct Measured {
  runtime::TurnTimes times;  // with the library's kernels, then by generated code alone

  const runtime::Statistics& with() const { return times.networks[0].network; }
  const runtime::Statistics& without() const { return times.networks[1].network; }
};

Result<Measured> measure(const LibraryNetwork& network, const LibraryBenchOptions& options,
                         StatusLine& status, const Cancellation& cancellation) {
  const auto inputs = runtime::random_inputs(*network.generated->graph, options.inputs);
  measure::NetworksAsked asked{
      {&network.chosen.network, network.generated.get()}, {inputs, inputs}, network.threads};
  asked.options.warm_up = options.warm_up;
  asked.options.rounds = options.rounds;
  asked.options.cancellation = cancellation;
  asked.options.on_round = [&](int round, std::span<const double>) {
    status.update(fmt::format("round {} of {}", round + 1, options.rounds),
                  static_cast<double>(round + 1) / options.rounds);
  };
  Measured measured;
  measured.times = TRY(measure::time_networks(asked, nullptr));
  return measured;
}

void print_choices(const LibraryNetwork& network, const fusion::Plan& plan,
                   const LibraryBenchOptions& options) {
  std::vector<const Choice*> compared;
  for (const Choice& choice : network.chosen.choices)
    if (choice.comparison) compared.push_back(&choice);
  std::ranges::stable_sort(compared, std::greater(),
                           [](const Choice* c) { return c->comparison->ours.median_ms; });
  const std::size_t all = compared.size();
  compared.resize(std::min(all, options.kernels));
  Table table({Column::name("kernel"), Column::number("generated"), Column::number("library"),
               Column::word("generated / library"), Column::word("computed by"),
               Column::word("since"), Column::name("library by"), Column::name("layer")});
  for (const Choice* choice : compared) {
    const library::Comparison& comparison = *choice->comparison;
    table.add({plan.group(choice->group).name, readable_milliseconds(comparison.ours.median_ms),
               words(comparison.theirs()), words(comparison.ratio),
               choice->is_taken ? network.library->name() : std::string("generated code"),
               reason_for(*choice), comparison.theirs().implementation,
               fusion::layer_words(plan.group(choice->group), *network.generated->graph)});
  }
  if (!table.empty()) table.print();
  if (compared.size() < all) fmt::print("... and {} faster kernels\n", all - compared.size());
  for (const Choice& choice : network.chosen.choices)
    if (choice.refusal)
      fmt::print("{} is by generated code: {}\n", plan.group(choice.group).name,
                 choice.refusal->what);
}

void print_sum(const LibraryNetwork& network, const Measured& measured, const std::string& model) {
  const double with = measured.with().median_ms, without = measured.without().median_ms;
  fmt::print("\n{} on {}: {}\n", model, counted(measured.times.threads, "thread"),
             words_on(network));
  fmt::print("network {} (quartiles {} to {}; {}), by generated code alone {}: {:.2f} of it\n",
             readable_milliseconds(with), readable_milliseconds(measured.with().lower_quartile_ms),
             readable_milliseconds(measured.with().upper_quartile_ms),
             runtime::trust_words(measured.with(), measured.times.load, measured.times.threads),
             readable_milliseconds(without), without > 0 ? with / without : 0);
  fmt::print(
      "kernels are compared by themselves, the library's with what it takes to bring tensors into "
      "its layouts and back; the networks are timed in turns\n");
}

}  // namespace

void add_library(Command command, std::vector<std::string>& asked) {
  command
      .add_option("--library", asked,
                  "has a library compute kernels in the place of generated code: with KERNEL=, by "
                  "name or number, that one; else those convolutions and products that it computes "
                  "sooner here: onednn or onnxruntime")
      .check(not_blank())
      .type_name("[KERNEL=]NAME")
      .allow_extra_args(false)
      .group("Machine code");
}

std::size_t LibraryNetwork::taken() const {
  return static_cast<std::size_t>(std::ranges::count_if(chosen.choices, &Choice::is_taken));
}

Result<LibraryNetwork> choose_by_library(Session& session, const std::vector<std::string>& asked,
                                         runtime::ThreadPool& pool, const Progress& progress,
                                         const Cancellation& cancellation, Missing when_missing) {
  const Wish wish = TRY(wish_of(session, asked));
  library::Library& library = *TRY(library::load(wish.library));
  const auto generated = TRY(session.network(progress, cancellation, when_missing));
  if (const int threads = library.set_threads(pool.threads()); threads != pool.threads())
    return fail(Code::LibraryRefused,
                fmt::format("{} runs on {} where {} were asked for", library.name(),
                            counted(threads, "thread"), pool.threads()));
  library::ChoiceOptions options;
  options.comparison.threads = pool.threads();
  options.comparison.cancellation = cancellation;
  options.wanted = wish.wanted;
  options.progress = progress;
  auto chosen = TRY(library::choose(*generated, *TRY(session.placement()), *TRY(session.plan()),
                                    library, pool, options));
  return LibraryNetwork{&library, generated, std::move(chosen), pool.threads()};
}

std::string words_on(const LibraryNetwork& network) {
  return fmt::format(
      "{} computes {} of {}", name_and_version(*network.library), network.taken(),
      counted(static_cast<std::int64_t>(network.generated->kernels.size()), "kernel"));
}

std::optional<std::string> note_on_nan(const LibraryNetwork& network, const fusion::Plan& plan) {
  std::vector<std::string> kernels;
  for (const Choice& choice : network.chosen.choices)
    if (choice.is_taken && !choice.comparison->keeps_nan)
      kernels.push_back(plan.group(choice.group).name);
  if (kernels.empty()) return std::nullopt;
  return fmt::format("{} makes numbers of NaN that generated code leaves NaN: {}",
                     network.library->name(), fmt::join(kernels, ", "));
}

Json to_json(const LibraryNetwork& network, const fusion::Plan& plan) {
  Json json = to_json(*network.library);
  json["kernels"] = Json::array();
  for (const Choice& choice : network.chosen.choices)
    json["kernels"].push_back(to_json(choice, plan, *network.generated->graph));
  return json;
}

Result<Exit> bench_by_library(Session& session, const LibraryBenchOptions& options) {
  StatusLine status;
  Cancellation cancellation;
  const Interrupts interrupts(cancellation);
  const auto plan = TRY(session.plan());
  std::optional<LibraryNetwork> network;
  {
    // Its threads would take the processors from those that the networks are timed on.
    runtime::ThreadPool pool(options.threads);
    network = TRY(choose_by_library(session, options.asked, pool, status.progress(), cancellation,
                                    Missing::TimeOthers));
  }
  const Measured measured = TRY(measure(*network, options, status, cancellation));
  status.end();
  if (!measured.times.shortage.empty()) fmt::print(stderr, "note: {}\n", measured.times.shortage);
  if (const auto note = note_on_nan(*network, *plan)) fmt::print(stderr, "note: {}\n", *note);
  if (options.threads > 1 && network->library->threading_runtime() == "OpenMP" &&
      std::getenv("OMP_WAIT_POLICY") == nullptr)
    fmt::print(stderr,
               "note: {}'s threads look for work after each kernel and take processors from ours; "
               "OMP_WAIT_POLICY=passive lets them sleep\n",
               network->library->name());
  if (options.json) {
    Json json{{"library", app::to_json(*network, *plan)},
              {"threads", measured.times.threads},
              {"rounds", options.rounds},
              {"with_library", app::to_json(measured.with())},
              {"generated", app::to_json(measured.without())}};
    print_json(Schema::BenchLibrary, session.model_name(), json);
    return Exit::Good;
  }
  print_choices(*network, *plan, options);
  print_sum(*network, measured, session.model_name());
  return Exit::Good;
}

}  // namespace loopglass::app
