// What must hold for every row of the operator table, whoever wrote it.
#include "core/ops/registry.h"
#include "core/ops/written_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace loopglass::ops {
namespace {

class EveryOperator : public testing::TestWithParam<std::string> {
 protected:
  const OpDef& op() const { return *find_operator(GetParam()); }
};

std::vector<std::string> registered_names() {
  std::vector<std::string> all;
  for (const OpDef& op : all_operators()) all.push_back(op.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, EveryOperator, testing::ValuesIn(registered_names()),
                         [](const auto& test) { return test.param; });

void expect_sentence(const std::string& doc) {
  EXPECT_GT(doc.size(), 5u);
  EXPECT_TRUE(doc.ends_with('.')) << doc;
}

void expect_operands(const std::vector<Operand>& operands) {
  std::set<std::string> seen;
  bool optional = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    EXPECT_TRUE(seen.insert(operands[i].name).second) << operands[i].name << " stands twice";
    EXPECT_FALSE(operands[i].name.empty());
    EXPECT_TRUE(operands[i].arity != Arity::Variadic || i + 1 == operands.size())
        << "only the last operand may repeat";
    EXPECT_FALSE(operands[i].arity == Arity::Required && optional)
        << operands[i].name << " follows an optional operand";
    optional = optional || operands[i].arity == Arity::Optional;
  }
}

TEST_P(EveryOperator, IsDocumentedAndCanBeTypedAndComputed) {
  expect_sentence(op().doc);
  EXPECT_TRUE(op().infer);
  EXPECT_TRUE(op().compute);
}

TEST_P(EveryOperator, NamesItsOperands) {
  expect_operands(op().inputs);
  expect_operands(op().outputs);
  EXPECT_FALSE(op().outputs.empty());
}

TEST_P(EveryOperator, DeclaresItsAttributesOnceWithDefaultsOfTheirKind) {
  std::set<std::string> seen;
  for (const AttributeSpec& spec : op().attributes) {
    EXPECT_TRUE(seen.insert(spec.name).second) << spec.name << " stands twice";
    EXPECT_FALSE(spec.doc.empty()) << spec.name;
    EXPECT_TRUE(!spec.fallback || kind(*spec.fallback) == spec.kind) << spec.name;
    EXPECT_FALSE(spec.required && spec.fallback) << spec.name << " is required and has a default";
  }
}

// Layouts, parts of convolutions and weights in words are our own, as is what a person wrote, and
// what is not known has many; everything else comes from ONNX and can go back.
TEST_P(EveryOperator, HasAnOnnxForm) {
  EXPECT_EQ(op().onnx.empty(),
            op().opaque || is_written(op()) || op().name.starts_with("Layout") ||
                op().name.starts_with("Winograd") || op().name.starts_with("Packed") ||
                op().name.starts_with("Paired") || op().name.starts_with("Quad"));
  for (const OnnxMapping& mapping : op().onnx) {
    EXPECT_FALSE(mapping.name.empty());
    EXPECT_GE(mapping.since, 1);
    EXPECT_LE(mapping.since, mapping.until);
    std::set<std::size_t> indices;
    for (const OnnxMapping::Bound& bound : mapping.bound) {
      EXPECT_TRUE(indices.insert(bound.index).second)
          << "input " << bound.index << " is bound twice";
      EXPECT_FALSE(bound.attribute.empty());
    }
  }
}

TEST_P(EveryOperator, BindsInputsToItsAttributesUnlessItAdaptsThem) {
  for (const OnnxMapping& mapping : op().onnx)
    for (const OnnxMapping::Bound& bound : mapping.bound) {
      const bool declared =
          std::any_of(op().attributes.begin(), op().attributes.end(),
                      [&](const AttributeSpec& spec) { return spec.name == bound.attribute; });
      EXPECT_TRUE(declared || mapping.adapt) << bound.attribute;
    }
}

// Opsets 7 to 17 are promised; an operator that came later starts later, and none stops before 17.
TEST_P(EveryOperator, StaysInEveryOpsetUpToSeventeen) {
  for (const OnnxMapping& mapping : op().onnx) {
    if (!mapping.domain.empty() || mapping.since > 17) continue;
    for (int opset = mapping.since; opset <= 17; ++opset) {
      const auto match = find_onnx("", mapping.name, opset);
      ASSERT_TRUE(match.has_value()) << mapping.name << " in opset " << opset;
    }
  }
}

TEST(Registry, VersionsOfAnOnnxOperatorDoNotOverlap) {
  std::map<std::string, std::vector<std::pair<int, int>>> ranges;
  for (const OpDef& op : all_operators())
    for (const OnnxMapping& mapping : op.onnx)
      ranges[mapping.domain + "." + mapping.name].push_back({mapping.since, mapping.until});
  for (auto& [name, versions] : ranges) {
    std::sort(versions.begin(), versions.end());
    for (std::size_t i = 1; i < versions.size(); ++i)
      EXPECT_LT(versions[i - 1].second, versions[i].first) << name;
  }
}

TEST(Registry, IsOrderedByFamilyThenName) {
  const auto& table = all_operators();
  for (std::size_t i = 1; i < table.size(); ++i)
    EXPECT_TRUE(std::pair(table[i - 1].family, table[i - 1].name) <
                std::pair(table[i].family, table[i].name))
        << table[i - 1].name << " stands before " << table[i].name;
}

TEST(Registry, FindsAnOperatorByItsName) {
  ASSERT_NE(find_operator("Conv"), nullptr);
  EXPECT_EQ(find_operator("Conv")->name, "Conv");
  EXPECT_EQ(find_operator("conv"), nullptr);
}

TEST(Registry, TellsOpsetsApart) {
  const auto attribute_form = find_onnx("", "Squeeze", 12),
             input_form = find_onnx("ai.onnx", "Squeeze", 13);
  ASSERT_TRUE(attribute_form && input_form);
  EXPECT_EQ(attribute_form->op, input_form->op);
  EXPECT_TRUE(attribute_form->mapping->bound.empty());
  EXPECT_EQ(input_form->mapping->bound.size(), 1u);
}

TEST(Registry, SaysWhyThereIsNoOperator) {
  const auto unknown = find_onnx("com.example", "Frobnicate", 17);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Code::OperatorUnsupported);
  EXPECT_EQ(unknown.error().what, "operator 'com.example.Frobnicate' is not supported");

  const auto early = find_onnx("", "HannWindow", 16);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, Code::OpsetUnsupported);
  EXPECT_EQ(early.error().hint, "it is in these opsets: from 17");
}

}  // namespace
}  // namespace loopglass::ops
