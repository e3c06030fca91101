// What the rules about operators that move elements share: reading such nodes, making them, and
// taking them from in front of a pointwise operator to behind it.
//
// So that no rule undoes another's work, each of these operators goes one way only. A Slice rises
// towards the inputs (what lies below it then works on less), past pointwise operators, matrix
// products, Transpose and Expand. Reshape, Transpose and Expand fall towards the outputs past
// pointwise operators, until they meet one they merge with; Transpose also falls past Concat and
// reductions, and Expand past Transpose and reductions. Flatten, Squeeze and Unsqueeze become
// Reshape. Where a rule makes more nodes of these kinds than it takes away, fewer elements move all
// the same.
#pragma once

#include "core/ops/movement.h"
#include "passes/graph/rules/rule.h"

namespace loopglass::passes::rules {

using ops::Integers;

// --- pointwise operators -------------------------------------------------------------------------

// Whether each element of the result depends on the elements of the operands at its own place
// alone, operands broadcasting as numpy has it. Operands that give one number or a type only
// (Clip's bounds, what CastLike is like) may have any shape.
bool is_pointwise(const graph::Node& node);
const std::vector<std::string>& pointwise_operators();

// What a pointwise node reads besides operands that were all moved alike.
enum class Company {
  Alone,      // one operand was moved, others have one element
  Alike,      // several operands were moved, others have one element
  Constants,  // others are constants, which can be moved back at compile time
};

// An operator that moves elements, seen from behind.
struct Move {
  // What was moved to make `value`; nothing if it was not, or if others than this node need it.
  std::function<std::optional<graph::ValueId>(graph::ValueId value)> undo;
  std::function<std::optional<Tensor>(const Tensor&)> undo_constant;
  Shape unmoved;  // shape of the pointwise node's result before it would be moved
};
// The pointwise node on operands that were not moved; nothing where it has other company.
std::optional<graph::ValueId> before_move(Site& site, const Move& move, Company company);

// --- shapes --------------------------------------------------------------------------------------

std::int64_t elements(const Site& site, graph::ValueId value);
// `shape` behind as many extents of 1 as give it the rank.
Shape with_leading_ones(Shape shape, std::size_t rank);

// Reshape, and what is one: Flatten, Squeeze, Unsqueeze.
const std::vector<std::string>& regroupings();
const graph::Node* regrouping(Site& site, graph::ValueId value);
ops::Attributes reshape_attributes(const Shape& shape);
// The value itself where it has that shape.
graph::ValueId reshaped(Site& site, graph::ValueId value, const Shape& shape);
graph::ValueId expanded(Site& site, graph::ValueId value, const Shape& shape);

// --- permutations --------------------------------------------------------------------------------

// The source axis of each axis of a Transpose's result.
Integers permutation_of(const Site& site, const graph::Node& transpose);
bool is_identity(const Integers& permutation);
Integers inverse(const Integers& permutation);
std::vector<std::int64_t> permuted(const std::vector<std::int64_t>& extents,
                                   const Integers& permutation);
Tensor permuted(const Tensor& tensor, const Integers& permutation);
// Whether all axes of more than one element keep their order, so that no element moves in memory.
bool moves_unit_axes_only(const Integers& permutation, const Shape& from);
// The value itself for the identity.
graph::ValueId transposed(Site& site, graph::ValueId value, const Integers& permutation);

// --- slices --------------------------------------------------------------------------------------

using Slicing = std::vector<ops::Stride>;  // one an axis

// In normal form: along axes of at most one element the step is 1, and where none is left, the
// start is 0.
Slicing slicing_of(const Site& site, const graph::Node& slice);
Slicing normalised(Slicing slicing);
bool takes_everything(const Slicing& slicing, const Shape& from);
bool takes_nothing(const Slicing& slicing);
Shape sliced_shape(const Slicing& slicing);
// Of the axes that are cut, in ascending order; steps only where one is not 1.
ops::Attributes slice_attributes(const Slicing& slicing, const Shape& from);
// The value itself where all of it is taken.
graph::ValueId sliced(Site& site, graph::ValueId value, const Slicing& slicing);
// The slicing whose positions are these; nothing unless they lie evenly and apart.
std::optional<ops::Stride> evenly_spaced(const Integers& positions);

}  // namespace loopglass::passes::rules
