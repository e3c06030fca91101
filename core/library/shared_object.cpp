#include "core/library/shared_object.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>

namespace loopglass::library {

namespace {

std::optional<Elf64_Ehdr> header_of(std::ifstream& in) {
  Elf64_Ehdr header;
  if (!in.read(reinterpret_cast<char*>(&header), sizeof(header)) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return std::nullopt;
  return header;
}

// What this program itself is for.
Elf64_Half own_machine() {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  const auto header = header_of(self);
  return header ? header->e_machine : Elf64_Half(EM_NONE);
}

}  // namespace

bool is_whole_shared_object(const std::filesystem::path& file) {
  // A pipe would be waited for.
  std::error_code unseen;
  if (!std::filesystem::is_regular_file(file, unseen)) return false;
  std::ifstream in(file, std::ios::binary);
  const auto header = header_of(in);
  if (!header || header->e_machine != own_machine()) return false;
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file, error);
  if (error) return false;
  const auto lies_inside = [size](std::uint64_t offset, std::uint64_t bytes) {
    return offset <= size && bytes <= size - offset;
  };
  in.seekg(static_cast<std::streamoff>(std::min<std::uint64_t>(header->e_phoff, size)));
  for (int i = 0; i < header->e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!in.read(reinterpret_cast<char*>(&segment), sizeof(segment))) return false;
    if (segment.p_type != PT_NULL && !lies_inside(segment.p_offset, segment.p_filesz)) return false;
  }
  return true;
}

}  // namespace loopglass::library
