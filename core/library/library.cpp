#include "core/library/library.h"

#include "core/machine/instruction_level.h"
#include "core/support/suggestion.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

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

// An ELF file that has all that its headers speak of: a loader maps what they say, and the program
// ends with a signal where the file has no such page.
bool is_whole(const fs::path& file) {
  Elf64_Ehdr header;
  std::ifstream in(file, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(&header), sizeof(header)) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return false;
  std::error_code error;
  const std::uint64_t size = fs::file_size(file, error);
  if (error) return false;
  const auto lies_inside = [size](std::uint64_t offset, std::uint64_t bytes) {
    return offset <= size && bytes <= size - offset;
  };
  in.seekg(static_cast<std::streamoff>(std::min<std::uint64_t>(header.e_phoff, size)));
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!in.read(reinterpret_cast<char*>(&segment), sizeof(segment))) return false;
    if (segment.p_type != PT_NULL && !lies_inside(segment.p_offset, segment.p_filesz)) return false;
  }
  return true;
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
    return fail(Code::LibraryMissing, fmt::format("the module for {} is not there", name),
                module.string(), hint);
  if (!is_whole(module))
    return fail(Code::LibraryMissing,
                fmt::format("the module for {} is cut off, or no module at all", name),
                module.string(), "build anew");
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
