// loopglassc tune: looks for faster schedules, and keeps what it measured.
#include "app/common/farm_options.h"
#include "app/common/interrupts.h"
#include "app/common/kernel_choice.h"
#include "app/common/numbers.h"
#include "app/common/schedule_options.h"
#include "app/common/tuning_records.h"
#include "app/common/worker.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/tune_report.h"
#include "app/loopglassc/tune_wishes.h"
#include "core/compiler_version.h"
#include "core/farm/farm_measurer.h"
#include "core/machine/instruction_level.h"
#include "core/support/printable.h"
#include "core/tune/verify.h"
#include "core/tuning_task.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using tune::Task;

struct TuneOptions {
  ModelOptions model;
  std::string kernel, layout, records;
  tune::TuneSettings settings;
  std::optional<std::size_t> trials;
  std::optional<double> seconds;
  std::optional<int> threads;
  FarmOptions farm;
  std::string farm_worker;
  TuneWishes wishes;
  bool print_space = false, warm_start = false, no_network = false;
  bool json = false;
};

// The kernels that are asked for; those that compute the same once.
Result<std::vector<Task>> tasks_of(Session& session, const std::string& kernel, int threads) {
  const auto chosen = TRY(choose_kernels(session, kernel));
  if (!kernel.empty())
    for (const fusion::Group* group : chosen) TRY(session.kernel(group->id));
  std::vector<Task> tasks = tuning_tasks(session, chosen, threads);
  if (tasks.empty())
    return fail(Code::NothingToTune, "no kernel of the network is run", kernel,
                "its results are inputs, constants or views of them");
  return tasks;
}

Result<Exit> print_spaces(const std::vector<Task>& tasks, const std::string& model,
                          const TuneOptions& options) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();  // of kernels
  for (const Task& task : tasks) {
    const tune::Space space = options.settings.written_space.empty()
                                  ? TRY(tune::find_space_kind(options.settings.space)->make(task))
                                  : TRY(tune::written_space(task, options.settings.written_space,
                                                            options.settings.space));
    if (options.json) {
      json.push_back(app::to_json(space, task));
    } else {
      app::print(space, task);
    }
  }
  if (options.json)
    print_json(Schema::TunePrintSpace, model, nlohmann::ordered_json{{"kernels", std::move(json)}});
  return Exit::Good;
}

Result<tune::TuneSettings> settings_of(const TuneOptions& options) {
  tune::TuneSettings settings = options.settings;
  settings.seconds = options.seconds.value_or(0);
  // Seconds alone are a budget, as trials alone are.
  settings.trials = options.trials.value_or(settings.seconds > 0 ? 0 : 128);
  std::error_code unseen;
  if (!tune::find_space_kind(settings.space) &&
      (settings.space.find_first_of("./") != std::string::npos ||
       std::filesystem::exists(settings.space, unseen))) {
    settings.written_space =
        TRY(read_script(settings.space, "the space", "--space", "name a script with sample lines"));
    if (settings.written_space.empty())
      return fail(Code::UsageInvalid, "the script of the space is empty", settings.space);
  }
  if (!options.layout.empty()) {
    settings.layout = tune::layout_named(options.layout);
  } else if (settings.space == "sketch") {
    settings.layout = tune::Layout::AtCompileTime;
  }
  TRY_VOID(check_address(options.farm));
  TRY_VOID(tune::check(settings));
  return settings;
}

void check_results(TuneReport& report, measure::WorkerPool& workers,
                   const Cancellation& cancellation) {
  for (const auto& each : report.tuning.tunings()) {
    const auto verified =
        tune::verify(each->task(), each->best_trial().script, workers, cancellation);
    const std::string& kernel = each->task().kernel;
    if (verified)
      report.checked[kernel] =
          verified->by_interpreter ? "the interpreter" : "machine code of its loops as they stand";
    else if (verified.error().code != Code::Cancelled) report.wrong[kernel] = verified.error().what;
  }
}

// Who measures: this machine, or a farm's.
struct Measuring {
  std::shared_ptr<TuneProgress> progress = std::make_shared<TuneProgress>();
  std::unique_ptr<farm::Queue> queue;
  std::unique_ptr<tune::Measurer> measurer;
  bool is_elsewhere = false;  // on machines that are not like this one
};
// The tasks are for the machine that measures.
Result<Measuring> measuring_of(const TuneOptions& options, const Machine& own,
                               std::vector<Task>& tasks, const measure::Program& program) {
  Measuring measuring;
  if (options.farm.url.empty()) {
    measuring.measurer = std::make_unique<tune::LocalMeasurer>(program);
    return measuring;
  }
  measuring.queue = TRY(open_farm(options.farm));
  const farm::Capability here = farm::capability_of(own, std::string(compiler_version));
  const farm::WorkerNotice worker =
      TRY(farm::choose_worker(TRY(measuring.queue->workers()), here, options.farm_worker));
  measuring.is_elsewhere = worker.capability != here;
  if (const InstructionLevel* level = held_level(); level && measuring.is_elsewhere)
    return fail(Code::UsageInvalid,
                fmt::format("no worker of the farm makes code for {}: this one makes it for {}",
                            level->name, worker.machine.name),
                "--target", "start one with the same --target, or leave it out");
  for (Task& task : tasks) task.machine = worker.machine;
  if (measuring.is_elsewhere)
    fmt::print(stderr, "note: tuned for {}, {}\n", printable(worker.machine.processor),
               printable(worker.machine.name));
  measuring.measurer = std::make_unique<farm::FarmMeasurer>(
      *measuring.queue, worker.capability,
      [progress = measuring.progress](const std::string& sentence) {
        progress->wait_for(sentence);
      });
  return measuring;
}

Result<Exit> tune_model(const TuneOptions& options) {
  if (options.farm.url.empty())
    for (const auto& [name, is_given] : {std::pair("--farm-worker", !options.farm_worker.empty()),
                                         {"--farm-ca", !options.farm.ca_file.empty()}})
      if (is_given)
        return fail(Code::UsageInvalid, fmt::format("{} is about a farm, and there is none", name),
                    name, "name it: --farm URL, or leave it out");
  TuneOptions asked = options;
  asked.settings = TRY(settings_of(options));
  const int threads = options.threads.value_or(1);
  const auto session = TRY(open_session(options.model));
  std::vector<Task> tasks = TRY(tasks_of(*session, options.kernel, threads));
  if (options.print_space) return print_spaces(tasks, session->model_name(), asked);
  if (tasks.size() > 1 && !asked.settings.written_space.empty())
    return fail(Code::UsageInvalid, "a script that samples is of one kernel", "--space",
                "say of which: --kernel NAME");
  TRY_VOID(grant(asked.wishes, *session, tasks));

  const measure::Program program = own_worker();
  const Measuring measuring =
      TRY(measuring_of(asked, session->toolchain().machine, tasks, program));
  const tune::Conditions conditions = tune::conditions_of(tasks.front(), compiler_version);
  std::unique_ptr<tune::RecordFile> file;
  tune::Records history;
  if (!options.records.empty()) {
    std::error_code ignored;
    if (options.warm_start && std::filesystem::is_regular_file(options.records, ignored)) {
      history = TRY(tune::read_records(options.records));
      print_passed_over(history, options.records);
    }
    file = TRY(tune::RecordFile::open(options.records));
  } else if (options.warm_start) {
    return fail(Code::UsageInvalid, "there are no records to begin with", "--warm-start",
                "name them: --records FILE");
  }

  const Cancellation cancellation;
  const Interrupts interrupts(cancellation);
  const std::string run = tune::new_run();
  TuneProgress& progress = *measuring.progress;
  const tune::NetworkTuning* watched = nullptr;
  tune::NetworkTuning::Watch watch;
  watch.on_trial = [&](const tune::Tuning& tuning, const tune::Trial& trial,
                       bool is_final) -> Result<void> {
    if (file) {
      const tune::Conditions own = tune::conditions_of(tuning.task(), compiler_version);
      TRY_VOID(file->append_workload(tune::workload_of(tuning.task()), tuning.task().kernel,
                                     tuning.task().nest));
      TRY_VOID(file->append(to_line(record_of(tuning, trial, is_final, own, run))));
    }
    if (!is_final) progress.trial(*watched, tuning, trial, asked.settings.seconds);
    return {};
  };
  watch.on_begin = [&](const Task& task, std::size_t number, std::size_t all) {
    if (all > 1)
      progress.say(fmt::format("{} of {}: the default schedule of {}", number, all, task.kernel));
  };
  watch.on_finish = [&](const tune::Tuning& tuning) {
    progress.say(
        fmt::format("{}: its fastest schedules run once more, in turns", tuning.task().kernel));
  };
  tune::NetworkTuning tuning(asked.settings, *measuring.measurer, watch);
  watched = &tuning;
  auto done = tuning.begin(std::move(tasks), options.warm_start ? &history : nullptr, conditions,
                           cancellation);
  if (done && tuning.tunings().empty())
    return fail(Code::NothingToTune, "no kernel has anything to choose in this space",
                options.kernel,
                "spaces are of sums whose loops may be tiled, 'construct' also of rows of vectors; "
                "or write a space of your own: --space FILE, a script with sample lines");
  if (done) done = tuning.run(cancellation);
  progress.end();
  TuneReport report{tuning, session->model_name(), threads};
  report.was_cancelled = cancellation.requested();
  // What a farm's workers take is their measuring.
  if (!measuring.queue) report.load = tuning.load();
  if (!done && !report.was_cancelled) {
    // What was found is told all the same.
    if (tuning.measured() > 0 && !options.json) print(report);
    return std::unexpected(std::move(done).error());
  }
  measure::WorkerPool workers(program);
  if (!report.was_cancelled && measuring.is_elsewhere) {
    progress.end();
    fmt::print(
        stderr,
        "note: results were compared by the workers; neither the interpreter nor the network "
        "is run here, on another machine\n");
  } else if (!report.was_cancelled) {
    progress.say("the best are held against the interpreter");
    check_results(report, workers, cancellation);
    const bool is_network = TRY(session->plan())->groups.size() > 1;
    if (is_network && tuning.has_found() && !options.no_network && report.wrong.empty()) {
      progress.say("the network without and with what was found, in turns");
      const auto on_withdrawal = [&](const tune::Tuning& each) -> Result<void> {
        report.withdrawn.push_back(each.task().kernel);
        if (!file) return {};
        const tune::Conditions own = tune::conditions_of(each.task(), compiler_version);
        return file->append(to_line(withdrawal_of(each, own, run)));
      };
      auto paid = keep_what_pays(tuning, *session, threads, workers, on_withdrawal, cancellation);
      report.was_cancelled = cancellation.requested();
      if (paid) {
        report.network = *paid;
      } else if (!report.was_cancelled) {
        progress.end();
        if (!options.json) print(report);
        return std::unexpected(std::move(paid).error());
      }
    }
    progress.end();
  }
  if (options.json) print_json(Schema::Tune, report.model, to_json(report));
  else print(report);
  return report.wrong.empty() ? Exit::Good : Exit::Bad;
}

std::vector<std::string> names_in(const auto& kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.emplace_back(kind.name);
  return names;
}

std::vector<std::string> layout_names() {
  std::vector<std::string> names;
  for (const tune::Layout layout : tune::all_layouts) names.emplace_back(tune::name(layout));
  return names;
}

}  // namespace

void add_tune(Command app, Action& chosen) {
  const auto [command, options] = declare<TuneOptions>(
      app, chosen, "tune", "looks for schedules that are faster than the default ones", tune_model,
      "as JSON: default_us, best_us, trial_count, failures, elapsed_us; of each kernel also "
      "best_gflops and schedule");
  add_model(command, options->model).required();
  std::vector<Option> measuring;  // what a space is not asked about
  add_plan(command, options->model);
  // Tuning begins from the default ones.
  options->model.of_session = ModelOptions::Schedules::LeftOut;
  command.add_option("--kernel", options->kernel, "one kernel, by name or number (default: all)")
      .check(not_blank())
      .type_name("NAME");
  command
      .add_option("--space", options->settings.space,
                  fmt::format("what there is to choose: {}; or a file with a script that samples",
                              fmt::join(names_in(tune::all_space_kinds()), ", ")))
      .capture_default_str()
      .type_name("SPACE")
      .suggests([] { return names_in(tune::all_space_kinds()); });
  measuring.push_back(
      command.add_option("--search", options->settings.search, "how schedules are looked for")
          .check(one_of(names_in(tune::all_search_kinds())))
          .capture_default_str());
  measuring.push_back(command
                          .add_option("--cost-model", options->settings.cost_model,
                                      "what foretells which is faster")
                          .check(one_of(names_in(tune::all_cost_model_kinds())))
                          .capture_default_str());
  command
      .add_option("--layout", options->layout,
                  "how constants are laid out and programs judged (default: as the script has it; "
                  "lc with sketch)")
      .check(one_of(layout_names()));
  measuring.push_back(
      command
          .add_option(
              "--trials", options->trials,
              "schedules measured, of a network so many for each kernel, shared out (default: "
              "128; without end where --seconds is said)")
          .check(whole_number(1, 10000000)));
  measuring.push_back(
      command
          .add_option(
              "--seconds", options->seconds,
              "how long trials may go on; to check the results and to run the network at the "
              "end come after that")
          .check(positive_number())
          .type_name("S"));
  measuring.push_back(command
                          .add_option("--patience", options->settings.patience,
                                      "a kernel is done after so many trials without anything "
                                      "faster; 0, the default: never")
                          .check(whole_number(0, 10000000)));
  measuring.push_back(
      command
          .add_list(
              "--pin", options->wishes.pins,
              "tries only points where this knob stands so; several of one knob: any of them; "
              "of several kernels say which",
              Entries::Bindings)
          .check(not_blank())
          .type_name("[KERNEL:]KNOB=VALUE"));
  measuring.push_back(command
                          .add_list("--ban", options->wishes.bans,
                                    "tries no point where this knob stands so", Entries::Bindings)
                          .check(not_blank())
                          .type_name("[KERNEL:]KNOB=VALUE"));
  measuring.push_back(
      command
          .add_option("--try", options->wishes.tries,
                      "a script of your own that has to stand against what is found")
          .check(not_blank())
          .allow_extra_args(false)
          .type_name("[KERNEL:]FILE"));
  measuring.push_back(
      command.add_option("--seed", options->settings.seed, "of the search's random numbers")
          .capture_default_str()
          .check(whole_number(0, std::numeric_limits<std::int64_t>::max())));
  command.add_option("--threads", options->threads, "threads that kernels run on (default: 1)")
      .check(thread_count());
  measuring.push_back(
      command
          .add_option("--records", options->records,
                      "appends every trial to this file, of JSON lines, which other commands take")
          .check(not_blank())
          .type_name("FILE"));
  measuring.push_back(
      command.add_flag("--warm-start", options->warm_start,
                       "begins with what the file of --records has of these kernels"));
  add_farm_address(command, options->farm, "--farm");
  command
      .add_option("--farm-worker", options->farm_worker,
                  "tunes for machines like that of this worker (default: for ones like this, else "
                  "for the only kind there is)")
      .check(not_blank())
      .type_name("NAME");
  measuring.push_back(
      command.add_flag("--kernels-alone", options->no_network,
                       "does not run the network with and without what was found, at the end"));
  const Option print_space = command.add_flag(
      "--print-space", options->print_space,
      "measures nothing, and prints the space: its knobs, its size, and why points "
      "cannot be written");
  for (const Option& option : measuring) option.excludes(print_space);
}

}  // namespace loopglass::app
