// Which layout every operator works in: the choice that makes operators and transforms together as
// fast as possible.
//
// A dense convolution reads in one layout and writes in another, so it is two variables; any other
// operator is one. Images are wires between variables, and a wire costs a transform for each layout
// it is read in other than the one it is written in; graph inputs, outputs and operators that know
// only NCHW hold their ends in NCHW. Variables that wires join form a region. All variables begin
// with the best of a few orders of preference (blocks where channels can be cut into them, else
// channels last,
// ...); then regions, one at a time, take another such order where that makes the whole faster;
// then single variables, until nothing does.
#pragma once

#include "core/support/cancellation.h"
#include "passes/graph/layout/cost.h"

namespace loopglass::passes::layout {

// What an operator was given, and what it would have cost otherwise.
struct Decision {
  Operator op;
  std::optional<MissedRewrite> refusal;  // then nothing else counts
  Choice input = Choice::Nchw, output = Choice::Nchw;
  struct Alternative {
    Choice input, output;
    double own = 0;  // microseconds of the operator
    // Of the transforms on the images it reads and writes, all else as chosen.
    double transforms = 0;
  };
  // One a choice, those that it cannot have left out; NCHW first.
  std::vector<Alternative> alternatives;
  std::size_t chosen = 0;  // of them

  bool changes() const { return input != Choice::Nchw || output != Choice::Nchw; }
};

// By cost, or the same layout wherever it is possible.
struct Aim {
  std::optional<Choice> forced;
};

// In the order of the graph's nodes; without operators that have nothing to do with layouts, and
// without those whose layout nothing decides.
std::vector<Decision> assign(const graph::Graph& graph, Aim aim, const Machine& machine);

}  // namespace loopglass::passes::layout
