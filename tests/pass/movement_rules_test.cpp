// The rules about operators that move elements, all together: random graphs of such operators keep
// their meaning and come to rest, and what the rules take for granted about operators is so.
#include "core/expr/rewrite.h"
#include "core/ops/registry.h"
#include "passes/graph/rules/families.h"
#include "passes/graph/rules/movement.h"
#include "tests/pass/rule_case.h"
#include "tests/random/random_movement.h"

#include <fmt/format.h>
#include <array>
#include <cstdlib>
#include <set>

namespace loopglass {
namespace {

using passes::rules::Rule;
using passes::rules::RuleClass;

std::vector<const Rule*> movement_rules(const std::set<RuleClass>& classes) {
  std::vector<const Rule*> chosen;
  for (const auto& family :
       {passes::rules::reshape_rules, passes::rules::transpose_rules, passes::rules::slice_rules,
        passes::rules::concatenation_rules, passes::rules::reduction_rules})
    for (const Rule& rule : family())
      if (classes.contains(rule.kind)) chosen.push_back(&test::rule_named(rule.name));
  return chosen;
}

std::vector<const Rule*> exact_rules() {
  std::vector<const Rule*> chosen;
  for (const Rule& rule : passes::rules::all_rules())
    if (rule.kind == RuleClass::Exact) chosen.push_back(&rule);
  return chosen;
}

// As many random graphs as elsewhere are asked for by LOOPGLASS_RANDOM_GRAPHS.
std::uint32_t graphs() {
  const char* wanted = std::getenv("LOOPGLASS_RANDOM_GRAPHS");
  return wanted == nullptr ? 500 : static_cast<std::uint32_t>(std::stoul(wanted));
}

constexpr std::array types{DataType::Float32, DataType::Int32, DataType::Float16, DataType::UInt8,
                           DataType::Float64};

// Rewrites random graphs until nothing is left to rewrite, and returns which rules did it.
std::set<std::string> expect_rest_and_the_same_meaning(std::span<const Rule* const> rules,
                                                       std::uint32_t first_seed, double tolerance) {
  std::set<std::string> used;
  for (std::uint32_t seed = first_seed;
       seed < first_seed + graphs() && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const DataType type = tolerance > 0 ? DataType::Float64 : types[seed % types.size()];
    const graph::Graph before = test::random_movement(seed, 14, type, tolerance == 0);
    pass::Report report, again;
    const graph::Graph after = test::rewritten(before, rules, report);
    for (const pass::Remark& remark : report.remarks) EXPECT_NE(remark.code, "RULES_DO_NOT_SETTLE");
    for (const pass::Rewrite& rewrite : report.rewrites) used.insert(rewrite.rule);
    test::expect_same_meaning(before, after, tolerance);
    test::rewritten(after, rules, again);
    EXPECT_TRUE(again.rewrites.empty()) << again.rewrites.front().rule << "\n"
                                        << graph::to_text(after);
  }
  return used;
}

TEST(MovementRules, KeepTheMeaningOfRandomGraphsAndComeToRest) {
  const auto used = expect_rest_and_the_same_meaning(movement_rules({RuleClass::Exact}), 0, 0);
  // The graphs are no good as a test unless most rules find something in them.
  EXPECT_GE(used.size(), 40u);
}

TEST(MovementRules, KeepTheMeaningButForRounding) {
  expect_rest_and_the_same_meaning(movement_rules({RuleClass::Exact, RuleClass::Reassociating}),
                                   100'000, 1e-9);
}

TEST(MovementRules, ComeToRestAmongAllRules) {
  expect_rest_and_the_same_meaning(exact_rules(), 200'000, 0);
}

// A network from a framework that keeps channels last: its transposes meet and are gone.
TEST(MovementRules, TransposesAroundPointwiseOperatorsMeetAndCancel) {
  const graph::Graph before = test::graph_of(R"(
  input %x: float32[1x2x3x4]
  const %bias: float32[2] = [1, 2]
  %n: float32[1x2x3x4] = Neg(%x) "n"
  %t: float32[1x3x4x2] = Transpose(%n) {perm = [0, 2, 3, 1]} "t"
  %a: float32[1x3x4x2] = Add(%t, %bias) "a"
  %r: float32[1x3x4x2] = Relu(%a) "r"
  %u: float32[1x2x3x4] = Transpose(%r) {perm = [0, 3, 1, 2]} "u"
  output %u)");
  pass::Report report;
  const graph::Graph after = test::rewritten(before, movement_rules({RuleClass::Exact}), report);
  EXPECT_EQ(test::operators(after), "Neg 1x2x3x4, Add 1x2x3x4, Relu 1x2x3x4");
  test::expect_same_meaning(before, after, 0);
}

// Only the last token's logits are asked for: the others are not computed.
TEST(MovementRules, ASliceRisesToTheTop) {
  const graph::Graph before = test::graph_of(R"(
  input %x: float32[1x8x16]
  input %w: float32[16x32]
  const %last: int64[1] = [-1]
  %r: float32[1x8x16] = Relu(%x) "r"
  %m: float32[1x8x32] = MatMul(%r, %w) "m"
  %t: float32[1x8x32] = Tanh(%m) "t"
  %g: float32[1x1x32] = Gather(%t, %last) {axis = 1} "g"
  output %g)");
  pass::Report report;
  const graph::Graph after = test::rewritten(before, movement_rules({RuleClass::Exact}), report);
  EXPECT_EQ(test::operators(after), "Slice 1x1x16, Relu 1x1x16, MatMul 1x1x32, Tanh 1x1x32");
  test::expect_same_meaning(before, after, 0);
}

// Operators of these families have no rule of their own for doing nothing.
TEST(MovementRules, LeaveWhatMovesNothingToTheIdentityRule) {
  for (const char* node :
       {"Reshape(%n) {shape = [0, -1, 4, 4]}", "Flatten(%f) {axis = 1}", "Squeeze(%n) {axes = []}",
        "Expand(%n) {shape = [4]}", "Transpose(%n) {perm = [0, 1, 2, 3]}",
        "Slice(%n) {starts = [0], ends = [100]}", "Pad(%n) {pads = [0, 0, 0, 0, 0, 0, 0, 0]}",
        "Tile(%n) {repeats = [1, 1, 1, 1]}", "Concat(%n) {axis = 1}", "Split(%n) {axis = 1}",
        "DepthToSpace(%n) {blocksize = 1}", "ReduceSum(%n) {noop_with_empty_axes = 1}"}) {
    const std::string operand = std::string(node).find("%f") == std::string::npos ? "n" : "f";
    const std::string type = operand == "n" ? "float32[2x3x4x4]" : "float32[2x48]";
    const std::string text = fmt::format(R"(
  input %x: {0}
  %{1}: {0} = Neg(%x) "{1}"
  %y: {0} = {2} "y"
  output %y)",
                                         type, operand, node);
    test::check(
        test::RuleCase{"identity", text.c_str(), operand == "n" ? "Neg 2x3x4x4" : "Neg 2x48"});
  }
}

// The element of the result at `i` reads each operand at `i`, from behind, or at its only element.
bool reads_in_place(const te::Program& program) {
  bool in_place = true;
  for (const te::Stage& stage : program.stages) {
    in_place = in_place && !stage.reducer;
    expr::visit(stage.body, [&](const expr::Expr& e) {
      const auto* load = e.as<expr::Load>();
      if (load == nullptr) return;
      const std::size_t leading = stage.axes.size() - load->indices.size();
      for (std::size_t d = 0; d < load->indices.size(); ++d) {
        const auto* variable = load->indices[d].as<expr::Variable>();
        in_place =
            in_place && ((variable != nullptr && variable->name == stage.axes[d + leading].name) ||
                         expr::as_integer(load->indices[d]) == 0);
      }
    });
  }
  return in_place;
}

// What is_pointwise promises of whole families holds for every operator in them.
TEST(MovementRules, PointwiseOperatorsReadTheirOperandsInPlace) {
  for (const std::string& name : passes::rules::pointwise_operators()) {
    const ops::OpDef& op = *ops::find_operator(name);
    bool typed = false;
    for (const DataType type : {DataType::Float32, DataType::Int32, DataType::Bool}) {
      std::vector<TensorType> types;
      for (std::size_t k = 0; k < op.inputs.size(); ++k)
        types.push_back({type, k == 0 ? Shape{2, 3, 4} : name == "Clip" ? Shape{} : Shape{3, 1}});
      if (name == "Where") types.front().type = DataType::Bool;
      std::vector<const TensorType*> operands;
      for (const TensorType& operand : types) operands.push_back(&operand);
      ops::Attributes attributes;
      if (name == "Cast") attributes.set("to", std::string("int64"));
      if (name == "Mod") attributes.set("fmod", std::int64_t{1});
      if (name == "BitShift") {
        attributes.set("direction", std::string("LEFT"));
        for (TensorType& operand : types) operand.type = DataType::UInt32;
      }
      const auto inferred = ops::infer(op, operands, attributes, 1);
      if (!inferred) continue;
      typed = true;
      EXPECT_EQ(inferred->front().shape, (Shape{2, 3, 4})) << name;
      const auto program = ops::program_of(op, operands, attributes, *inferred);
      ASSERT_TRUE(program) << name;
      EXPECT_TRUE(reads_in_place(*program)) << name;
    }
    EXPECT_TRUE(typed) << name << " was not looked at";
  }
}

}  // namespace
}  // namespace loopglass
