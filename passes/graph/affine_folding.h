// Folds operators that scale and shift channels into the weights beside them: what fold-batch-norm
// and fold-scale-and-bias share.
//
//   after:   f (x . w + b) + t    =>    x . (f w) + (f b + t)     f, t a number an output channel
//   before:  (f x + t) . w + b    =>    x . (f w) + (b + t . w)   f, t a number an input channel
//
// A MatMul takes no bias: the Add after it counts as one. New weights and biases are computed in
// double precision and rounded once; results differ from the unfolded graph by rounding. A fold
// whose numbers do not fit the element type is refused.
#pragma once

#include "core/pass/runner.h"
#include "passes/graph/affine.h"

namespace loopglass::passes {

struct AffineFolding {
  // Whether the node is such an operator, with constant numbers. It may report why it is not, when
  // one would have expected it to be.
  std::function<std::optional<Affine>(const graph::GraphBuilder&, const graph::Node&,
                                      pass::Report&)>
      match;
  std::string into_producer, into_consumer;  // the rules' names
  bool expects_weights;                      // no weights beside the node are worth a remark
};

// First everything into the weights before it, then what is left into the weights after it.
Result<graph::Graph> fold_affine(const graph::Graph& graph, pass::Report& report,
                                 const AffineFolding& folding);
// What fold_affine() says besides its rules.
pass::Words affine_folding_words();

}  // namespace loopglass::passes
