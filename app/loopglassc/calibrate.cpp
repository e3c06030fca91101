// loopglassc calibrate: times small kernels of this compiler on this machine and keeps the
// rates that plans, layouts and tiles are weighed by.
#include "app/common/calibration.h"
#include "app/common/numbers.h"
#include "app/common/status_line.h"
#include "app/common/table.h"
#include "app/loopglassc/declare.h"
#include "app/loopglassc/estimate_check.h"
#include "core/machine/machine_json.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct CalibrateOptions {
  int rounds = runtime::CalibrationOptions{}.rounds;
  std::string check;
  bool dry = false;
  bool json = false;
};

Json to_json(const runtime::Calibration& calibration) {
  Json json{{"machine", Json::parse(loopglass::to_json(calibration.machine))},
            {"measured", Json::array()}};
  for (const runtime::CalibrationRow& row : calibration.rows) {
    Json entry{{"name", row.name}, {"time_us", row.microseconds}};
    if (row.gflops > 0) entry["gflops"] = row.gflops;
    if (row.gigabytes_per_second > 0) entry["gigabytes_per_second"] = row.gigabytes_per_second;
    json["measured"].push_back(std::move(entry));
  }
  return json;
}

// Nothing where the row is not about it.
std::string rate(double number) { return number > 0 ? fmt::format("{:.1f}", number) : "-"; }

// What was looked up, and what is only typical.
void print_sizes(const Machine& machine) {
  std::vector<std::string> words;
  each_size(machine, [&](std::string_view key, const auto& figure) {
    const std::string number = key.starts_with('l') || key.starts_with("vector_b")
                                   ? readable_bytes(figure.value)
                                   : std::to_string(figure.value);
    std::string what(key.substr(0, key.find("_bytes")));
    std::ranges::replace(what, '_', ' ');
    words.push_back(fmt::format("{} {} ({})", what, number, name(figure.from)));
  });
  fmt::print("{}: {}\n", machine.name, fmt::join(words, ", "));
}

void print(const runtime::Calibration& calibration) {
  Table table({Column::name("kernel"), Column::number("time"), Column::number("GFLOP/s"),
               Column::number("GB/s")});
  for (const runtime::CalibrationRow& row : calibration.rows)
    table.add({row.name, readable_time(Microseconds(row.microseconds)), rate(row.gflops),
               rate(row.gigabytes_per_second)});
  table.print();
  const Machine& machine = calibration.machine;
  fmt::print("\n{}: peak {}, launch {}, strided reads {:.1f} times as dear\n", machine.processor,
             readable_speed(machine.peak_gflops.value),
             readable_time(Microseconds(machine.launch_microseconds)),
             machine.strided_penalty.value);
  print_sizes(machine);
  fmt::print(
      "half of the kernels it was tried on were estimated wrong by a factor of more than {:.2f}\n",
      1 + machine.estimate_error);
}

Result<Exit> measure(const CalibrateOptions& options) {
  if (!options.check.empty()) return check_estimates(options.check, options.rounds, options.json);
  if (!options.dry) TRY_VOID(check_keeping());
  runtime::CalibrationOptions how;
  how.rounds = options.rounds;
  StatusLine status;
  how.progress = status.progress();
  const runtime::Calibration calibration = TRY(calibrate_host(how));
  status.end();
  Json json = to_json(calibration);
  if (!options.json) print(calibration);
  // What was measured is told even if the disk has filled up meanwhile.
  Result<std::filesystem::path> file;
  if (!options.dry) file = keep(calibration.machine);
  if (!options.dry && file) {
    json["file"] = file->string();
    if (!options.json) fmt::print("kept in {}\n", file->string());
  }
  if (options.json) print_json(Schema::Calibrate, json);
  if (!file) return std::unexpected(file.error());
  return Exit::Good;
}

}  // namespace

void add_calibrate(Command app, Action& chosen) {
  const auto [command, options] = declare<CalibrateOptions>(
      app, chosen, "calibrate",
      "times small kernels on this machine, for plans, layouts and tiles to be weighed by", measure,
      "as JSON: machine, measured, file");
  command.add_option("--rounds", options->rounds, "runs of each kernel, at least")
      .check(whole_number(1, 100000))
      .capture_default_str();
  const Option check =
      command
          .add_option(
              "--check", options->check,
              "times the kernels of this model instead, and says how well they were estimated")
          .type_name("MODEL");
  command.add_flag("--dry-run", options->dry, "shows the rates and keeps nothing").excludes(check);
}

}  // namespace loopglass::app
