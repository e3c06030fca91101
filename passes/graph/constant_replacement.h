// Shared by the passes that turn operators into constants.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

// Evaluates the node by the interpreter and lets constants stand for its results; the node itself
// is removed. `inputs` are its inputs' data. A refusal becomes a Missed remark and changes nothing.
// Returns the constants: none where it was refused, or nobody needed a result.
std::vector<graph::ValueId> replace_by_constants(graph::GraphBuilder& builder, graph::NodeId node,
                                                 std::span<const Tensor> inputs,
                                                 const std::string& rule, pass::Report& report);
// What passes say that make constants by replace_by_constants().
pass::Words constant_replacement_words();

}  // namespace loopglass::passes
