// Shapes that hang on data: the graph is that of the inputs at hand, and computes what it would for
// these; what cannot be known stays opaque.
#include "core/loop/interpret_graph.h"
#include "core/ops/opaque.h"
#include "tests/onnx/inner_graph.h"
#include "tests/onnx/proto_model.h"

#include <gmock/gmock.h>
#include <limits>

namespace loopglass::onnx {
namespace {

using ::onnx::TensorProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What is not given is `guess`, whatever its shape. Counts how often it is asked.
struct Data {
  float guess = 1;
  int asked = 0;

  EvaluateData evaluate() {
    return [this](const graph::Graph& graph, const std::map<std::string, Tensor>& known,
                  const Progress&, const Cancellation&) {
      ++asked;
      std::vector<Tensor> inputs;
      for (const graph::ValueId id : graph.inputs()) {
        const graph::Value& input = graph.value(id);
        const auto found = known.find(input.name);
        inputs.push_back(found != known.end() ? found->second : Tensor(input.type));
        if (found == known.end() && input.type.type == DataType::Float32)
          std::ranges::fill(inputs.back().as<float>(), guess);
      }
      return loop::interpret(graph, inputs);
    };
  }
  Result<Model> import(const ProtoModel& proto, std::map<std::string, Tensor> given = {}) {
    ImportOptions options;
    options.evaluate_data = evaluate();
    options.bound_inputs = std::move(given);
    return proto.import(std::move(options));
  }
};

// Of three numbers, and nothing behind them.
Tensor long_row(std::vector<float> values) {
  values.resize(20);
  return Tensor::of<float>({1, 20}, std::span<const float>(values));
}
Tensor row(std::vector<float> values) {
  const auto count = std::ssize(values);
  return Tensor::of<float>({1, count}, std::span<const float>(values));
}

void scalar(ProtoModel& proto, const std::string& name, std::int64_t value) {
  auto& tensor = *proto.graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(TensorProto::INT64);
  tensor.add_int64_data(value);
}

// As a speech model foretells how long it speaks: 0, 1, ... up to the sum of x.
ProtoModel counting_to_the_sum() {
  ProtoModel proto;
  proto.input("x", {1, 20}).output("y", {"n"});
  set(proto.node("ReduceSum", {"x"}, {"sum"}), "keepdims", 0);
  set(proto.node("Cast", {"sum"}, {"count"}), "to", TensorProto::INT64);
  scalar(proto, "zero", 0);
  scalar(proto, "one", 1);
  proto.node("Range", {"zero", "count", "one"}, {"numbers"});
  set(proto.node("Cast", {"numbers"}, {"y"}), "to", TensorProto::FLOAT);
  return proto;
}

Shape output_shape(const Model& model) {
  return model.graph.value(model.graph.outputs().front()).type.shape;
}
std::string notes_of(const Model& model) {
  std::string notes;
  for (const Note& note : model.notes) notes += note.text + "\n";
  return notes;
}
std::vector<std::string> opaque_nodes(const Model& model) {
  std::vector<std::string> names;
  for (const graph::NodePtr& node : model.graph.nodes())
    if (is_opaque(*node)) names.push_back(operator_name(*node));
  return names;
}

TEST(DataValues, AShapeIsThatOfTheInputsGiven) {
  Data data;
  const auto model = data.import(counting_to_the_sum(), {{"x", long_row({2, 2.5, 1})}});
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_EQ(output_shape(*model), Shape{5});
  EXPECT_THAT(opaque_nodes(*model), IsEmpty());
  EXPECT_EQ(model->graph.inputs().size(), 1u) << "it stays an input";
  EXPECT_THAT(notes_of(*model), HasSubstr("shapes hang on data ('count' = 5): this is the network "
                                          "for x as given"));
}

TEST(DataValues, OrOfRandomOnes) {
  Data data{.guess = 0.5};
  const auto model = data.import(counting_to_the_sum());
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_EQ(output_shape(*model), Shape{10});
  EXPECT_THAT(notes_of(*model), HasSubstr("this is the network for random numbers as x"));
}

TEST(DataValues, AreOpaqueWhereNothingComputesThem) {
  const auto model = counting_to_the_sum().import();
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_THAT(opaque_nodes(*model), ElementsAre("Range", "Cast"));
}

// A length, or a shape, that is an input as it is has no meaning at random.
TEST(DataValues, NobodyGuessesANumberThatIsAnInput) {
  ProtoModel proto;
  proto.input("x", {2, 3}).input("length", {}, TensorProto::INT64).output("y", {"n"});
  scalar(proto, "zero", 0);
  scalar(proto, "one", 1);
  proto.node("Add", {"length", "one"}, {"longer"});
  proto.node("Range", {"zero", "longer", "one"}, {"y"});
  Data data;
  const auto model = data.import(proto);
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_THAT(opaque_nodes(*model), ElementsAre("Range"));
  EXPECT_THAT(notes_of(*model), HasSubstr("--set length=VALUE"));
  EXPECT_EQ(data.asked, 0);
}

TEST(DataValues, NorAShape) {
  ProtoModel proto;
  proto.input("x", {2, 3}).input("shape", {2}, TensorProto::INT64).output("y", {"a", "b"});
  proto.node("Reshape", {"x", "shape"}, {"y"});
  Data data;
  const auto model = data.import(proto);
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_THAT(opaque_nodes(*model), ElementsAre("Reshape"));
  EXPECT_EQ(data.asked, 0);
}

// 0, 1, ..., 4 is no matrix of two columns: with other numbers it may be one.
TEST(DataValues, AGuessThatDoesNotFitIsNoFaultOfTheModel) {
  ProtoModel proto = counting_to_the_sum();
  proto.output("z", {"m", 2});
  proto.integers("pairs", {-1, 2});
  proto.node("Reshape", {"y", "pairs"}, {"z"});
  Data odd{.guess = 0.25}, even{.guess = 0.5};
  const auto model = odd.import(proto);
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_THAT(opaque_nodes(*model), ElementsAre("Reshape"));
  EXPECT_THAT(notes_of(*model), HasSubstr("with the random numbers that its shapes hang on: "));
  const auto fits = even.import(proto);
  ASSERT_TRUE(fits) << to_string(fits.error());
  EXPECT_THAT(opaque_nodes(*fits), IsEmpty());
  // Given, it is wrong.
  expect_refusal(odd.import(proto, {{"x", long_row({1, 1, 1})}}), Code::OperatorMisused,
                 {"Reshape"});
}

// What has been computed for one shape is there for the next.
TEST(DataValues, AreComputedOnce) {
  ProtoModel proto = counting_to_the_sum();
  proto.output("z", {"m"}, TensorProto::INT64);
  scalar(proto, "two", 2);
  proto.node("Mul", {"count", "two"}, {"twice"});
  proto.node("Range", {"zero", "twice", "one"}, {"z"});
  Data data;
  std::vector<std::size_t> sizes;
  ImportOptions options;
  options.evaluate_data = [&, evaluate = data.evaluate()](const graph::Graph& graph,
                                                          auto&&... rest) {
    sizes.push_back(graph.nodes().size());
    return evaluate(graph, rest...);
  };
  const auto model = proto.import(options);
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_THAT(sizes, ElementsAre(2, 1));
}

// Branches that give other shapes cannot both be computed: the one of these data is.
TEST(DataValues, DecideWhichBranchIsTaken) {
  ProtoModel proto;
  proto.input("x", {1, 3}).output("y", {"n"});
  set(proto.node("ReduceSum", {"x"}, {"sum"}), "keepdims", 0);
  proto.initializer("zero", {}, {0});
  proto.node("Greater", {"sum", "zero"}, {"is_positive"});
  auto& branches = proto.node("If", {"is_positive"}, {"y"});
  ::onnx::GraphProto& flat = graph_attribute(branches, "then_branch");
  auto& shape = *flat.add_initializer();
  shape.set_name("flat");
  shape.set_data_type(TensorProto::INT64);
  shape.add_dims(1);
  shape.add_int64_data(-1);
  add(flat, "Reshape", {"x", "flat"}, {"three"});
  output(flat, "three");
  ::onnx::GraphProto& one = graph_attribute(branches, "else_branch");
  add(one, "ReduceMax", {"x"}, {"one"});
  output(one, "one");
  Data data;
  const auto first = data.import(proto, {{"x", row({1, 2, 3})}});
  ASSERT_TRUE(first) << to_string(first.error());
  EXPECT_EQ(output_shape(*first), Shape{3});
  const auto second = data.import(proto, {{"x", row({-1, -2, -3})}});
  ASSERT_TRUE(second) << to_string(second.error());
  EXPECT_EQ(output_shape(*second), (Shape{1, 1}));
}

// It runs until the sum is a hundred: how often, the data say.
TEST(DataValues, DecideHowOftenALoopRuns) {
  for (const bool has_count : {false, true}) {
    ProtoModel proto;
    proto.input("x", {1, 20}).output("last", {1, 20}).output("all", {"n", 1, 20});
    proto.initializer("limit", {}, {100});
    auto& go = *proto.graph().add_initializer();
    go.set_name("go");
    go.set_data_type(TensorProto::BOOL);
    go.add_int32_data(1);
    if (has_count) scalar(proto, "count", std::numeric_limits<std::int64_t>::max());
    auto& loop = proto.node("Loop", {has_count ? "count" : "", "go", "x"}, {"last", "all"});
    ::onnx::GraphProto& body = graph_attribute(loop, "body");
    for (const char* name : {"i", "going", "state"}) body.add_input()->set_name(name);
    add(body, "Add", {"state", "state"}, {"next"});
    set(add(body, "ReduceSum", {"next"}, {"sum"}), "keepdims", 0);
    add(body, "Less", {"sum", "limit"}, {"goes_on"});
    add(body, "Identity", {"next"}, {"seen"});
    for (const char* name : {"goes_on", "next", "seen"}) output(body, name);
    Data data;
    for (const auto& [first, times] : {std::pair(1.0f, 7), std::pair(30.0f, 2)}) {
      const auto model = data.import(proto, {{"x", long_row({first})}});
      ASSERT_TRUE(model) << to_string(model.error());
      EXPECT_THAT(opaque_nodes(*model), IsEmpty());
      EXPECT_EQ(model->graph.value(model->graph.outputs()[1]).type.shape, (Shape{times, 1, 20}));
      const std::vector<Tensor> inputs{long_row({first})};
      const auto results = loop::interpret(model->graph, inputs);
      ASSERT_TRUE(results);
      EXPECT_EQ(results->front().as<float>()[0], first * static_cast<float>(1 << times));
    }
  }
}

// Whoever runs the network may see whether it is the one for these inputs.
TEST(DataValues, AreFurtherOutputsWhereThatIsAsked) {
  ProtoModel proto = counting_to_the_sum();
  proto.output("at", {1, "m"}, TensorProto::INT64);
  proto.node("NonZero", {"x"}, {"at"});
  Data data;
  ImportOptions options;
  options.evaluate_data = data.evaluate();
  options.bound_inputs = {{"x", long_row({2, 2.5, 1})}};
  options.gives_counted = true;
  const auto model = proto.import(options);
  ASSERT_TRUE(model) << to_string(model.error());
  ASSERT_EQ(model->counted.size(), 2u);
  ASSERT_EQ(model->graph.outputs().size(), 4u);
  const auto are_as_counted = [&](const Tensor& x) {
    const std::vector<Tensor> inputs{x};
    const auto results = loop::interpret(model->graph, inputs);
    std::vector<bool> same;
    for (std::size_t i = 0; i < 2; ++i)
      same.push_back((*results)[2 + i].same_content(model->counted[i]));
    return same;
  };
  EXPECT_THAT(are_as_counted(long_row({2, 2.5, 1})), ElementsAre(true, true));
  EXPECT_THAT(are_as_counted(long_row({5})), ElementsAre(true, false));
  EXPECT_THAT(are_as_counted(long_row({9, 9, 9})), ElementsAre(false, true));
}

// Of constants an operator holds what it selects, of data it is computed.
TEST(DataValues, SelectionsByConstantsHoldThem) {
  ProtoModel proto;
  proto.input("x", {2, 3}).output("y", {"r", "n"}, TensorProto::INT64);
  proto.initializer("mask", {2, 2}, {0, 1, 1, 0});
  proto.node("NonZero", {"mask"}, {"y"});
  Data data;
  const auto model = data.import(proto);
  ASSERT_TRUE(model) << to_string(model.error());
  EXPECT_EQ(model->graph.nodes().size(), 1u);
  EXPECT_EQ(output_shape(*model), (Shape{2, 2}));
}

}  // namespace
}  // namespace loopglass::onnx
