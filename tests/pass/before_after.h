// What tests of graph passes share: text in, the pass, text out, and that both mean the same.
#pragma once

#include "core/loop/interpret_graph.h"
#include "passes/pipeline.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::test {

inline pass::GraphPass pass_named(const std::string& name,
                                  const Machine& machine = reference_machine()) {
  for (const pass::GraphPass& pass : passes::graph_passes(machine))
    if (pass.info.name == name) return pass;
  throw std::invalid_argument(name);
}

// The reference machine with an instruction that sums so many products a lane.
inline Machine machine_with_dot_of(int terms) {
  Machine machine = reference_machine();
  machine.dot_terms = terms;
  return machine;
}

// The verified result of one pass.
inline pass::Step<graph::Graph> applied(const std::string& pass, graph::Graph before,
                                        std::size_t rewrites = pass::Report::all,
                                        const Machine& machine = reference_machine()) {
  auto step = pass::apply(pass_named(pass, machine),
                          std::make_shared<const graph::Graph>(std::move(before)), rewrites);
  if (!step) throw std::invalid_argument(to_string(step.error()));
  return *std::move(step);
}

inline void expect_same_meaning(const graph::Graph& before, const graph::Graph& after,
                                double tolerance = 1e-5) {
  const std::vector<Tensor> inputs = random_inputs(before);
  const auto expected = loop::interpret(before, inputs), actual = loop::interpret(after, inputs);
  ASSERT_TRUE(expected) << to_string(expected.error());
  ASSERT_TRUE(actual) << to_string(actual.error());
  ASSERT_EQ(expected->size(), actual->size());
  for (std::size_t i = 0; i < expected->size(); ++i) {
    const auto equal = runtime::compare((*actual)[i], (*expected)[i], tolerance, tolerance);
    EXPECT_TRUE(equal) << equal.error().what << "\nbefore:\n"
                       << to_text(before) << "after:\n"
                       << to_text(after);
  }
}

inline std::vector<std::string> codes(const pass::Step<graph::Graph>& step) {
  std::vector<std::string> codes;
  for (const pass::Remark& remark : step.remarks)
    if (remark.kind == pass::RemarkKind::Missed) codes.push_back(remark.code);
  return codes;
}

inline std::vector<std::string> operator_names(const graph::Graph& graph) {
  std::vector<std::string> names;
  for (const graph::NodePtr& node : graph.nodes()) names.push_back(node->op->name);
  return names;
}

// One situation: what a pass makes of a graph, and with which codes it leaves alone what it leaves.
// Graphs are the lines between the braces; where `after` is nullptr, the graph stays as it is.
struct Situation {
  const char* what;
  const char* pass;
  std::string before;
  const char* after = nullptr;
  std::vector<std::string> refusals = {};
};
inline void PrintTo(const Situation& situation, std::ostream* out) { *out << situation.what; }

// The text, the refusals, the same meaning, and nothing left to do a second time.
inline void check(const Situation& situation) {
  const graph::Graph before = graph_of(situation.before);
  const auto step = applied(situation.pass, before);
  EXPECT_EQ(graph::to_text(*step.result),
            situation.after == nullptr ? graph::to_text(before)
                                       : "graph \"g\" {" + std::string(situation.after) + "\n}\n");
  EXPECT_EQ(codes(step), situation.refusals);
  EXPECT_EQ(step.changed, situation.after != nullptr);
  expect_same_meaning(before, *step.result);
  EXPECT_FALSE(applied(situation.pass, *step.result).changed);
  // A pass that may not rewrite leaves the graph alone.
  EXPECT_FALSE(applied(situation.pass, before, 0).changed);
}

}  // namespace loopglass::test
