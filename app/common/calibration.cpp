#include "app/common/calibration.h"

#include "app/common/roofline_json.h"
#include "core/machine/host.h"
#include "core/machine/instruction_level.h"
#include "core/machine/machine_json.h"
#include "core/operator_kernels.h"
#include "core/support/cache_folder.h"
#include "core/support/file_lock.h"
#include "core/support/whole_file.h"
#include "passes/pipeline.h"

#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

namespace fs = std::filesystem;

// In the name, so that files of an older cost model are not taken for today's.
constexpr std::string_view format = "machines-5";

Result<fs::path> file_of(std::string_view what) {
  std::string machine;
  for (const char c : host_machine().processor)
    machine += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return TRY(cache_folder()) / format / (machine + std::string(what));
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Result<fs::path> machine_file() { return file_of(".json"); }
Result<fs::path> measurements_file() { return file_of(".kernels.json"); }

// Each number of threads, and each level that the processor is held to, has its own.
Result<fs::path> roofs_file(int threads) {
  const InstructionLevel* level = held_level();
  return file_of(
      fmt::format("{}.roofs-{}.json", level ? fmt::format(".{}", level->name) : "", threads));
}

// As it can be looked up, with its rates where it has been calibrated.
Machine known_machine() {
  const Machine host = host_machine();
  const auto kept = machine_file();
  const auto measured = kept ? machine_from_json(text_of(*kept)) : Result<Machine>(host);
  return measured ? with_measured(host, *measured) : host;
}

}  // namespace

std::shared_ptr<const fusion::CostModel> host_cost_model() {
  const auto measurements_at = measurements_file();
  if (!measurements_at) return nullptr;
  const auto measurements = fusion::measurements_from_json(text_of(*measurements_at));
  Machine machine = known_machine();
  if (!machine.is_measured() && !measurements) return nullptr;
  auto cost = std::make_shared<fusion::CostModel>(std::move(machine));
  if (measurements) cost->add_measurements(*measurements);
  return cost;
}

Result<runtime::Calibration> calibrate_host(const runtime::CalibrationOptions& options) {
  return runtime::calibrate(host_machine(), compile_by_operator(passes::toolchain()), options);
}

Result<void> check_keeping() {
  // Both files lie in one folder.
  const fs::path file = TRY(machine_file());
  TRY_VOID(make_folder_of(file));
  TRY(WholeFile::create(file));
  return {};
}

Result<fs::path> keep(const Machine& machine) {
  const fs::path file = TRY(machine_file());
  TRY_VOID(make_folder_of(file));
  TRY_VOID(write_file(file, to_json(machine)));
  return file;
}

Result<fs::path> keep(const fusion::Measurements& measurements) {
  const fs::path file = TRY(measurements_file());
  // Another process may be about to add its own.
  const FileLock lock = TRY(FileLock::take(file));
  fusion::Measurements all = measurements;
  if (auto known = fusion::measurements_from_json(text_of(file))) all.merge(*known);
  TRY_VOID(write_file(file, fusion::to_json(all)));
  return file;
}

std::optional<roofline::Roofs> kept_roofs(int threads) {
  const auto file = roofs_file(threads);
  if (!file) return std::nullopt;
  auto roofs = roofs_from_json(nlohmann::ordered_json::parse(text_of(*file), nullptr, false));
  const bool fits = roofs && roofs->threads == threads && are_of(*roofs, host_machine());
  return fits ? std::move(roofs) : std::nullopt;
}

Result<fs::path> keep(const roofline::Roofs& roofs) {
  const fs::path file = TRY(roofs_file(roofs.threads));
  // Another process may be about to add its own.
  const FileLock lock = TRY(FileLock::take(file));
  const auto known = kept_roofs(roofs.threads);
  TRY_VOID(write_file(file, to_json(known ? higher(roofs, *known) : roofs).dump(2) + "\n"));
  return file;
}

}  // namespace loopglass::app
