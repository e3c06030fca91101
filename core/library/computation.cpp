#include "core/library/computation.h"

#include <fmt/format.h>

#include <algorithm>

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

namespace {

// An element lies at the sum of what each of its indices adds.
std::vector<std::vector<std::int64_t>> steps_of(const Storage& storage) {
  std::vector<std::vector<std::int64_t>> steps;
  for (std::size_t axis = 0; axis < storage.extents.size(); ++axis) {
    Shape indices(storage.extents.size(), 0);
    std::vector<std::int64_t>& along = steps.emplace_back();
    for (std::int64_t i = 0; i < storage.extents[axis]; ++i) {
      indices[axis] = i;
      along.push_back(offset_of(storage, indices));
    }
  }
  return steps;
}

// take(place in rows, place where it lies), of all elements in the order of rows.
template <class Take>
void each_element(const Storage& storage, const Take& take) {
  const std::vector<std::vector<std::int64_t>> steps = steps_of(storage);
  std::int64_t place = 0;
  const auto walk = [&](const auto& self, std::size_t axis, std::int64_t offset) -> void {
    const bool is_last = axis + 1 == steps.size();
    for (const std::int64_t step : steps[axis])
      if (is_last) take(place++, offset + step);
      else self(self, axis + 1, offset + step);
  };
  if (steps.empty()) take(0, 0);
  else walk(walk, 0, 0);
}

}  // namespace

bool lies_in_rows(const Storage& storage) {
  return storage.blocks.empty() && storage.strides == row_major_strides(storage.extents);
}

void copy_into_rows(const Storage& storage, const float* from, float* rows) {
  if (lies_in_rows(storage)) std::copy_n(from, element_count(storage.extents), rows);
  else each_element(storage, [&](std::int64_t place, std::int64_t at) { rows[place] = from[at]; });
}

void copy_from_rows(const Storage& storage, const float* rows, float* to) {
  if (lies_in_rows(storage)) std::copy_n(rows, element_count(storage.extents), to);
  else each_element(storage, [&](std::int64_t place, std::int64_t at) { to[at] = rows[place]; });
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
