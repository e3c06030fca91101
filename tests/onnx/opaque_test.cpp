// What is not supported becomes an opaque operator: it keeps its place, its types and the reason,
// and what is around it is imported as ever. What is wrong stays an error.
#include "core/ops/opaque.h"
#include "core/graph/text.h"
#include "tests/onnx/proto_model.h"

#include <gmock/gmock.h>

namespace loopglass::onnx {
namespace {

using ::onnx::TensorProto;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const graph::Node& node(const Result<Model>& model, const std::string& name) {
  if (!model) throw std::invalid_argument(to_string(model.error()));
  const graph::Node* found = model->graph.find_node(name);
  if (found == nullptr) throw std::invalid_argument(to_text(model->graph));
  return *found;
}

ops::OpaqueOperator opaque(const Result<Model>& model, const std::string& name) {
  const graph::Node& found = node(model, name);
  if (!is_opaque(found)) throw std::invalid_argument(name + " is known");
  return ops::opaque_of(found.attributes);
}

std::string type(const Result<Model>& model, const std::string& value) {
  const graph::Value* found = model->graph.find_value(value);
  return found == nullptr ? "none" : to_string(found->type);
}

void import_domain(ProtoModel& model, const std::string& domain, int version = 1) {
  auto* imported = model.model.add_opset_import();
  imported->set_domain(domain);
  imported->set_version(version);
}

void declare(ProtoModel& model, const std::string& name, std::vector<ProtoDimension> shape,
             int element = TensorProto::FLOAT) {
  ProtoModel helper;
  helper.input(name, std::move(shape), element);
  *model.graph().add_value_info() = helper.graph().input(0);
}

// x -> Relu -> `op` -> Relu -> y
ProtoModel between(const std::string& op, const std::string& domain) {
  ProtoModel model;
  model.input("x").output("y");
  model.node("Relu", {"x"}, {"a"}).set_name("before");
  auto& unknown = model.node(op, {"a"}, {"b"});
  unknown.set_domain(domain);
  unknown.set_name("unknown");
  model.node("Relu", {"b"}, {"y"}).set_name("after");
  if (!domain.empty()) import_domain(model, domain, 3);
  return model;
}

TEST(OpaqueOperator, CarriesWhatTheModelSaysOfIt) {
  ProtoModel model = between("FancyGelu", "com.acme");
  set(*model.graph().mutable_node(1), "axis", 1);
  auto* mode = model.graph().mutable_node(1)->add_attribute();
  mode->set_name("mode");
  mode->set_type(::onnx::AttributeProto::STRING);
  mode->set_s("fast");
  declare(model, "b", {2, 3});
  const auto imported = model.import();
  const ops::OpaqueOperator found = opaque(imported, "unknown");
  EXPECT_EQ(found.domain, "com.acme");
  EXPECT_EQ(found.name, "FancyGelu");
  EXPECT_EQ(found.version, 3);
  EXPECT_THAT(found.attributes, ElementsAre("axis = 1", "mode = \"fast\""));
  EXPECT_EQ(found.reason.code, Code::OperatorUnsupported);
  EXPECT_EQ(found.reason.what, "operator 'com.acme.FancyGelu' is not supported");
  EXPECT_EQ(operator_name(node(imported, "unknown")), "com.acme.FancyGelu");
  EXPECT_EQ(type(imported, "b"), "float32[2x3]");
  EXPECT_FALSE(is_opaque(node(imported, "after"))) << "its operand's type is declared";
  EXPECT_TRUE(verify(imported->graph));
}

TEST(OpaqueOperator, IsNotedWithItsReason) {
  const auto imported = between("FancyGelu", "com.acme").import();
  ASSERT_EQ(imported->notes.size(), 2u);
  EXPECT_EQ(imported->notes[0].text,
            "opaque: unknown (com.acme.FancyGelu): LG2001: operator 'com.acme.FancyGelu' is not "
            "supported");
  EXPECT_THAT(imported->notes[1].text, HasSubstr("opaque with them: after: LG2007: "));
}

// Without a declaration nobody knows what Relu would have to work on: the first culprit is named,
// how ever far it is away.
TEST(UnknownTypes, MakeWhatReadsThemOpaqueAndNameTheFirstToBlame) {
  ProtoModel model = between("FancyGelu", "com.acme");
  model.graph().mutable_node(2)->set_output(0, "c");
  model.node("Neg", {"c"}, {"d"}).set_name("further");
  model.node("Abs", {"x"}, {"e"}).set_name("beside");
  model.node("Add", {"d", "e"}, {"y"}).set_name("joined");
  const auto imported = model.import();
  for (const char* name : {"after", "further"}) {
    const ops::OpaqueOperator found = opaque(imported, name);
    EXPECT_EQ(found.reason.code, Code::OperandTypeUnknown) << name;
    EXPECT_THAT(found.reason.what, HasSubstr("because of unknown (com.acme.FancyGelu)")) << name;
  }
  EXPECT_EQ(type(imported, "b"), "unknown");
  EXPECT_FALSE(is_opaque(node(imported, "beside")));
  // The output is declared, so what would come after it is known again.
  EXPECT_EQ(type(imported, "y"), "float32[2x3]");
}

TEST(UnknownTypes, PrintAsTheyAreDeclaredAndParseBack) {
  ProtoModel model = between("FancyGelu", "com.acme");
  declare(model, "b", {2, "length"});
  const auto imported = model.import();
  EXPECT_EQ(type(imported, "b"), "float32[2xlength]");
  const std::string text = to_text(imported->graph);
  EXPECT_THAT(text, HasSubstr("%b: opaque \"float32[2xlength]\" = Opaque(%a)"));
  const auto again = graph::parse(text);
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(to_text(*again), text);
}

// The symbols of the inputs are bound, and what is declared in them with it.
TEST(DeclaredTypes, TakeTheExtentsOfTheInputsSymbols) {
  ProtoModel model;
  model.input("x", {"N", 3}).output("y", {"N", 3});
  import_domain(model, "com.acme");
  model.node("Fancy", {"x"}, {"b"}).set_domain("com.acme");
  declare(model, "b", {"N", 3});
  model.node("Relu", {"b"}, {"y"}).set_name("after");
  ImportOptions options;
  options.shapes["x"] = {5, 3};
  const auto imported = model.import(options);
  EXPECT_EQ(type(imported, "b"), "float32[5x3]");
  EXPECT_FALSE(is_opaque(node(imported, "after")));
}

// ONNX's own operators that are not supported are typed by ONNX's own inference.
TEST(InferredTypes, OfOnnxOperatorsNeedNoDeclaration) {
  ProtoModel model(15);
  model.input("x", {2, 3, 3}).output("y", {2});
  model.node("Det", {"x"}, {"d"}).set_name("det");
  model.node("Relu", {"d"}, {"y"}).set_name("after");
  const auto imported = model.import();
  EXPECT_EQ(opaque(imported, "det").reason.code, Code::OperatorUnsupported);
  EXPECT_EQ(type(imported, "d"), "float32[2]");
  EXPECT_FALSE(is_opaque(node(imported, "after")));
}

// Of what is in a sequence the element type is known; the shape only where it is declared.
TEST(InferredTypes, GoThroughSequences) {
  ProtoModel model(13);
  model.input("x", {2, 3}).input("place", {}, TensorProto::INT64).output("y", {2, 3});
  declare(model, "e", {2, 3});
  model.node("SequenceConstruct", {"x", "x"}, {"s"}).set_name("many");
  model.node("SequenceAt", {"s", "place"}, {"e"}).set_name("one");
  model.node("Relu", {"e"}, {"y"}).set_name("after");
  const auto imported = model.import();
  EXPECT_EQ(type(imported, "s"), "sequence(float32[...])");
  EXPECT_THAT(opaque(imported, "one").reason.what, HasSubstr("the place in the sequence"));
  EXPECT_EQ(type(imported, "e"), "float32[2x3]");
  EXPECT_FALSE(is_opaque(node(imported, "after")));
}

TEST(InferredTypes, ThatContradictTheDeclarationAreNotReliedOn) {
  ProtoModel model(15);
  model.input("x", {2, 3, 3}).output("y", {2});
  model.node("Det", {"x"}, {"d"}).set_name("det");
  declare(model, "d", {5});
  model.node("Relu", {"d"}, {"y"}).set_name("after");
  const auto imported = model.import();
  EXPECT_EQ(type(imported, "d"), "float32[5] declared, float32[2] inferred");
  EXPECT_TRUE(is_opaque(node(imported, "after")));
}

TEST(OpaqueInputs, AreSequencesStringsAndTypesNobodyComputesWith) {
  ProtoModel model;
  model.output("y");
  auto* input = model.graph().add_input();
  input->set_name("parts");
  input->mutable_type()
      ->mutable_sequence_type()
      ->mutable_elem_type()
      ->mutable_tensor_type()
      ->set_elem_type(TensorProto::FLOAT);
  model.input("words", {2}, TensorProto::STRING).input("brain", {2}, TensorProto::BFLOAT16);
  auto& joined = model.node("ConcatFromSequence", {"parts"}, {"y"});
  set(joined, "axis", 0);
  joined.set_name("join");
  const auto imported = model.import();
  EXPECT_THAT(opaque(imported, "join").reason.what, HasSubstr("because of graph input 'parts'"));
  EXPECT_EQ(type(imported, "parts"), "sequence(float32[...])");
  EXPECT_EQ(type(imported, "words"), "string[2]");
  EXPECT_EQ(type(imported, "brain"), "bfloat16[2]");
  EXPECT_EQ(imported->inputs[1].opaque, "string[2]");
}

TEST(OpaqueInitializers, KeepTheirNameAndType) {
  ProtoModel model;
  model.input("x", {2}).output("y", {2});
  auto& weights = model.initializer("w", {2}, {});
  weights.set_data_type(99);
  model.node("Add", {"x", "w"}, {"y"}).set_name("sum");
  const auto imported = model.import();
  EXPECT_EQ(opaque(imported, "w").reason.code, Code::TypeUnsupported);
  EXPECT_EQ(type(imported, "w"), "type 99[2]");
  EXPECT_THAT(opaque(imported, "sum").reason.what, HasSubstr("because of initializer 'w'"));
}

TEST(OpaqueConstants, OfStringsAreOnes) {
  ProtoModel model;
  model.input("x").output("y");
  auto& words = model.node("Constant", {}, {"w"});
  words.set_name("words");
  auto* value = words.add_attribute();
  value->set_name("value_string");
  value->set_type(::onnx::AttributeProto::STRING);
  value->set_s("hello");
  model.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(opaque(model.import(), "words").reason.code, Code::ValueKindUnsupported);
}

TEST(OpaqueVersions, AreNamedWithThoseThatAreKnown) {
  ProtoModel model = between("HannWindow", "");
  model.model.mutable_opset_import(0)->set_version(16);
  const ops::OpaqueOperator found = opaque(model.import(), "unknown");
  EXPECT_EQ(found.reason.code, Code::OpsetUnsupported);
  EXPECT_EQ(found.version, 16);
  EXPECT_THAT(found.reason.hint, HasSubstr("from 17"));
}

TEST(OpaqueAttributes, AreValuesThatAreRefused) {
  ProtoModel model(13);
  model.input("x").output("y");
  auto& cast = model.node("Cast", {"x"}, {"b"});
  set(cast, "to", TensorProto::BFLOAT16);
  cast.set_name("cast");
  model.node("Relu", {"x"}, {"y"});
  const auto imported = model.import();
  EXPECT_EQ(type(imported, "b"), "bfloat16[2x3]");
}

// A shape that depends on data, and what is shaped by it.
TEST(OpaqueShapes, AreThoseThatDependOnData) {
  ProtoModel model(13);
  model.input("x", {6}).input("where", {2}, TensorProto::INT64).output("y", {2, 3});
  model.node("Reshape", {"x", "where"}, {"r"}).set_name("reshape");
  model.node("Relu", {"r"}, {"y"}).set_name("after");
  const auto imported = model.import();
  EXPECT_EQ(opaque(imported, "reshape").reason.code, Code::InputNotConstant);
  EXPECT_THAT(opaque(imported, "after").reason.what, HasSubstr("because of reshape (Reshape)"));
}

// What an opaque operator gives is no constant, even if all it reads is.
TEST(OpaqueShapes, FollowFromOpaqueOperators) {
  ProtoModel model(13);
  model.input("x", {6}).output("y", {2, 3});
  import_domain(model, "com.acme");
  model.integers("k", {2, 3});
  model.node("Choose", {"k"}, {"where"}).set_domain("com.acme");
  declare(model, "where", {2}, TensorProto::INT64);
  model.node("Reshape", {"x", "where"}, {"y"}).set_name("reshape");
  EXPECT_THAT(opaque(model.import(), "reshape").reason.what, HasSubstr("com.acme.Choose"));
}

// The line between what is not supported and what is no model.
TEST(WrongModels, StayErrors) {
  ProtoModel domain = between("Fancy", "com.acme");
  domain.model.mutable_opset_import()->RemoveLast();
  expect_refusal(domain.import(), Code::ModelCorrupt, {"com.acme", "no version"});

  ProtoModel unmade = between("Fancy", "com.acme");
  unmade.graph().mutable_node(1)->set_input(0, "nothing");
  expect_refusal(unmade.import(), Code::ModelCorrupt, {"'nothing'", "nothing makes"});

  ProtoModel twice = between("Fancy", "com.acme");
  twice.graph().mutable_node(1)->set_output(0, "a");
  expect_refusal(twice.import(), Code::ModelCorrupt, {"'a'", "twice"});

  ProtoModel counts;
  counts.input("x").output("y");
  counts.node("Det", {"x", "x"}, {"y"});
  expect_refusal(counts.import(), Code::OperatorMisused, {"2 inputs", "Det"});
}

}  // namespace
}  // namespace loopglass::onnx
