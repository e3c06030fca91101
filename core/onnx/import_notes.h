// What the person who opens a model is told of it.
#pragma once

#include "core/onnx/converter.h"
#include "core/onnx/import.h"

#include <map>

namespace loopglass::onnx {

// One note for all operators that are opaque for one reason, and one for what they make unknown.
std::vector<Note> opaque_notes(const graph::Graph& graph);
// Of each If whose condition is known the branch that it takes: one note a kind of branch; one of
// those that choose when the network runs; and one of loops.
std::vector<Note> expansion_notes(const Expansions& expansions);
// Of what was expanded: one note for all operators, and one for each whose results want a word.
std::vector<Note> contributed_notes(const std::map<std::string, ContributedNodes>& contributed);

// That shapes hang on data, and on what data.
std::vector<Note> data_notes(const DataValues& data, const ImportOptions& options);

}  // namespace loopglass::onnx
