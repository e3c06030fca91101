// loopglassc farm: who works for a farm, and what waits there.
#include "app/common/farm_options.h"
#include "app/loopglassc/declare.h"
#include "core/compiler_version.h"
#include "core/support/counted.h"
#include "core/support/printable.h"
#include "core/support/readable_bytes.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

struct FarmCommandOptions {
  FarmOptions farm;
  bool json = false;
};

Result<Exit> show_farm(const FarmCommandOptions& options) {
  if (options.farm.url.empty())
    return fail(Code::UsageInvalid, "which farm?", "--connect",
                "name its server: --connect nats://HOST:PORT");
  const auto queue = TRY(open_farm(options.farm));
  auto workers = TRY(queue->workers());
  std::ranges::sort(workers, {}, &farm::WorkerNotice::name);
  const farm::Queue::Load load = TRY(queue->load());
  if (options.json) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const farm::WorkerNotice& worker : workers)
      rows.push_back({{"name", worker.name},
                      {"processor", worker.capability.processor},
                      {"target", worker.capability.target},
                      {"cores", worker.capability.cores},
                      {"same_version", worker.capability.compiler == compiler_version},
                      {"doing", worker.doing},
                      {"done", worker.done}});
    print_json(Schema::Farm, nlohmann::ordered_json{{"workers", std::move(rows)},
                                                    {"job_count", load.jobs},
                                                    {"result_count", load.results},
                                                    {"bytes", load.bytes}});
    return Exit::Good;
  }
  for (const farm::WorkerNotice& worker : workers)
    fmt::print(
        "{}: {}, {}, {}{}; {} done; {}\n", printable(worker.name),
        printable(worker.capability.processor), printable(worker.capability.target),
        counted(static_cast<std::size_t>(worker.capability.cores), "core"),
        worker.capability.compiler == compiler_version ? "" : ", another version of Loopglass",
        counted(worker.done, "job"),
        worker.doing.empty() ? "waits" : "measures " + printable(worker.doing));
  if (workers.empty()) fmt::print("no worker: loopglassc worker --connect URL starts one\n");
  else
    fmt::print("who stops without a word is among them for {} more\n",
               counted(farm::Queue::notices_for / std::chrono::seconds(1), "second"));
  fmt::print("{} waiting or being done, {} kept for an hour ({})\n", counted(load.jobs, "job"),
             counted(load.results, "result"),
             readable_bytes(static_cast<std::int64_t>(load.bytes)));
  return Exit::Good;
}

}  // namespace

void add_farm(Command app, Action& chosen) {
  const auto [command, options] = declare<FarmCommandOptions>(
      app, chosen, "farm", "who works for a farm of machines, and what waits there", show_farm);
  add_farm_address(command, options->farm, "--connect");
}

}  // namespace loopglass::app
