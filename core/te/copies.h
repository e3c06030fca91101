// Which parts of a program's results are nothing but copies of other tensors, and of which
// elements: read off its index maps, whatever the operators are called. Concat is copies side by
// side, Split and Slice are copies of parts, Reshape is a copy of the same places.
#pragma once

#include "core/te/program_index.h"

namespace loopglass::te {

// Indices [begin, end) along every axis; never empty.
struct Box {
  Shape begin, end;

  std::int64_t elements() const;
  friend bool operator==(const Box&, const Box&) = default;
};

// index = constant + sum over the result's axes of coefficients[axis] * i_axis. An axis along which
// the box has one element has coefficient 0 and its share in the constant.
struct AffineIndex {
  std::int64_t constant = 0;
  std::vector<std::int64_t> coefficients;
};

struct Copied {
  std::string tensor;  // an input of the program, or another of its outputs
  Shape shape;         // of that tensor
  // One per dimension of the tensor; nullopt where some index is no sum of axes.
  std::optional<std::vector<AffineIndex>> indices;
  // Where the box is one run of the result's elements, and copies one run of the tensor's: that
  // run's first element.
  std::optional<std::int64_t> run;
};

// A part of a result, and what it copies; nullopt: it is computed.
struct Piece {
  Box box;
  std::optional<Copied> copied;
};

// The pieces of one output of the program, which together are the whole of it, in no two of them
// the same element. Empty when the output has no elements, or symbolic extents.
std::vector<Piece> pieces_of(const ProgramIndex& program, const std::string& output);

// Whether the whole of every output is copies that keep the elements in their order: one run of
// them, or a box at other places along the same axes. Such results need no memory of their own when
// what they copy, or what reads them, can lie at those places.
bool only_places(const Program& program);

}  // namespace loopglass::te
