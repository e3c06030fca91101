#include "core/tensor/rearrange.h"

#include <cstring>

namespace loopglass {

namespace {

// Visits the offset of every element, the last dimension innermost.
template <class Visit>
void walk(std::int64_t offset, std::span<const std::int64_t> extents,
          std::span<const std::int64_t> strides, const Visit& visit) {
  if (extents.empty()) return visit(offset);
  for (std::int64_t i = 0; i < extents[0]; ++i, offset += strides[0]) {
    if (extents.size() > 1) walk(offset, extents.subspan(1), strides.subspan(1), visit);
    else visit(offset);
  }
}

}  // namespace

void gather(const Tensor& from, std::span<const std::int64_t> strides, Tensor& to) {
  const auto bytes = static_cast<std::ptrdiff_t>(byte_size(from.data_type()));
  std::byte* next = to.data();
  walk(0, to.shape(), strides, [&](std::int64_t offset) {
    std::memcpy(next, from.data() + offset * bytes, static_cast<std::size_t>(bytes));
    next += bytes;
  });
}

void scatter(const Tensor& from, std::span<const std::int64_t> strides, Tensor& to) {
  const auto bytes = static_cast<std::ptrdiff_t>(byte_size(from.data_type()));
  const std::byte* next = from.data();
  walk(0, from.shape(), strides, [&](std::int64_t offset) {
    std::memcpy(to.data() + offset * bytes, next, static_cast<std::size_t>(bytes));
    next += bytes;
  });
}

Tensor concatenated(std::span<const Tensor* const> parts, std::size_t axis) {
  TensorType type = parts.front()->type();
  std::size_t rows = 1;
  for (std::size_t d = 0; d < axis; ++d) rows *= static_cast<std::size_t>(type.shape[d]);
  type.shape[axis] = 0;
  for (const Tensor* part : parts) type.shape[axis] += part->shape()[axis];
  Tensor whole(type);
  std::byte* to = whole.data();
  for (std::size_t row = 0; row < rows; ++row)
    for (const Tensor* part : parts) {
      const std::size_t bytes = part->bytes() / rows;
      std::memcpy(to, part->data() + row * bytes, bytes);
      to += bytes;
    }
  return whole;
}

}  // namespace loopglass
