// TVM's pattern kinds: how an output element of an operator depends on input elements.
//
// They are derived from the index maps of its compute, not declared, and of what these say, not of
// how it is written: [i1 * 32 + i4] walks a vector of channels in order, as [i1] does without
// blocks, so a batch normalisation is a Broadcast in every layout. The rules are those of TVM's
// tir_op_pattern_kind; where these and Relay disagree, ours goes with Relay: a bias that is added
// along one axis is a Broadcast (the analysis: Elementwise), a mean is a CommReduce (the analysis
// sees a step after a reduction, and calls it OutElementwiseFusable, as both call Softmax).
//
// Relay does not derive kinds but registers one for each operator. Where that is another one than
// the loops' (a global average reads each element once, and is registered as OutElementwiseFusable,
// like all pooling), the OpDef says so, and TVM's fusion goes by it.
#pragma once

#include "core/graph/graph.h"
#include "core/ops/pattern_kind.h"

#include <array>

namespace loopglass::fusion {

using ops::PatternKind;
inline constexpr std::array all_pattern_kinds{PatternKind::Elementwise,
                                              PatternKind::Broadcast,
                                              PatternKind::Injective,
                                              PatternKind::CommReduce,
                                              PatternKind::OutElementwiseFusable,
                                              PatternKind::Tuple,
                                              PatternKind::Opaque};
std::string_view name(PatternKind kind);
std::string_view explanation(PatternKind kind);  // a sentence

// By the loops.
PatternKind pattern_kind(const graph::Graph& graph, const graph::Node& node);
PatternKind pattern_kind(const te::Program& program);

// How a stage that reduces nothing reads a tensor of this shape by one of its loads; Injective at
// most.
PatternKind kind_of_read(const te::Stage& stage, const expr::Load& load,
                         const std::vector<expr::Expr>& shape);

// The loads of an expression, those in indices as well.
std::vector<expr::Load> loads_of(const expr::Expr& body);
const std::vector<expr::Expr>& shape_of(const te::Program& program, const std::string& tensor);

// Whether an operator of this (Relay's) kind takes a list of tensors: Concat, Einsum. In Relay it
// reads one Tuple, which the rules treat by itself. (A sum of a list is many sums of two there.)
bool takes_tuple(const ops::OpDef& op, PatternKind kind);

}  // namespace loopglass::fusion
