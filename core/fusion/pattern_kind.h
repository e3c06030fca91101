// TVM's pattern kinds, derived from the index maps of an operator's compute, not declared: how an
// output element depends on input elements. The rules are those of TVM's tir_op_pattern_kind.
//
// Relay declares a kind for each operator. Where the derived one differs it is the more exact: an
// addition of equal shapes is Elementwise (Relay: Broadcast), a global average is a CommReduce, since
// it reads each element once (Relay: OutElementwiseFusable, like all pooling), a squeeze is a
// Broadcast (Relay: Injective).
//
// Where TVM's analysis and Relay disagree, ours goes with Relay: a bias that is added along one axis
// is a Broadcast (the analysis: Elementwise), a mean is a CommReduce (the analysis sees a step after a
// reduction, and calls it OutElementwiseFusable, as both call Softmax).
#pragma once

#include "core/graph/graph.h"

namespace loopglass::fusion {

enum class PatternKind : std::uint8_t {
  Elementwise = 0,    // out[i] reads in[i]
  Broadcast = 1,      // out[i] reads a projection of i, in order
  Injective = 2,      // any other index map without reduction
  CommReduce = 3,     // a commutative reduction without data reuse
  // A reduction with reuse: convolution, matrix product, pooling; or one whose result is spread over
  // the elements again: Softmax, normalisations.
  OutElementwiseFusable = 4,
  Tuple = 7,          // no operator: the tensors that one operator joins, before it does (joins_tensors)
  Opaque = 8,         // several results of reductions (TopK), or what cannot be computed here
};
std::string_view name(PatternKind kind);

PatternKind pattern_kind(const graph::Graph& graph, const graph::Node& node);
PatternKind pattern_kind(const te::Program& program);

// Whether the result is made of several tensors side by side (Concat): in Relay such an operator reads
// one Tuple, which the rules treat by itself.
bool joins_tensors(const graph::Graph& graph, const graph::Node& node);

}  // namespace loopglass::fusion
