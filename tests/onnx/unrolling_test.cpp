// Loop and Scan, written out, compute what their definition says: here it is followed step by step.
#include "core/graph/text.h"
#include "core/ops/opaque.h"
#include "tests/onnx/computed_model.h"
#include "tests/onnx/inner_graph.h"

#include <gmock/gmock.h>
#include <numeric>

namespace loopglass::onnx {
namespace {

using ::onnx::TensorProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor of_floats(Shape shape, std::vector<float> values) {
  return Tensor::of<float>(std::move(shape), std::span<const float>(values));
}
Tensor truth(bool value) { return Tensor::of<bool>({}, {value}); }

void add_scalar(::onnx::GraphProto& graph, const std::string& name, std::int64_t value) {
  auto& proto = *graph.add_initializer();
  proto.set_name(name);
  proto.set_data_type(TensorProto::INT64);
  proto.add_int64_data(value);
}
void add_float(::onnx::GraphProto& graph, const std::string& name, float value) {
  auto& proto = *graph.add_initializer();
  proto.set_name(name);
  proto.set_data_type(TensorProto::FLOAT);
  proto.add_float_data(value);
}

// Loop(count, go) over state = state * 2 + i, each state stacked; it goes on below `limit`.
struct Doubling {
  ProtoModel model;
  ::onnx::NodeProto* node;
  ::onnx::GraphProto* body;

  explicit Doubling(bool is_stacked, const std::string& count = "count",
                    const std::string& condition = "") {
    model.input("x", {}).output("last", {});
    if (is_stacked) model.output("all", {"n"});
    node = &model.node("Loop", {count, condition, "x"}, {"last"});
    node->set_name("double");
    if (is_stacked) node->add_output("all");
    body = &graph_attribute(*node, "body");
    for (const char* name : {"i", "go", "state"}) body->add_input()->set_name(name);
    add_float(*body, "two", 2);
    auto& cast = add(*body, "Cast", {"i"}, {"number"});
    set(cast, "to", TensorProto::FLOAT);
    add(*body, "Mul", {"state", "two"}, {"product"});
    add(*body, "Add", {"product", "number"}, {"next"});
  }
  void goes_on_below(float limit) {
    add_float(*body, "limit", limit);
    add(*body, "Less", {"next", "limit"}, {"go_on"});
    output(*body, "go_on");
    results();
  }
  void goes_on() {
    add(*body, "Identity", {"go"}, {"go_on"});
    output(*body, "go_on");
    results();
  }
  void results() {
    output(*body, "next");
    if (node->output_size() == 2) output(*body, "next");
  }
};

TEST(Loop, IsWrittenOutAsOftenAsItRuns) {
  Doubling loop(true);
  add_scalar(loop.model.graph(), "count", 4);
  loop.goes_on();
  const auto results = computed(loop.model, {{"x", of_floats({}, {3})}});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_THAT(floats(results[0]), ElementsAre(59));  // 3, 6, 13, 28, 59
  EXPECT_THAT(floats(results[1]), ElementsAre(6, 13, 28, 59));
  const auto imported = loop.model.import();
  ASSERT_TRUE(imported);
  EXPECT_THAT(to_text(imported->graph), HasSubstr("\"double/3/"));
  EXPECT_TRUE(verify(imported->graph));
  EXPECT_THAT(imported->notes.back().text, HasSubstr("double (4 times)"));
}

TEST(Loop, ThatNeverRunsHandsOnWhatItTakes) {
  Doubling loop(false);
  add_scalar(loop.model.graph(), "count", 0);
  loop.goes_on();
  EXPECT_THAT(floats(computed(loop.model, {{"x", of_floats({}, {3})}}).at(0)), ElementsAre(3));
}

// The number of the iteration decides, and is known.
TEST(Loop, WithoutACountEndsWhereItsConditionDoes) {
  Doubling loop(true, "");
  add_float(*loop.body, "most", 2);
  add(*loop.body, "Less", {"number", "most"}, {"go_on"});
  output(*loop.body, "go_on");
  loop.results();
  EXPECT_THAT(floats(computed(loop.model, {{"x", of_floats({}, {3})}}).at(1)),
              ElementsAre(6, 13, 28));
}

// Whether it goes on depends on the data, before it begins, in between, or both.
TEST(Loop, ThatMayEndEarlyKeepsWhatWasCarriedThen) {
  for (const bool asks_first : {false, true})
    for (const float start : {-5.0f, 0.0f, 1.0f, 3.0f, 20.0f, 1000.0f})
      for (const bool begins : {false, true}) {
        Doubling loop(false, "count", asks_first ? "begins" : "");
        if (asks_first) loop.model.input("begins", {}, TensorProto::BOOL);
        add_scalar(loop.model.graph(), "count", 6);
        loop.goes_on_below(40);
        float expected = start;
        bool goes_on = begins || !asks_first;
        for (int i = 0; i < 6 && goes_on; ++i) {
          expected = expected * 2 + static_cast<float>(i);
          goes_on = expected < 40;
        }
        std::map<std::string, Tensor> inputs = {{"x", of_floats({}, {start})}};
        if (asks_first) inputs["begins"] = truth(begins);
        EXPECT_THAT(floats(computed(loop.model, inputs).at(0)), ElementsAre(expected))
            << start << " " << begins;
      }
}

void expect_opaque(const Doubling& loop, const std::string& why) {
  const auto imported = loop.model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  ASSERT_EQ(imported->graph.nodes().size(), 1u);
  const graph::Node& node = *imported->graph.nodes().front();
  ASSERT_TRUE(is_opaque(node));
  EXPECT_THAT(to_string(ops::opaque_reason(node.attributes)), HasSubstr(why));
}

TEST(Loop, StaysWholeWhereItCannotBeWrittenOut) {
  Doubling stacks(true);  // how much it gives only the data tells
  add_scalar(stacks.model.graph(), "count", 6);
  stacks.goes_on_below(40);
  expect_opaque(stacks, "decides the shape");

  Doubling endless(false, "");
  endless.goes_on_below(40);
  expect_opaque(endless, "at most is not known");

  Doubling forever(false, "");
  forever.goes_on();
  expect_opaque(forever, "more than 5000 operators");

  Doubling huge(false);
  add_scalar(huge.model.graph(), "count", std::int64_t{1} << 60);
  huge.goes_on_below(40);
  expect_opaque(huge, "more than 5000 operators");

  Doubling unknown(false);
  unknown.model.input("count", {}, TensorProto::INT64);
  unknown.goes_on();
  expect_opaque(unknown, "how often it runs");
  expect_opaque(unknown, "--set count=VALUE");

  Doubling foreign(false);
  add_scalar(foreign.model.graph(), "count", 3);
  add(*foreign.body, "Foo", {"next"}, {"foo"});
  foreign.goes_on();
  expect_opaque(foreign, "Foo");

  Doubling nothing(true);
  add_scalar(nothing.model.graph(), "count", 0);
  nothing.goes_on();
  expect_opaque(nothing, "no element");
}

// Numbers of iterations, and no more.
TEST(Loop, MayCarryNothing) {
  ProtoModel model;
  model.output("all", {4});
  add_scalar(model.graph(), "count", 4);
  auto& node = model.node("Loop", {"count", ""}, {"all"});
  auto& body = graph_attribute(node, "body");
  for (const char* name : {"i", "go"}) body.add_input()->set_name(name);
  add(body, "Identity", {"go"}, {"go_on"});
  auto& cast = add(body, "Cast", {"i"}, {"number"});
  set(cast, "to", TensorProto::FLOAT);
  output(body, "go_on");
  output(body, "number");
  EXPECT_THAT(floats(computed(model, {}).at(0)), ElementsAre(0, 1, 2, 3));
}

TEST(Loop, OfTheWrongFormIsRefused) {
  Doubling loop(false);
  add_scalar(loop.model.graph(), "count", 3);
  loop.goes_on();
  loop.body->add_input()->set_name("more");
  expect_refusal(loop.model.import(), Code::OperatorMisused, {"its body takes 4 inputs"});

  Doubling condition(false, "count", "x");
  add_scalar(condition.model.graph(), "count", 3);
  condition.goes_on();
  expect_refusal(condition.model.import(), Code::OperatorMisused, {"it must be one bool"});
}

// A loop in a loop, and what is around both: sum over i < 3, j <= i of x.
TEST(Loop, MayStandInALoop) {
  ProtoModel model;
  model.input("x", {2}).output("y", {2});
  add_scalar(model.graph(), "three", 3);
  model.initializer("zero", {2}, {0, 0});
  auto& outer = model.node("Loop", {"three", "", "zero"}, {"y"});
  auto& body = graph_attribute(outer, "body");
  for (const char* name : {"i", "go", "sum"}) body.add_input()->set_name(name);
  add_scalar(body, "one", 1);
  add(body, "Add", {"i", "one"}, {"count"});
  auto& inner = add(body, "Loop", {"count", "", "sum"}, {"more"});
  auto& inner_body = graph_attribute(inner, "body");
  for (const char* name : {"j", "inner_go", "inner_sum"}) inner_body.add_input()->set_name(name);
  add(inner_body, "Add", {"inner_sum", "x"}, {"added"});
  add(inner_body, "Identity", {"inner_go"}, {"inner_go_on"});
  output(inner_body, "inner_go_on");
  output(inner_body, "added");
  add(body, "Identity", {"go"}, {"go_on"});
  output(body, "go_on");
  output(body, "more");
  EXPECT_THAT(floats(computed(model, {{"x", of_floats({2}, {1, 10})}}).at(0)), ElementsAre(6, 60));
}

// The sums so far, from `zero` on, of the slices of x.
::onnx::NodeProto& add_sums(ProtoModel& model) {
  auto& node = model.node("Scan", {"zero", "x"}, {"last", "all"});
  auto& body = graph_attribute(node, "body");
  for (const char* name : {"sum", "slice"}) body.add_input()->set_name(name);
  add(body, "Add", {"sum", "slice"}, {"next"});
  output(body, "next");
  output(body, "next");
  set(node, "num_scan_inputs", 1);
  return node;
}

// sum[t] = sum[t - 1] + x[t], along any axis, forwards and backwards, stacked along any.
TEST(Scan, GoesThroughAxesInBothDirections) {
  constexpr std::int64_t rows = 3, columns = 4;
  std::vector<float> x(rows * columns);
  std::iota(x.begin(), x.end(), 1.0f);
  for (const int axis : {0, 1, -1})
    for (const bool backwards : {false, true})
      for (const int stack_axis : {0, 1, -2})
        for (const bool writes_backwards : {false, true}) {
          const bool along_rows = axis == 0;
          const std::int64_t length = along_rows ? rows : columns,
                             width = along_rows ? columns : rows;
          const bool stacks_first = stack_axis != 1;
          const auto size = [](std::int64_t n) { return ProtoDimension(static_cast<int>(n)); };
          ProtoModel model;
          model.input("x", {size(rows), size(columns)})
              .output("last", {size(width)})
              .output("all", {"a", "b"});
          model.initializer("zero", {width}, std::vector<float>(static_cast<std::size_t>(width)));
          auto& node = add_sums(model);
          const auto list = [&](const char* name, std::int64_t value) {
            auto* attribute = node.add_attribute();
            attribute->set_name(name);
            attribute->set_type(::onnx::AttributeProto::INTS);
            attribute->add_ints(value);
          };
          list("scan_input_axes", axis);
          list("scan_input_directions", backwards);
          list("scan_output_axes", stack_axis);
          list("scan_output_directions", writes_backwards);

          std::vector<float> sum(static_cast<std::size_t>(width)), all(x.size());
          for (std::int64_t t = 0; t < length; ++t)
            for (std::int64_t k = 0; k < width; ++k) {
              const std::int64_t from = backwards ? length - 1 - t : t,
                                 to = writes_backwards ? length - 1 - t : t;
              auto& s = sum[static_cast<std::size_t>(k)];
              s +=
                  x[static_cast<std::size_t>(along_rows ? from * columns + k : k * columns + from)];
              all[static_cast<std::size_t>(stacks_first ? to * width + k : k * length + to)] = s;
            }
          const auto results = computed(model, {{"x", of_floats({rows, columns}, x)}});
          ASSERT_EQ(results.size(), 2u);
          EXPECT_EQ(floats(results[0]), sum);
          EXPECT_EQ(floats(results[1]), all) << axis << backwards << stack_axis << writes_backwards;
          EXPECT_EQ(results[1].shape(),
                    stacks_first ? (Shape{length, width}) : (Shape{width, length}));
        }
}

// More parts than are joined at once.
TEST(Scan, MayBeLong) {
  ProtoModel model;
  model.input("x", {300}).output("last", {}).output("all", {300});
  model.initializer("zero", {}, {0});
  add_sums(model);
  std::vector<float> x(300), sums(300);
  std::iota(x.begin(), x.end(), 1.0f);
  std::partial_sum(x.begin(), x.end(), sums.begin());
  EXPECT_EQ(floats(computed(model, {{"x", of_floats({300}, x)}}).at(1)), sums);
}

}  // namespace
}  // namespace loopglass::onnx
