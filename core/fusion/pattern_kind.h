// TVM's pattern kinds, derived from the index maps of an operator's compute, not declared
// (after TVM's tir_op_pattern_kind): how an output element depends on input elements.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::fusion {

enum class PatternKind : std::uint8_t {
  Elementwise = 0,    // out[i] reads in[i]
  Broadcast = 1,      // out[i] reads a projection of i, in order
  Injective = 2,      // any other index map without reduction
  CommReduce = 3,     // one commutative reduction without data reuse
  OutElementwiseFusable = 4,  // a reduction with reuse: convolution, matrix product, pooling
  Tuple = 7,          // more than one output
  Opaque = 8,         // several dependent reductions or data-dependent indexing over reductions
};
std::string_view name(PatternKind kind);

PatternKind pattern_kind(const graph::Graph& graph, const graph::Node& node);
PatternKind pattern_kind(const te::Program& program);

}  // namespace loopglass::fusion
