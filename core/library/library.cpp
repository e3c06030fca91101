#include "core/library/library.h"

#include "core/library/onnx_runtime_library.h"
#include "core/library/shared_object.h"
#include "core/machine/instruction_level.h"
#include "core/support/suggestion.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

namespace loopglass::library {

namespace {

namespace fs = std::filesystem;

// From the module beside the program that runs.
Result<Library*> load_onednn() {
  const std::string how_to_have_it =
      "install libdnnl-dev and build anew: the module is made where the library is found";
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path module = program.parent_path() / "loopglass_onednn.so";
  if (!fs::exists(module, error))
    return fail(Code::LibraryMissing, "the module for onednn is not there", module.string(),
                how_to_have_it);
  if (!is_whole_shared_object(module))
    return fail(Code::LibraryMissing, "the module for onednn is cut off, or no module at all",
                module.string(), "build anew");
  void* const handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return fail(Code::LibraryMissing, fmt::format("onednn cannot be loaded: {}", dlerror()),
                module.string(), how_to_have_it);
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, entry_name));
  if (entry == nullptr)
    return fail(Code::LibraryMissing, "the module for onednn is of another Loopglass",
                module.string(), "build anew");
  return entry();
}

Result<Library*> load_onnxruntime() {
  OnnxRuntime* const runtime = TRY(load_onnx_runtime());
  static OnnxRuntimeLibrary library(*runtime);
  return &library;
}

struct Known {
  std::string_view name;
  Result<Library*> (*load)();
  bool takes_models = false;
};
constexpr Known known[] = {{"onednn", load_onednn}, {"onnxruntime", load_onnxruntime, true}};

}  // namespace

Result<Library*> load(std::string_view name) {
  const auto* library = std::ranges::find(known, name, &Known::name);
  if (library == std::end(known)) {
    std::vector<std::string> names;
    for (const Known& one : known) names.emplace_back(one.name);
    return fail(Code::UsageInvalid, fmt::format("there is no library '{}'", name), {},
                did_you_mean(name, names, "onednn, onnxruntime"));
  }
  Library* const loaded = TRY(library->load());
  if (const InstructionLevel* level = held_level()) TRY_VOID(loaded->hold_to(level->name));
  return loaded;
}

bool takes_models(std::string_view name) {
  const auto* library = std::ranges::find(known, name, &Known::name);
  return library != std::end(known) && library->takes_models;
}

}  // namespace loopglass::library
