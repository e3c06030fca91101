// Small histories with everything in them that a debugger has to tell apart: rewrites that say what
// they did and passes that do not, nodes that last for one rewrite only, redirected inputs,
// constants.
#pragma once

#include "core/ops/registry.h"
#include "core/pass/node_history.h"
#include "tests/graph/parsed.h"

#include <gtest/gtest.h>

namespace loopglass::test {

using graph::Graph;
using graph::GraphBuilder;
using graph::NodeId;
using pass::GraphHistory;
using pass::GraphPass;
using pass::Report;

inline const ops::OpDef& op(const char* name) { return *ops::find_operator(name); }

//   x -> relu1 -> neg1 -> neg2 -> abs1 -> sum -> y        two -> constant -> sum
inline std::shared_ptr<const Graph> network() {
  return std::make_shared<const Graph>(graph_of(R"(
  input %x: float32[4]
  const %two: float32[4] = [2, 2, 2, 2]
  %r: float32[4] = Relu(%x) "relu1" from 0
  %n: float32[4] = Neg(%r) "neg1" from 1
  %m: float32[4] = Neg(%n) "neg2" from 2
  %a: float32[4] = Abs(%m) "abs1" from 3
  %f: float32[4] = Neg(%two) "minus" from 4
  %y: float32[4] = Add(%a, %f) "sum" from 5
  output %y)"));
}

// neg1 and neg2 go together; abs1 then reads relu1.
inline Result<Graph> cancel(const Graph& graph, Report& report) {
  GraphBuilder builder(graph);
  if (report.may_rewrite()) {
    const graph::Node &first = *graph.find_node("neg1"), &second = *graph.find_node("neg2");
    builder.replace_uses(second.outputs[0], first.inputs[0]);
    builder.remove_node(second.id);
    builder.remove_node(first.id);
    report.rewrite(
        {"negate-twice", {second.id.value, first.id.value}, {}, "two negations cancel", {}});
  }
  return std::move(builder).finish();
}

// abs1 becomes two negations one after the other, and these an absolute value again: of four nodes
// made, three are in neither graph. Then relu1 and the new node become one that keeps relu1's name.
inline Result<Graph> spin(const Graph& graph, Report& report) {
  GraphBuilder builder(graph);
  NodeId last = graph.find_node("abs1")->id;
  const auto turn = [&](const char* rule, const char* op_name,
                        const std::string& name) -> Result<void> {
    if (!report.may_rewrite()) return {};
    const graph::Node old = builder.node(last);
    const NodeId made =
        TRY(builder.add_node(name, op(op_name), {old.inputs[0]}, {}, 1, old.origin));
    builder.replace_uses(old.outputs[0], builder.output(made));
    builder.remove_node(old.id);
    report.rewrite({rule, {old.id.value}, {made.value}, std::string("now by ") + op_name, {}});
    last = made;
    return {};
  };
  TRY_VOID(turn("spin", "Sigmoid", "s1"));
  TRY_VOID(turn("spin", "Tanh", "s2"));
  TRY_VOID(turn("spin", "Sigmoid", "s3"));
  TRY_VOID(turn("settle", "Abs", "abs2"));
  if (report.may_rewrite()) {
    const graph::Node second = builder.node(last),
                      first = builder.node(builder.value(second.inputs[0]).producer);
    Origin origin = first.origin;
    origin.merge(second.origin);
    const NodeId made =
        TRY(builder.add_node("both", op("Relu"), {first.inputs[0]}, {}, 1, std::move(origin)));
    builder.replace_uses(second.outputs[0], builder.output(made));
    builder.remove_node(second.id);
    builder.remove_node(first.id);
    builder.rename(made, first.name);
    report.rewrite({"merge", {first.id.value, second.id.value}, {made.value}, "", {}});
  }
  return std::move(builder).finish();
}

// minus becomes the constant %f.
inline Result<Graph> fold(const Graph& graph, Report& report) {
  GraphBuilder builder(graph);
  if (report.may_rewrite()) {
    const graph::Node& minus = *graph.find_node("minus");
    const graph::ValueId constant =
        builder.add_constant("f", Tensor::of<float>({4}, {-2, -2, -2, -2}));
    builder.replace_uses(minus.outputs[0], constant);
    builder.remove_node(minus.id);
    builder.rename(constant, "f");
    report.rewrite({"constant-inputs", {minus.id.value}, {}, "minus is known", {}});
  }
  builder.remove_unused_constants();
  return std::move(builder).finish();
}

// Replaces sum by Sub and says nothing; renames relu1.
inline Result<Graph> silent(const Graph& graph, Report&) {
  GraphBuilder builder(graph);
  const graph::Node& sum = *graph.find_node("sum");
  const NodeId made = TRY(builder.add_node("difference", op("Sub"), sum.inputs, {}, 1, sum.origin));
  builder.replace_uses(sum.outputs[0], builder.output(made));
  builder.remove_node(sum.id);
  builder.rename(graph.find_node("relu1")->id, "rectify");
  return std::move(builder).finish();
}

inline Result<Graph> nothing(const Graph& graph, Report&) { return graph; }

inline std::vector<GraphPass> passes() {
  return {{{"cancel", "", ""}, cancel},
          {{"nothing", "", ""}, nothing},
          {{"spin", "", ""}, spin},
          {{"fold", "", ""}, fold},
          {{"silent", "", ""}, silent}};
}

// Steps: 0 input, 1 cancel, 2 nothing, 3 spin, 4 fold, 5 silent.
inline std::shared_ptr<const GraphHistory> recorded() {
  auto history = pass::run(network(), passes());
  if (!history) throw std::invalid_argument(to_string(history.error()));
  return std::make_shared<const GraphHistory>(*std::move(history));
}

// Looks into the middle of a step, as a Session does, and counts how often.
struct Middle {
  std::shared_ptr<const GraphHistory> history;
  std::shared_ptr<int> looks = std::make_shared<int>(0);

  Result<std::shared_ptr<const Graph>> operator()(std::size_t step, std::size_t rewrites) const {
    ++*looks;
    return TRY(pass::apply(passes()[step - 1], history->steps[step - 1].result, rewrites)).result;
  }
};

inline NodeId named(const GraphHistory& history, std::size_t step, const char* name) {
  const graph::Node* node = history.at(step).find_node(name);
  if (node == nullptr) throw std::invalid_argument(name);
  return node->id;
}

}  // namespace loopglass::test
