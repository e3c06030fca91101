#include "core/placement/piece_places.h"

namespace loopglass::placement {

using te::AffineIndex;
using te::Box;
using te::Copied;
using te::Piece;

namespace {

bool is_wide(const Box& box, std::size_t d) { return box.end[d] - box.begin[d] > 1; }

}  // namespace

std::optional<Seen> seen_through(const Piece& piece, const Shape& shape, const Location& source) {
  const Copied& copied = *piece.copied;
  Seen seen{source.buffer, source.rows.offset, std::vector<std::int64_t>(shape.size(), 0)};
  if (copied.indices) {
    for (std::size_t k = 0; k < copied.shape.size(); ++k) {
      if (copied.shape[k] == 1) continue;
      const AffineIndex& index = (*copied.indices)[k];
      const std::int64_t stride = source.rows.strides[k];
      seen.first += stride * index.constant;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        seen.first += stride * index.coefficients[d] * piece.box.begin[d];
        seen.strides[d] += stride * index.coefficients[d];
      }
    }
    return seen;
  }
  if (!is_dense(source.rows, copied.shape)) return std::nullopt;
  seen.first += *copied.run;
  seen.strides = row_major_strides(shape);
  return seen;
}

std::int64_t first_of(const Box& box, const Rows& rows) {
  std::int64_t at = rows.offset;
  for (std::size_t d = 0; d < box.begin.size(); ++d) at += box.begin[d] * rows.strides[d];
  return at;
}

bool is_at(const Seen& seen, const Box& box, const Location& location) {
  if (seen.buffer != location.buffer || seen.first != first_of(box, location.rows)) return false;
  for (std::size_t d = 0; d < box.begin.size(); ++d)
    if (is_wide(box, d) && seen.strides[d] != location.rows.strides[d]) return false;
  return true;
}

std::optional<Location> joined(const std::vector<Piece>& pieces, const std::vector<Seen>& seen,
                               const Shape& shape) {
  const Box& box = pieces.front().box;
  Location whole{seen.front().buffer,
                 {seen.front().first, std::vector<std::int64_t>(shape.size(), 0)}};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    // From a piece with several elements along the axis, or from two that lie side by side along
    // it.
    std::optional<std::int64_t> stride;
    for (std::size_t p = 0; p < pieces.size() && !stride; ++p) {
      const Box& other = pieces[p].box;
      if (is_wide(other, d)) stride = seen[p].strides[d];
      Shape moved = other.begin;
      moved[d] = box.begin[d];
      const std::int64_t steps = other.begin[d] - box.begin[d],
                         way = seen[p].first - whole.rows.offset;
      if (!stride && steps != 0 && moved == box.begin && way % steps == 0) stride = way / steps;
    }
    if (!stride) return std::nullopt;
    whole.rows.strides[d] = *stride;
  }
  whole.rows.offset -= first_of(box, {0, whole.rows.strides});
  for (std::size_t p = 0; p < pieces.size(); ++p)
    if (!is_at(seen[p], pieces[p].box, whole)) return std::nullopt;
  return whole;
}

std::expected<Rows, CopyReason> written_there(const Piece& piece, const Shape& shape) {
  const Copied& copied = *piece.copied;
  const Rows dense = dense_rows(shape);
  Rows rows{first_of(piece.box, dense), row_major_strides(copied.shape)};
  if (piece.box.elements() != element_count(copied.shape))
    return std::unexpected(CopyReason::PartOfOperand);
  if (copied.run) return rows;
  // As many elements on both sides, so that no index may be met twice.
  for (std::size_t k = 0; k < copied.shape.size(); ++k) {
    if (copied.shape[k] == 1) continue;
    const AffineIndex& index = (*copied.indices)[k];
    std::optional<std::size_t> axis;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (!is_wide(piece.box, d) || index.coefficients[d] == 0) continue;
      if (axis || index.coefficients[d] != 1) return std::unexpected(CopyReason::NotRows);
      axis = d;
    }
    if (!axis || index.constant + piece.box.begin[*axis] != 0 ||
        piece.box.end[*axis] - piece.box.begin[*axis] != copied.shape[k])
      return std::unexpected(CopyReason::NotRows);
    rows.strides[k] = dense.strides[*axis];
  }
  return rows;
}

}  // namespace loopglass::placement
