// Operators that are not known: every pass leaves them alone, moves nothing across them, and keeps
// what goes into them and what comes of their results.
#include "tests/pass/before_after.h"
#include "tests/random/network_count.h"
#include "tests/random/opaque_nodes.h"
#include "tests/random/random_network.h"

#include <gmock/gmock.h>
#include <cmath>

namespace loopglass {
namespace {

std::map<std::string, std::string> opaque_nodes(const graph::Graph& graph) {
  std::map<std::string, std::string> found;
  for (const graph::NodePtr& node : graph.nodes())
    if (is_opaque(*node))
      for (const auto& [name, value] : node->attributes.all())
        found[node->name] += name + " = " + ops::to_string(value) + "\n";
  return found;
}

bool is_finite(const Tensor& tensor) {
  if (!is_float(tensor.data_type())) return true;
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    if (!std::isfinite(tensor.double_at(i)) || std::fabs(tensor.double_at(i)) > 1e6) return false;
  return true;
}

bool is_finite(const test::AroundOpaque& run) {
  for (const auto& [name, operands] : run.operands)
    for (const Tensor& tensor : operands)
      if (tensor.defined() && !is_finite(tensor)) return false;
  return std::ranges::all_of(run.results, [](const Tensor& tensor) { return is_finite(tensor); });
}

void expect_same(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected,
                 double tolerance, const std::string& where) {
  ASSERT_EQ(actual.size(), expected.size()) << where;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i].defined(), expected[i].defined()) << where;
    if (!actual[i].defined()) continue;
    const auto same = runtime::compare(actual[i], expected[i], tolerance, tolerance);
    ASSERT_TRUE(same) << where << ": " << same.error().what;
  }
}

class OpaqueOperators : public ::testing::TestWithParam<std::string> {};

TEST_P(OpaqueOperators, AreBarriersInRandomNetworks) {
  const pass::GraphPass pass = test::pass_named(GetParam());
  const bool exact = pass.info.numerics == pass::Numerics::Exact;
  int held = 0;
  for (std::uint32_t seed = 0; static_cast<int>(seed) < test::network_count(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto before = std::make_shared<const graph::Graph>(test::with_opaque_operators(
        test::random_network(seed, {.operators = 4 + static_cast<int>(seed % 12), .jumps = false}),
        seed, 4));
    const auto step = pass::apply(pass, before);
    ASSERT_TRUE(step) << to_string(step.error()) << to_text(*before);
    const graph::Graph& after = *step->result;
    ASSERT_TRUE(graph::verify(after));
    const auto had = opaque_nodes(*before), has = opaque_nodes(after);
    for (const auto& [name, said] : has) {
      ASSERT_TRUE(had.contains(name)) << name << " is new\n" << to_text(after);
      EXPECT_EQ(said, had.at(name));
    }
    for (const auto& [name, said] : had)
      if (!has.contains(name)) {
        EXPECT_EQ(pass.info.name, "remove-dead-code") << name << " is gone\n" << to_text(*before);
        EXPECT_THAT(said, ::testing::HasSubstr("domain = \"\"\n"));
      }
    const std::vector<Tensor> inputs = test::random_inputs(*before);
    const auto expected = test::run_around_opaque(*before, inputs),
               actual = test::run_around_opaque(after, inputs);
    if (!is_finite(expected)) continue;
    ++held;
    const double tolerance = exact ? 0 : 1e-5;
    expect_same(actual.results, expected.results, tolerance, "results\n" + to_text(*before));
    for (const auto& [name, operands] : actual.operands)
      expect_same(operands, expected.operands.at(name), tolerance,
                  "operands of " + name + "\n" + to_text(*before) + to_text(after));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(held, 20);
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const pass::GraphPass& pass : passes::graph_passes(reference_machine()))
    names.push_back(pass.info.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, OpaqueOperators, ::testing::ValuesIn(pass_names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

constexpr const char* two_alike = R"(
  input %x: float32[4]
  %a: float32[4] = Opaque(%x) {code = 2001, operator = "Mystery", reason = "no"} "a"
  %b: float32[4] = Opaque(%x) {code = 2001, operator = "Mystery", reason = "no"} "b"
  %c: float32[4] = Sub(%a, %b) "c"
  output %c)";

// Whether it gives the same twice is not known: it may draw random numbers.
TEST(OpaqueTwins, AreNotMerged) {
  EXPECT_FALSE(test::applied("merge-common-subexpressions", test::graph_of(two_alike)).changed);
}

// Sub(x, x) is 0 for one x; two opaque results are not one.
TEST(OpaqueTwins, AreTwoForTheRules) {
  EXPECT_FALSE(test::applied("simplify", test::graph_of(two_alike)).changed);
}

TEST(UnreadOpaqueOperators, GoWhereTheyAreOnnxsOwn) {
  const graph::Graph before = test::graph_of(R"(
  input %x: float32[4]
  %u: float32[4] = Opaque(%x) {code = 2001, operator = "Mystery", reason = "no"} "unread"
  %l: float32[4] = Opaque(%x) {code = 2001, domain = "com.acme", operator = "Log", reason = "no"} "log"
  %y: float32[4] = Relu(%x) "y"
  output %y)");
  const auto step = test::applied("remove-dead-code", before);
  EXPECT_EQ(step.result->find_node("unread"), nullptr);
  EXPECT_NE(step.result->find_node("log"), nullptr) << "it may do more than compute";
}

// What is known before and after is not folded through.
TEST(ConstantFolding, EndsAtAnOpaqueOperator) {
  const auto step = test::applied("fold-constants", test::graph_of(R"(
  const %k: float32[2] = [1, -2]
  %a: float32[2] = Neg(%k) "a"
  %o: float32[2] = Opaque(%a) {code = 2001, operator = "Mystery", reason = "no"} "o"
  %b: float32[2] = Relu(%o) "b"
  output %b)"));
  EXPECT_EQ(step.result->find_node("a"), nullptr);
  EXPECT_NE(step.result->find_node("o"), nullptr);
  EXPECT_NE(step.result->find_node("b"), nullptr);
}

}  // namespace
}  // namespace loopglass
