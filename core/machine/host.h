// The machine that this process runs on: asked for by programs and tests, which hand it to all
// that needs one.
#pragma once

#include "core/machine/machine.h"

#include <filesystem>
#include <optional>

namespace loopglass {

// What the operating system's tables and CPUID say of it, with the vectors of the level that it is
// held to (instruction_level.h); rates are the default ones.
Machine host_machine();

// Whether the processor, held to a level or not, has an instruction that sums four products of
// bytes, exactly (VNNI).
bool processor_multiplies_bytes();

// What one cache of data of this level holds, which cores may share, as Linux lists it (and lscpu
// after it): `folder` is a processor's in /sys. sysconf has the sum of all third caches of a socket
// instead. nullopt: it is not listed.
std::optional<std::int64_t> cache_bytes(const std::filesystem::path& folder, int level);

}  // namespace loopglass
