// Which nodes of a graph a filter picks out, field by field.
#include "core/graph/node_filter.h"
#include "tests/graph/parsed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::graph {
namespace {

using ::testing::HasSubstr;

Graph network() {
  return test::graph_of(R"(
  input %image: float32[1x2x4x4]
  const %weight: float32[2x2x3x3] = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
  const %k: float32[] = [3]
  %c: float32[1x2x4x4] = Conv(%image, %weight, _) {pads = [1, 1, 1, 1], strides = [1, 1]} "layer3/conv1" from 0
  %r: float32[1x2x4x4] = Relu(%c) "layer3/relu" from 1
  %i: int64[1x2x4x4] = Cast(%r) {to = "int64"} "to int" from 2
  %n: float32[] = Neg(%k) "negated" from 3
  %p: float32[1x2x4x4] = Mul(%r, %n) "product"
  %u: float32[1x2x4x4] = Abs(%r) "abs"
  output %i
  output %p)");
}

TEST(NodeFilterOfOpaqueOperators, PicksThemOutByWhatTheyAreCalled) {
  const Graph graph = test::graph_of(R"g(
  input %x: float32[4]
  %a: float32[4] = Opaque(%x) {code = 2001, domain = "com.acme", operator = "Gelu", reason = "no"} "a"
  %b: opaque "sequence(float32)" = Opaque(%a) {code = 2001, operator = "If", reason = "no"} "b"
  %c: float32[4] = Relu(%a) "c"
  output %c)g");
  const auto names = [&](const char* text) {
    const auto filter = parse_node_filter(text);
    std::string found;
    for (const NodeId id : matching_nodes(filter.value(), graph)) found += graph.node(id).name;
    return found;
  };
  EXPECT_EQ(names("opaque"), "ab");
  EXPECT_EQ(names("!opaque"), "c");
  EXPECT_EQ(names("op=Opaque"), "ab");
  EXPECT_EQ(names("onnx=If"), "b");
  EXPECT_EQ(names("onnx~com.acme"), "a");
  EXPECT_EQ(names("rank=1"), "ac") << "what is not known has no rank";
}

struct Case {
  const char* filter;
  const char* picked;  // names, separated by commas
};

class NodeFilter : public ::testing::TestWithParam<Case> {};

TEST_P(NodeFilter, PicksOut) {
  const Graph graph = network();
  const auto filter = parse_node_filter(GetParam().filter);
  ASSERT_TRUE(filter) << to_string(filter.error());
  std::string names;
  for (const NodeId id : matching_nodes(*filter, graph))
    names += (names.empty() ? "" : ",") + graph.node(id).name;
  EXPECT_EQ(names, GetParam().picked) << GetParam().filter;
}

INSTANTIATE_TEST_SUITE_P(
    All, NodeFilter,
    ::testing::Values(Case{"op=Conv & dtype=f32 & name~\"layer3\"", "layer3/conv1"},
                      Case{"relu", "layer3/relu"}, Case{"op=conv", "layer3/conv1"},
                      Case{"family=activation", "layer3/relu"}, Case{"dtype=i64", "to int"},
                      Case{"rank=0", "negated"}, Case{"shape=scalar", "negated"},
                      Case{"shape=1x2x4x4 & !dtype=f32", "to int"},
                      Case{"elements=32 & op=mul", "product"}, Case{"bytes>=256", "to int"},
                      Case{"parameters=144", "layer3/conv1"}, Case{"parameters=4", "negated"},
                      Case{"inputs=2", "layer3/conv1,product"}, Case{"outputs!=1", ""},
                      Case{"users=3", "layer3/relu"}, Case{"constants>0", "layer3/conv1,negated"},
                      Case{"reads=image", "layer3/conv1"},
                      Case{"reads=layer3/relu", "to int,product,abs"}, Case{"makes=p", "product"},
                      Case{"is=input", "layer3/conv1"}, Case{"is=output", "to int,product"},
                      Case{"is=constant", "negated"}, Case{"is=unused", "abs"},
                      Case{"attr.pads=1x1x1x1", "layer3/conv1"},
                      Case{"attr.pads>0", "layer3/conv1"}, Case{"attr.group=1", "layer3/conv1"},
                      Case{"attr.to~INT", "to int"}, Case{"flops>1000", "layer3/conv1"},
                      Case{"flops=32 & op=abs", "abs"}, Case{"name=\"to int\"", "to int"},
                      Case{"id>=0 & is=output & !is=input & users=0", "to int,product"}));

TEST(NodeFilterText, RefusesWhatNoNodeHas) {
  const auto hint = [](const char* text) { return parse_node_filter(text).error().hint; };
  EXPECT_THAT(hint("op=Cnov"), HasSubstr("'Conv'"));
  EXPECT_THAT(hint("attr.stride=2"), HasSubstr("'attr.strides'"));
  EXPECT_THAT(hint("dtype=f33"), HasSubstr("float"));
  EXPECT_THAT(hint("colour=red"), HasSubstr("there are: name, op, family"));
}

TEST(NodeFilterText, ReadsAsTheWindowShowsIt) {
  EXPECT_EQ(in_words(*parse_node_filter("op=Conv & dtype=f32 & name~\"layer3\""), node_fields()),
            "operators whose op is Conv, element type is float32 and whose name contains layer3");
  EXPECT_EQ(in_words(*parse_node_filter("attr.group!=1"), node_fields()),
            "operators whose attribute group is not 1");
}

TEST(NodeFilterText, EveryFieldIsDocumented) {
  for (const FieldSpec& field : node_fields().fields) {
    EXPECT_FALSE(field.doc.empty()) << field.name;
    EXPECT_FALSE(field.phrase.empty()) << field.name;
    EXPECT_EQ(field.kind == FieldKind::Word,
              !field.values.empty() && field.kind != FieldKind::Number)
        << field.name;
  }
}

}  // namespace
}  // namespace loopglass::graph
