// Networks, passes and sessions that the debugger's tests share.
#pragma once

#include "core/ops/registry.h"
#include "core/support/check.h"
#include "tests/graph/parsed.h"
#include "tests/session/session_on.h"

#include <gtest/gtest.h>

namespace loopglass::debug {

using test::parsed;

inline std::unique_ptr<Session> session_on(graph::Graph graph, std::string pipeline,
                                           Toolchain toolchain = passes::toolchain()) {
  SessionOptions options;
  options.pipeline = std::move(pipeline);
  return loopglass::session_on(std::move(graph), std::move(options), std::move(toolchain));
}

inline const ops::OpDef& op(const std::string& name) {
  const ops::OpDef* found = ops::find_operator(name);
  CHECK(found != nullptr, name);
  return *found;
}

// Makes every operator `from` anew, one rewrite each, as what `to` says for the node of that name:
// a pass that is right where `to` hands back `from`.
inline pass::GraphPass replace_each(std::string name, std::string from,
                                    std::function<std::string(const std::string& node)> to) {
  const auto run = [=](const graph::Graph& graph, pass::Report& report) -> Result<graph::Graph> {
    graph::GraphBuilder builder(graph);
    for (const graph::NodePtr& node : graph.nodes()) {
      if (node->op->name != from) continue;
      if (!report.may_rewrite()) break;
      const auto made = TRY(builder.add_node(node->name, op(to(node->name)),
                                             builder.node(node->id).inputs, {}, 1, node->origin));
      builder.replace_uses(node->outputs[0], builder.output(made));
      const std::string result = builder.value(node->outputs[0]).name;
      builder.remove_node(node->id);
      builder.rename(made, node->name);
      builder.rename(builder.output(made), result);
      report.rewrite({name, {node->id.value}, {made.value}, node->name + " made anew"});
    }
    return std::move(builder).finish();
  };
  return {{name, "makes operators anew", "a test"}, run};
}

// Toolchain with a pass more.
inline Toolchain with(std::vector<pass::GraphPass> passes) {
  Toolchain toolchain = passes::toolchain();
  for (pass::GraphPass& pass : passes) toolchain.graph_passes.push_back(std::move(pass));
  return toolchain;
}

// Five additions in a row, each of another constant, behind an identity.
inline graph::Graph additions() {
  return parsed(R"(
    graph "additions" {
      input %x: float32[2x3]
      const %one: float32[1] = [1]
      %i: float32[2x3] = Identity(%x) "copy"
      %a: float32[2x3] = Add(%i, %one) "a"
      %b: float32[2x3] = Add(%a, %x) "b"
      %c: float32[2x3] = Add(%b, %one) "c"
      %d: float32[2x3] = Add(%c, %x) "d"
      %e: float32[2x3] = Add(%d, %one) "e"
      %y: float32[2x3] = Relu(%e) "relu"
      output %y
    })");
}

}  // namespace loopglass::debug
