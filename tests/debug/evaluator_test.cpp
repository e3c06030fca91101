// Any value of a graph, computed outside fused kernels.
#include "core/debug/evaluator.h"

#include "core/loop/interpret_graph.h"
#include "samples/samples.h"
#include "tests/debug/debug_graphs.h"

namespace loopglass::debug {
namespace {

using graph::ValueId;

std::set<ValueId> all_values(const graph::Graph& graph) {
  std::set<ValueId> values;
  for (const graph::ValuePtr& value : graph.values()) values.insert(value->id);
  return values;
}

std::vector<std::pair<std::string, Tensor>> visited(Evaluator& evaluator, const graph::Graph& graph,
                                                    const std::set<ValueId>& wanted) {
  std::vector<std::pair<std::string, Tensor>> seen;
  const auto done =
      evaluator.run(graph, random_inputs(graph, 1), wanted,
                    [&](const graph::Value& value, const Tensor& tensor) -> Result<void> {
                      seen.emplace_back(value.name, tensor);
                      return {};
                    });
  EXPECT_TRUE(done) << to_string(done.error());
  return seen;
}

std::vector<std::string> names(const std::vector<std::pair<std::string, Tensor>>& seen) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : seen) names.push_back(name);
  return names;
}

// LeNet has operators that are worth compiling and ones that are not.
TEST(Evaluator, EveryValueIsWhatTheInterpreterSays) {
  const graph::Graph graph = samples::find_sample("lenet")->build(0).value();
  Evaluator evaluator(passes::toolchain(), 2);
  std::vector<Tensor> inputs;
  const Inputs by_name = random_inputs(graph, 1);
  for (const ValueId input : graph.inputs()) inputs.push_back(by_name.at(graph.value(input).name));
  const auto expected = loop::interpret_values(graph, inputs).value();
  const auto seen = visited(evaluator, graph, all_values(graph));
  EXPECT_EQ(seen.size(), expected.size());
  for (const auto& [name, tensor] : seen) {
    const auto same = runtime::compare(tensor, expected.at(graph.find_value(name)->id), 1e-5, 1e-4);
    EXPECT_TRUE(same) << name << ": " << to_string(same.error());
  }
  EXPECT_GT(evaluator.counts().compiled, 0);
  EXPECT_GT(evaluator.counts().interpreted, 0);
}

TEST(Evaluator, OnlyWhatIsNeededIsComputed) {
  const graph::Graph graph = additions();
  Evaluator evaluator(passes::toolchain(), 1);
  EXPECT_EQ(names(visited(evaluator, graph, {graph.find_value("b")->id})),
            std::vector<std::string>{"b"});
  EXPECT_EQ(evaluator.counts().interpreted, 3);  // copy, a and b
}

TEST(Evaluator, InputsAndConstantsComeFirstThenResultsInTheirOrder) {
  const graph::Graph graph = additions();
  Evaluator evaluator(passes::toolchain(), 1);
  EXPECT_EQ(names(visited(evaluator, graph, all_values(graph))),
            (std::vector<std::string>{"x", "one", "i", "a", "b", "c", "d", "e", "y"}));
  EXPECT_EQ(names(visited(evaluator, graph, {graph.find_value("one")->id})),
            std::vector<std::string>{"one"});
  EXPECT_TRUE(visited(evaluator, graph, {}).empty());
}

// The middle of a history has operators that nothing uses, and results that nothing reads.
TEST(Evaluator, WhatNothingUsesCanBeLookedAt) {
  const graph::Graph graph = parsed(R"(
    graph "unused" {
      input %x: float32[300x400]
      %dead: float32[300x400] = Exp(%x) "dead"
      %values: float32[300x2], %indices: int64[300x2] = TopK(%x) {k = 2} "top"
      %y: float32[300x2] = Relu(%values) "relu"
      output %y
    })");
  Evaluator evaluator(passes::toolchain(), 1);
  EXPECT_EQ(names(visited(evaluator, graph, {graph.find_value("dead")->id})),
            std::vector<std::string>{"dead"});
  EXPECT_EQ(names(visited(evaluator, graph,
                          {graph.find_value("indices")->id, graph.find_value("y")->id})),
            (std::vector<std::string>{"indices", "y"}));
}

TEST(Evaluator, OutputsKeepTheirOrderEvenWhenTheyAreInputsOrTwice) {
  const graph::Graph graph = parsed(R"(
    graph "outputs" {
      input %x: float32[3]
      const %c: float32[2] = [5, 6]
      %a: float32[3] = Neg(%x) "neg"
      output %a
      output %x
      output %c
      output %a
    })");
  Evaluator evaluator(passes::toolchain(), 1);
  const Inputs inputs = random_inputs(graph, 7);
  const auto outputs = evaluator.outputs(graph, inputs).value();
  ASSERT_EQ(outputs.size(), 4u);
  EXPECT_TRUE(outputs[1].same_content(inputs.at("x")));
  EXPECT_TRUE(outputs[2].same_content(Tensor::of<float>({2}, {5, 6})));
  EXPECT_TRUE(outputs[0].same_content(outputs[3]));
}

TEST(Evaluator, ScalarsAndEmptyTensorsAreValuesToo) {
  const graph::Graph graph = parsed(R"(
    graph "small" {
      input %x: float32[0x4]
      input %s: float32[]
      %a: float32[0x4] = Add(%x, %s) "a"
      %b: float32[] = Exp(%s) "b"
      output %a
      output %b
    })");
  Evaluator evaluator(passes::toolchain(), 1);
  const auto outputs = evaluator.outputs(graph, random_inputs(graph, 1)).value();
  EXPECT_EQ(outputs[0].elements(), 0);
  EXPECT_EQ(outputs[1].elements(), 1);
}

TEST(Evaluator, RefusesInputsThatDoNotFit) {
  const graph::Graph graph = additions();
  Evaluator evaluator(passes::toolchain(), 1);
  EXPECT_EQ(evaluator.outputs(graph, {}).error().code, Code::InputMismatch);
  EXPECT_EQ(evaluator.outputs(graph, {{"x", Tensor({DataType::Float32, {3, 2}})}}).error().code,
            Code::InputMismatch);
  // An input that nothing asked for needs no value.
  EXPECT_TRUE(evaluator.run(graph, {}, {graph.find_value("one")->id},
                            [](const auto&, const auto&) { return Result<void>(); }));
  const auto unknown = evaluator.run(graph, random_inputs(graph, 1), {ValueId{1000}},
                                     [](const auto&, const auto&) { return Result<void>(); });
  EXPECT_EQ(unknown.error().code, Code::GraphEntityUnknown);
}

TEST(Evaluator, AVisitorEndsTheRunAndSoDoesCancelling) {
  const graph::Graph graph = additions();
  Evaluator evaluator(passes::toolchain(), 1);
  int visits = 0;
  const auto ended = evaluator.run(graph, random_inputs(graph, 1), all_values(graph),
                                   [&](const auto&, const auto&) -> Result<void> {
                                     ++visits;
                                     return fail(Code::ResultMismatch, "enough");
                                   });
  EXPECT_EQ(ended.error().code, Code::ResultMismatch);
  EXPECT_EQ(visits, 1);
  Control control;
  control.cancellation.request();
  EXPECT_EQ(evaluator.outputs(graph, random_inputs(graph, 1), control).error().code,
            Code::Cancelled);
  EXPECT_TRUE(evaluator.outputs(graph, random_inputs(graph, 1)));
}

}  // namespace
}  // namespace loopglass::debug
