// What the person who opens a model is told of its opaque operators.
#pragma once

#include "core/onnx/import.h"

namespace loopglass::onnx {

// One note for all operators that are opaque for one reason, and one for what they make unknown.
std::vector<Note> opaque_notes(const graph::Graph& graph);

}  // namespace loopglass::onnx
