#include "core/library/library.h"

#include "core/machine/instruction_level.h"
#include "core/support/suggestion.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>

namespace loopglass::library {

namespace {

namespace fs = std::filesystem;

struct Known {
  std::string_view name, module;  // no module: nobody has written one
  std::string_view hint;
};
constexpr Known known[] = {
    {"onednn", "loopglass_onednn.so",
     "install libdnnl-dev and build anew: the module is made where the library is found"},
    {"onnxruntime", "",
     "it is measured against by tests/bench/compare_onnxruntime.mjs, through its npm package "
     "onnxruntime-node"}};

// Beside the program that runs.
fs::path module_path(std::string_view module) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return program.parent_path() / module;
}

}  // namespace

Result<Library*> load(std::string_view name) {
  const auto* library = std::ranges::find(known, name, &Known::name);
  if (library == std::end(known))
    return fail(Code::UsageInvalid, fmt::format("there is no library '{}'", name), {},
                did_you_mean(name, std::array{std::string(known[0].name)}, known[0].name));
  const std::string hint(library->hint);
  if (library->module.empty())
    return fail(Code::LibraryMissing, fmt::format("there is no module for {}", name), {}, hint);
  const fs::path module = module_path(library->module);
  std::error_code error;
  if (!fs::exists(module, error))
    return fail(Code::LibraryMissing, fmt::format("Loopglass was built without {}", name),
                module.string(), hint);
  void* handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return fail(Code::LibraryMissing, fmt::format("{} cannot be loaded: {}", name, dlerror()),
                module.string(), hint);
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, entry_name));
  if (entry == nullptr)
    return fail(Code::LibraryMissing,
                fmt::format("the module for {} is of another Loopglass", name), module.string(),
                "build anew");
  Library* const loaded = entry();
  if (const InstructionLevel* level = held_level()) TRY_VOID(loaded->hold_to(level->name));
  return loaded;
}

}  // namespace loopglass::library
