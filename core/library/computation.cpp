#include "core/library/computation.h"

#include <fmt/format.h>

namespace loopglass::library {

Storage row_major(const Shape& extents) { return {extents, row_major_strides(extents)}; }

std::int64_t offset_of(const Storage& storage, std::int64_t place) {
  Shape indices(storage.extents.size());
  for (std::size_t axis = indices.size(); axis-- > 0; place /= storage.extents[axis])
    indices[axis] = place % storage.extents[axis];
  return offset_of(storage, std::move(indices));
}

std::int64_t offset_of(const Storage& storage, Shape indices) {
  std::int64_t inside = 0;
  // From the innermost block outwards.
  std::int64_t step = 1;
  for (auto block = storage.blocks.rbegin(); block != storage.blocks.rend(); ++block) {
    inside += indices[block->axis] % block->extent * step;
    indices[block->axis] /= block->extent;
    step *= block->extent;
  }
  for (std::size_t axis = 0; axis < indices.size(); ++axis)
    inside += indices[axis] * storage.strides[axis];
  return inside;
}

Result<Storage> storage_of(const Layout& layout, const Shape& physical) {
  Storage storage{TRY(layout.logical(physical)), std::vector<std::int64_t>(layout.rank(), 0)};
  const std::vector<std::int64_t> strides = row_major_strides(physical);
  for (std::size_t d = 0; d < physical.size(); ++d) {
    const Layout::Dimension& dimension = layout.dimensions()[d];
    if (dimension.block > 0) storage.blocks.push_back({dimension.axis, dimension.block});
    else if (storage.blocks.empty()) storage.strides[dimension.axis] = strides[d];
    else
      return fail(Code::LibraryRefused,
                  fmt::format("blocks of the layout {} are not innermost", layout.text()));
  }
  return storage;
}

}  // namespace loopglass::library
