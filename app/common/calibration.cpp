#include "app/common/calibration.h"

#include "core/support/cache_folder.h"
#include "core/support/file_lock.h"
#include "core/support/whole_file.h"
#include "passes/pipeline.h"

#include <fstream>
#include <iterator>

namespace loopglass::app {

namespace {

namespace fs = std::filesystem;

// In the name, so that files of an older cost model are not taken for today's.
constexpr std::string_view format = "machines-2";

Result<fs::path> file_of(std::string_view what) {
  std::string machine;
  for (const char c : runtime::processor_name())
    machine += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return TRY(cache_folder()) / format / (machine + std::string(what));
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Result<fs::path> constants_file() { return file_of(".json"); }
Result<fs::path> measurements_file() { return file_of(".kernels.json"); }

}  // namespace

std::shared_ptr<const fusion::CostModel> host_cost_model() {
  const auto constants_at = constants_file(), measurements_at = measurements_file();
  if (!constants_at || !measurements_at) return nullptr;
  const auto constants = fusion::constants_from_json(text_of(*constants_at));
  const auto measurements = fusion::measurements_from_json(text_of(*measurements_at));
  if (!constants && !measurements) return nullptr;
  auto cost =
      std::make_shared<fusion::CostModel>(constants ? *constants : fusion::MachineConstants{});
  if (measurements) cost->add_measurements(*measurements);
  return cost;
}

Result<runtime::Calibration> calibrate_host(const runtime::CalibrationOptions& options) {
  // Every operator its own kernel, as given.
  const auto compile = [](graph::Graph graph) {
    SessionOptions each;
    each.pipeline = "none";
    each.strategy = "none";
    each.compile_threads = 1;
    Session session(passes::toolchain(), std::move(each));
    session.open(onnx::Model{std::move(graph), {}, {}, {}, {}, {}, 13, "calibration"},
                 "calibration");
    return session.executor();
  };
  return runtime::calibrate(compile, options);
}

Result<void> check_keeping() {
  // Both files lie in one folder.
  const fs::path file = TRY(constants_file());
  TRY_VOID(make_folder_of(file));
  TRY(WholeFile::create(file));
  return {};
}

Result<fs::path> keep(const fusion::MachineConstants& constants) {
  const fs::path file = TRY(constants_file());
  TRY_VOID(write_file(file, fusion::to_json(constants)));
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

}  // namespace loopglass::app
