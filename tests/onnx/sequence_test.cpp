// Sequences whose elements are known are lists of them: what reads an element reads that, and
// nothing of the sequence is left in the graph.
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

void add_place(ProtoModel& model, const std::string& name, std::int64_t value) {
  model.integers(name, {value}).clear_dims();
}
Tensor counted(Shape shape) {
  std::vector<float> values(static_cast<std::size_t>(element_count(shape)));
  std::iota(values.begin(), values.end(), 0.0f);
  return Tensor::of<float>(std::move(shape), std::span<const float>(values));
}

TEST(Sequence, GivesItsElements) {
  for (const auto& [place, expected] : std::map<std::int64_t, float>{{0, 1}, {1, -1}, {-1, -1}}) {
    ProtoModel model;
    model.input("x", {2}).output("y", {2});
    model.node("Neg", {"x"}, {"negated"});
    model.node("SequenceConstruct", {"x", "negated"}, {"s"});
    add_place(model, "place", place);
    model.node("SequenceAt", {"s", "place"}, {"y"});
    EXPECT_THAT(floats(computed(model, {{"x", counted({2})}}).at(0)), ElementsAre(0, expected));
    EXPECT_THAT(to_text(model.import()->graph), ::testing::Not(HasSubstr("Opaque")));
  }
}

TEST(Sequence, IsInsertedIntoAndErasedFrom) {
  ProtoModel model;
  model.input("a", {1}).input("b", {1}).input("c", {1}).input("d", {1}).output("y", {3});
  model.output("length", {}, TensorProto::INT64);
  add_place(model, "minus_one", -1);
  add_place(model, "zero", 0);
  model.node("SequenceEmpty", {}, {"s0"});
  model.node("SequenceInsert", {"s0", "a"}, {"s1"});               // a
  model.node("SequenceInsert", {"s1", "b"}, {"s2"});               // a b
  model.node("SequenceInsert", {"s2", "c", "minus_one"}, {"s3"});  // a c b
  model.node("SequenceInsert", {"s3", "d", "zero"}, {"s4"});       // d a c b
  model.node("SequenceErase", {"s4"}, {"s5"});                     // d a c
  model.node("Identity", {"s5"}, {"s6"});
  model.node("SequenceLength", {"s6"}, {"length"});
  set(model.node("ConcatFromSequence", {"s6"}, {"y"}), "axis", 0);
  const auto one = [](float value) { return Tensor::of<float>({1}, {value}); };
  const auto results =
      computed(model, {{"a", one(1)}, {"b", one(2)}, {"c", one(3)}, {"d", one(4)}});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_THAT(floats(results[0]), ElementsAre(4, 1, 3));
  EXPECT_EQ(results[1].integer_at(0), 3);
}

TEST(Sequence, OfPiecesIsJoinedToTheSame) {
  struct Case {
    std::vector<std::int64_t> split;
    bool is_vector;
  };
  for (const Case& c : {Case{{2, 0, 3}, true}, Case{{2}, false}, Case{{5}, false}, Case{{}, false}})
    for (const int axis : {1, -2}) {
      ProtoModel model;
      model.input("x", {2, 5, 3}).output("y", {2, 5, 3});
      std::vector<std::string> inputs = {"x"};
      if (!c.split.empty()) {
        auto& split = model.integers("split", c.split);
        if (!c.is_vector) split.clear_dims();
        inputs.push_back("split");
      }
      set(model.node("SplitToSequence", inputs, {"s"}), "axis", axis);
      set(model.node("ConcatFromSequence", {"s"}, {"y"}), "axis", axis);
      EXPECT_EQ(floats(computed(model, {{"x", counted({2, 5, 3})}}).at(0)),
                floats(counted({2, 5, 3})));
    }
}

TEST(Sequence, OfSlicesIsStackedAlongANewAxis) {
  ProtoModel model;
  model.input("x", {2, 3}).output("y", {2, 3});
  auto& split = model.node("SplitToSequence", {"x"}, {"s"});
  set(split, "axis", 0);
  set(split, "keepdims", 0);
  auto& joined = model.node("ConcatFromSequence", {"s"}, {"y"});
  set(joined, "axis", -1);
  set(joined, "new_axis", 1);
  const auto result = computed(model, {{"x", counted({2, 3})}}).at(0);
  EXPECT_EQ(result.shape(), (Shape{3, 2}));
  EXPECT_THAT(floats(result), ElementsAre(0, 3, 1, 4, 2, 5));
}

// As scripted models gather the results of their loops.
TEST(Sequence, IsCarriedByALoop) {
  ProtoModel model;
  model.input("x", {2}).output("y", {8});
  add_place(model, "four", 4);
  model.node("SequenceEmpty", {}, {"none"});
  auto& loop = model.node("Loop", {"four", "", "x", "none"}, {"last", "all"});
  auto& body = graph_attribute(loop, "body");
  for (const char* name : {"i", "go", "state", "list"}) body.add_input()->set_name(name);
  add(body, "Add", {"state", "x"}, {"next"});
  add(body, "SequenceInsert", {"list", "next"}, {"longer"});
  add(body, "Identity", {"go"}, {"go_on"});
  for (const char* name : {"go_on", "next", "longer"}) output(body, name);
  set(model.node("ConcatFromSequence", {"all"}, {"y"}), "axis", 0);
  EXPECT_THAT(floats(computed(model, {{"x", counted({2})}}).at(0)),
              ElementsAre(0, 2, 0, 3, 0, 4, 0, 5));
}

TEST(Sequence, ThatIsAResultStaysAsAnOpaqueOperator) {
  ProtoModel model;
  model.input("x", {2}).output("y", {2});
  auto* result = model.graph().add_output();
  result->set_name("s");
  result->mutable_type()
      ->mutable_sequence_type()
      ->mutable_elem_type()
      ->mutable_tensor_type()
      ->set_elem_type(TensorProto::FLOAT);
  model.node("SequenceConstruct", {"x", "x"}, {"s"}).set_name("many");
  add_place(model, "zero", 0);
  model.node("SequenceAt", {"s", "zero"}, {"y"});
  const auto imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  ASSERT_EQ(imported->graph.nodes().size(), 2u);
  EXPECT_THAT(to_string(ops::opaque_reason(imported->graph.find_node("many")->attributes)),
              HasSubstr("a sequence is no value here"));
}

TEST(Sequence, OfTheWrongFormIsRefused) {
  const auto refused = [](const std::function<void(ProtoModel&)>& add,
                          std::initializer_list<std::string> words) {
    ProtoModel model;
    model.input("x", {5}).output("y", {5});
    model.node("SequenceConstruct", {"x", "x"}, {"s"});
    add_place(model, "two", 2);
    add(model);
    expect_refusal(model.import(), Code::OperatorMisused, words);
  };
  refused([](auto& m) { m.node("SequenceAt", {"s", "two"}, {"y"}); }, {"place 2", "of 2"});
  refused([](auto& m) { m.node("SequenceAt", {"x", "two"}, {"y"}); }, {"'x' is no sequence"});
  refused([](auto& m) { set(m.node("ConcatFromSequence", {"s"}, {"y"}), "axis", 1); }, {"axis 1"});
  refused(
      [](auto& m) {
        m.integers("split", {2, 2});
        m.node("SplitToSequence", {"x", "split"}, {"t"});
        set(m.node("ConcatFromSequence", {"t"}, {"y"}), "axis", 0);
      },
      {"1 elements are in no piece"});
}

}  // namespace
}  // namespace loopglass::onnx
