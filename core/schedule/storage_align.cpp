// storage_align(buffer, dimension, factor, offset): space between the rows of a buffer.
//
// It is noted on the allocation (core/loop/strides.h), since how much of the buffer is kept is
// settled by the loop pass compact-buffers, which pads it then. As TVM's primitive of that name.
#include "core/loop/buffers.h"
#include "core/loop/strides.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"

#include <fmt/format.h>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr std::int64_t most = 4096;  // elements of padding for a row

Result<Applied> apply_storage_align(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::int64_t dimension = integer_at(arguments, 1), factor = integer_at(arguments, 2),
                     offset = integer_at(arguments, 3);
  const std::string call =
      fmt::format("storage_align({}, {}, {}, {})", name, dimension, factor, offset);
  const std::vector<Buffer> buffers = buffers_of(func);
  const Buffer* buffer = find_buffer(buffers, name);
  if (!buffer)
    return fail(Code::ScheduleHandleUnknown,
                fmt::format("'{}' has no buffer named '{}'", func.name, name), name);
  if (is_parameter(func, name))
    return illegal(call, name, fmt::format("'{}' is a parameter: its memory is the caller's", name),
                   "cache_read or cache_write it, and align the copy");
  const auto rank = static_cast<std::int64_t>(buffer->shape.size());
  if (dimension < 0 || dimension + 1 >= rank)
    return illegal(call, name,
                   rank < 2 ? fmt::format("'{}' has {} and so no rows", name,
                                          rank == 1 ? "one dimension" : "no dimension")
                            : fmt::format("the dimension is {}, and has to be from 0 to {}: behind "
                                          "the last there is nothing to pad",
                                          dimension, rank - 2));
  if (factor < 1 || factor > most)
    return illegal(call, name,
                   fmt::format("the factor is {}, and has to be from 1 to {}", factor, most));
  if (offset < 0 || offset >= factor)
    return illegal(call, name,
                   fmt::format("the offset is {}, and has to be from 0 to {}", offset, factor - 1));
  const StrideRule rule{static_cast<std::size_t>(dimension), factor, offset};
  if (!with_stride(*buffer, rule))
    return illegal(
        call, name,
        fmt::format("no row of '{}' can be made so long: what is behind its dimension {} "
                    "comes in steps that pass over {} more than a multiple of {}",
                    name, dimension + 1, offset, factor));
  return Applied{with_stride_rule(func, name, rule), {}, {}};
}

}  // namespace

Primitive storage_align() {
  return {"storage_align",
          "Makes the rows of a buffer that the kernel allocates a little longer, so that what lies "
          "below one another is not in the same set of a cache: from one index of a dimension to "
          "the next there are `offset` elements more than a multiple of `factor`.",
          "alloc T: float32[64, 512] stack",
          "alloc T: float32[64, 516] stack  // storage_align(T, 0, 16, 4)",
          {{"buffer", ParameterKind::Buffer,
            "an allocation of the kernel of two dimensions or more", choices::allocations()},
           {"dimension", ParameterKind::Integer, "whose stride it is, not the last",
            choices::these({std::int64_t{0}})},
           {"factor", ParameterKind::Integer, "elements", choices::these({std::int64_t{16}})},
           {"offset", ParameterKind::Integer, "elements more than a multiple of the factor",
            choices::these({std::int64_t{0}, std::int64_t{4}})}},
          apply_storage_align};
}

}  // namespace loopglass::schedule
