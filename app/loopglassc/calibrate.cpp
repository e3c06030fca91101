// loopglassc calibrate: times small kernels of this compiler on this machine and keeps the constants
// that fusion weighs costs by.
#include "app/common/calibration.h"
#include "app/loopglassc/declare.h"
#include "core/runtime/calibrate.h"
#include "passes/pipeline.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
  int rounds = runtime::CalibrationOptions{}.rounds;
  bool dry = false;
  bool json = false;
};

Result<std::shared_ptr<runtime::Executor>> compile(graph::Graph graph) {
  SessionOptions options = session_options();
  options.pipeline = "none";
  options.strategy = "none";
  Session session(passes::toolchain(), std::move(options));
  session.open(onnx::Model{std::move(graph), {}, {}, {}, {}, {}, 13, "calibration"}, "calibration");
  return session.executor();
}

Json to_json(const runtime::Calibration& calibration) {
  Json json{{"constants", Json::parse(fusion::to_json(calibration.constants))}, {"measured", Json::array()}};
  for (const runtime::CalibrationRow& row : calibration.rows)
    json["measured"].push_back({{"name", row.name},
                                {"microseconds", row.microseconds},
                                {"gflops", row.gflops},
                                {"gigabytes_per_second", row.gigabytes_per_second}});
  return json;
}

void print(const runtime::Calibration& calibration) {
  fmt::print("{:<42}{:>12}{:>10}{:>9}\n", "kernel", "us", "GFLOP/s", "GB/s");
  for (const runtime::CalibrationRow& row : calibration.rows)
    fmt::print("{:<42}{:>12.2f}{:>10.1f}{:>9.1f}\n", row.name, row.microseconds, row.gflops, row.gigabytes_per_second);
  const fusion::MachineConstants& machine = calibration.constants;
  fmt::print("\n{}: peak {:.1f} GFLOP/s, launch {:.3f} us, strided reads {:.1f} times as dear\n", machine.target,
             machine.peak_gflops, machine.launch_microseconds, machine.strided_penalty);
}

Result<Exit> measure(const Options& options) {
  runtime::CalibrationOptions how;
  how.rounds = options.rounds;
  const runtime::Calibration calibration = TRY(runtime::calibrate(compile, how));
  Json json = to_json(calibration);
  if (!options.json) print(calibration);
  if (!options.dry) {
    const std::string file = TRY(keep(calibration.constants)).string();
    json["file"] = file;
    if (!options.json) fmt::print("kept in {}\n", file);
  }
  if (options.json) print_json(json);
  return Exit::Good;
}

}  // namespace

void add_calibrate(CLI::App& app, Action& chosen) {
  const auto [command, options] = declare<Options>(app, chosen, "calibrate",
                                                   "times small kernels on this machine, for fusion to weigh costs by", measure,
                                                   "as JSON: constants, measured, file");
  command->add_option("--rounds", options->rounds, "runs of each kernel, at least")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_flag("--dry-run", options->dry, "shows the constants and keeps nothing");
}

}  // namespace loopglass::app
