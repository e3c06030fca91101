// What a person asks of the compiler, all by names, so that it can be written down and asked again:
// by a file (saved_session.h) or as words of a command line.
#pragma once

#include "core/fusion/edits.h"
#include "core/onnx/input_bindings.h"
#include "core/session.h"

namespace loopglass {

struct Request {
  std::string model;  // a file, a folder or a sample's name, as on the command line
  onnx::InputBindings inputs = {};
  std::string subgraph;  // "loop1.body/if2.then_branch"; empty: the model's own graph
  std::string pipeline;  // of graph passes; empty: the toolchain's default
  std::optional<std::int64_t> memory_limit;  // bytes
  std::string strategy;  // of fusion; empty: the default one; "manual": the edits
  // Edges of the optimised graph, "conv1:relu1".
  std::vector<std::string> forced, forbidden;
  fusion::EditScript edits;  // in use where the strategy is "manual"

  bool uses_edits() const { return strategy == "manual" && !edits.edits.empty(); }
  friend bool operator==(const Request&, const Request&) = default;
};

// The same with nothing said that is so by default.
Request in_short(Request request, const Toolchain& toolchain);

// Words as a shell takes them, each with a blank before it; what is left at its default is not
// said.
std::string graph_words(
    const Request& request);  // --shape, --set, --subgraph, --passes, --memory-limit
// --strategy, --force, --forbid, --edit. Beside edits the strategy is what they begin with.
std::string plan_words(const Request& request);
// "loopglassc fuse MODEL" with all of it.
std::string fuse_command(const Request& request);

}  // namespace loopglass
