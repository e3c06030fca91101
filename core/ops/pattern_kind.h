// TVM's classification of operators, by how an element of the result depends on elements of an
// operand. core/fusion derives it from an operator's loops; an OpDef says it only where TVM does
// not go by the loops.
#pragma once

#include <cstdint>

namespace loopglass::ops {

// In the order in which TVM's rules compare them.
enum class PatternKind : std::uint8_t {
  Elementwise = 0,  // out[i] reads in[i]
  Broadcast = 1,    // out[i] reads in, in order, repeated along axes that in has not
  Injective = 2,    // any other index map without reduction
  CommReduce = 3,   // a commutative reduction without data reuse
  // A reduction with reuse: convolution, matrix product, pooling; or one whose result is spread
  // over the elements again: Softmax, normalisations.
  OutElementwiseFusable = 4,
  Tuple = 7,   // no operator: a list of tensors that one operator takes
  Opaque = 8,  // several results of reductions (TopK), or what cannot be computed here
};

}  // namespace loopglass::ops
