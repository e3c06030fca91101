// Files of machine code that are loaded when somebody asks for what is in them.
#pragma once

#include <filesystem>

namespace loopglass::library {

// Whether it is an ELF file for the processor that this program was made for, and has all that its
// headers speak of: a loader maps what they say, and the program ends with a signal where the file
// has no such page.
bool is_whole_shared_object(const std::filesystem::path& file);

}  // namespace loopglass::library
