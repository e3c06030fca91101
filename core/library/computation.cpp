#include "core/library/computation.h"

#include <fmt/format.h>

namespace loopglass::library {

Storage row_major(const Shape& extents) { return {extents, row_major_strides(extents)}; }

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
