// Where the pieces that a result copies would lie, were they not copied: a result read where its
// operands lie, or an operand written where the result has it.
#pragma once

#include "core/placement/locations.h"
#include "core/te/copies.h"

#include <expected>

namespace loopglass::placement {

// How a piece of a result would lie if it lay where what it copies does.
struct Seen {
  graph::ValueId buffer;
  std::int64_t first = 0;             // element of the buffer
  std::vector<std::int64_t> strides;  // per axis; those of one element in the box say nothing
};
// `shape`: of the result; `source`: of what the piece copies. nullopt: a run that is broken up
// where it lies.
std::optional<Seen> seen_through(const te::Piece& piece, const Shape& shape,
                                 const Location& source);

// The element of a buffer that a box of a tensor begins at.
std::int64_t first_of(const te::Box& box, const Rows& rows);
// Whether the box of a tensor at `location` is just what is seen.
bool is_at(const Seen& seen, const te::Box& box, const Location& location);

// The one way in which all pieces of a result of this shape can lie together where each lies;
// nullopt: there is none.
std::optional<Location> joined(const std::vector<te::Piece>& pieces, const std::vector<Seen>& seen,
                               const Shape& shape);

// Where all of a tensor lies in a dense result of this shape that copies it into a piece: the
// piece's index map the other way round.
std::expected<Rows, CopyReason> written_there(const te::Piece& piece, const Shape& shape);

}  // namespace loopglass::placement
