// What the person who opens a model is told of it.
#pragma once

#include "core/onnx/converter.h"
#include "core/onnx/import.h"

#include <map>

namespace loopglass::onnx {

// One note for all operators that are opaque for one reason, and one for what they make unknown.
std::vector<Note> opaque_notes(const graph::Graph& graph);
// Of each If whose condition is known the branch that it takes, by its name: one note a kind of
// branch; and one of those that choose when the network runs.
std::vector<Note> branch_notes(const std::map<std::string, std::string>& taken,
                               const std::vector<std::string>& chosen_when_run);
// Of what was expanded: one note for all operators, and one for each whose results want a word.
std::vector<Note> contributed_notes(const std::map<std::string, ContributedNodes>& contributed);

}  // namespace loopglass::onnx
