#include "core/onnx/limits.h"

#include <fmt/format.h>
#include <unistd.h>
#include <algorithm>

namespace loopglass::onnx {

Result<void> check_type(const TensorType& type) {
  if (type.shape.size() > maximum_rank)
    return fail(Code::ModelTooLarge,
                fmt::format("a tensor of {} dimensions; at most {} are accepted", type.shape.size(),
                            maximum_rank));
  Shape counted = type.shape;
  for (std::int64_t& extent : counted) {
    if (extent < 0)
      return fail(Code::ModelCorrupt,
                  fmt::format("the negative extent {} in {}", extent, to_string(type)));
    extent = std::max<std::int64_t>(extent, 1);
  }
  const auto count = checked_element_count(counted);
  if (!count || *count > Tensor::maximum_bytes / static_cast<std::int64_t>(byte_size(type.type)))
    return fail(Code::ModelTooLarge, fmt::format("{} is too large", to_string(type)), {},
                "the limit for one tensor is 64 GiB");
  return {};
}

std::int64_t default_constant_budget() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) / 2;
}

}  // namespace loopglass::onnx
