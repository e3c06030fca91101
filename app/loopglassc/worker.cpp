// loopglassc worker: measures for a farm, until it is told to end. (The word alone, without
// options, makes the program a worker on its standard streams; see app/common/worker.h.)
#include "app/common/worker.h"
#include "app/common/farm_options.h"
#include "app/common/interrupts.h"
#include "app/common/numbers.h"
#include "app/loopglassc/declare.h"
#include "core/compiler_version.h"
#include "core/farm/worker.h"
#include "core/support/cache_folder.h"
#include "core/support/file_lock.h"
#include "core/tune/measurer.h"
#include "passes/pipeline.h"

#include <unistd.h>
#include <climits>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

struct WorkerOptions {
  FarmOptions farm;
  std::string name;
  std::uint64_t jobs = 0;
  double held_for = 6;  // seconds
  bool share_machine = false;
  bool json = false;
};

std::string own_name() {
  char host[HOST_NAME_MAX + 1] = {};
  ::gethostname(host, HOST_NAME_MAX);
  return farm::worker_name(fmt::format("{}-{}", host, ::getpid()));
}

Result<Exit> be_farm_worker(const WorkerOptions& options) {
  if (options.farm.url.empty())
    return fail(Code::UsageInvalid, "whose worker?", "--connect",
                "name the farm's server: --connect nats://HOST:PORT");
  if (options.held_for < 0.5 || options.held_for > 3600)
    return fail(Code::UsageInvalid, "that is too short for a word between two, or too long to wait",
                "--held-for", "from 0.5 to 3600 seconds");
  const std::optional<FileLock> only_one =
      TRY(FileLock::try_take(TRY(cache_folder()) / "farm-worker"));
  if (!options.share_machine && !only_one)
    return fail(Code::UsageInvalid, "a worker of a farm is running on this machine already", {},
                "two that measure at once spoil each other's times; --share-machine starts it all "
                "the same");
  const auto queue = TRY(open_farm(
      options.farm, std::chrono::milliseconds(static_cast<std::int64_t>(1000 * options.held_for))));
  const Machine machine = passes::toolchain().machine;
  farm::WorkerSettings settings;
  settings.name = options.name.empty() ? own_name() : farm::worker_name(options.name);
  settings.machine = machine;
  settings.capability = farm::capability_of(machine, std::string(compiler_version));
  settings.jobs = options.jobs;
  const auto say = [&](const std::string& sentence) {
    if (options.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"schema", identifier(Schema::Worker)},
                                                {"worker", settings.name},
                                                {"said", sentence}}
                             .dump());
    else fmt::print("{}: {}\n", settings.name, sentence);
    std::fflush(stdout);
  };
  say(fmt::format("measures on {}, {}", machine.processor, machine.name));
  const Cancellation cancellation;
  const Interrupts interrupts(cancellation, true);
  tune::LocalMeasurer measurer(own_worker());
  TRY_VOID(farm::work(*queue, measurer, settings, say, cancellation));
  say("ends");
  return Exit::Good;
}

}  // namespace

void add_worker(Command app, Action& chosen) {
  const auto [command, options] =
      declare<WorkerOptions>(app, chosen, "worker", "measures on this machine for a farm",
                             be_farm_worker, "a JSON object a line");
  add_farm_address(command, options->farm, "--connect");
  command.add_option("--name", options->name, "what it is called (default: host and process)")
      .check(not_blank())
      .type_name("NAME");
  command.add_option("--jobs", options->jobs, "ends after so many (default: goes on)")
      .check(whole_number(1, 1'000'000'000));
  command
      .add_option("--held-for", options->held_for,
                  "seconds after which a job goes to another worker, if its own says nothing")
      .capture_default_str()
      .check(not_negative_number())
      .type_name("S");
  command.add_flag("--share-machine", options->share_machine,
                   "beside another worker on this machine, whose times it spoils and it its");
}

}  // namespace loopglass::app
