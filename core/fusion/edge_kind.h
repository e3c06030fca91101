// The kind of an edge of the graph as the rules of TVM's fusion take it.
#pragma once

#include "core/fusion/block.h"

namespace loopglass::fusion {

// The reader's kind, as Relay has it; but a reader that is a Broadcast is Elementwise in what has
// its result's shape, and a list of tensors (Concat) is gathered into a Tuple first, which is
// Injective. So it is not always that of what the reader does with this value (OperandReads): what
// is Injective in one operand counts as Injective in all.
PatternKind edge_kind(const BlockRules& rules, graph::ValueId value, std::size_t reader);

}  // namespace loopglass::fusion
