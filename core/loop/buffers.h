// The buffers that a Func declares, as parameters and allocations, and the same Func with others.
#pragma once

#include "core/loop/func.h"

#include <map>
#include <optional>
#include <string>

namespace loopglass::loop {

// Of parameters: whether the kernel writes there.
inline bool is_written(const Buffer& parameter) {
  return parameter.role == Role::Output || parameter.role == Role::Intermediate;
}
bool is_parameter(const Func& func, const std::string& buffer);
// Allocates `buffer` around everything that is not itself an allocation.
Func with_allocation(const Func& func, Buffer buffer);
Func without_allocation(const Func& func, const std::string& buffer);
// Changes the declaration of a buffer, parameter or allocation.
Func with_buffer(const Func& func, const Buffer& buffer);

// Its shape where the symbols have these values; nothing where it depends on more, or an extent
// would be negative.
std::optional<Shape> shape_of(const Buffer& buffer,
                              const std::map<std::string, std::int64_t>& symbols);

}  // namespace loopglass::loop
