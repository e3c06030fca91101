// What would have been with another pipeline.
#include "core/debug/counterfactual.h"

#include "samples/samples.h"
#include "tests/debug/debug_graphs.h"

#include <gmock/gmock.h>

namespace loopglass::debug {
namespace {

using ::testing::ElementsAre;

pass::GraphHistory history_of(const std::vector<std::pair<std::string, int>>& steps) {
  const auto graph = std::make_shared<const graph::Graph>(additions());
  pass::GraphHistory history;
  for (const auto& [name, round] : steps) {
    pass::Step<graph::Graph> step;
    step.pass.name = name;
    step.round = round;
    step.result = graph;
    history.steps.push_back(std::move(step));
  }
  return history;
}

// "0-0 1-_ 2-1"
std::vector<std::string> in_words(const std::vector<AlignedStep>& rows) {
  std::vector<std::string> words;
  const auto side = [](std::optional<std::size_t> index) {
    return index ? std::to_string(*index) : "_";
  };
  for (const AlignedStep& row : rows) words.push_back(side(row.left) + "-" + side(row.right));
  return words;
}

TEST(Align, StepsOfTheSamePassAndRoundStandInOneRow) {
  EXPECT_THAT(in_words(align(history_of({{"input", 1}, {"a", 1}, {"b", 1}, {"c", 1}}),
                             history_of({{"input", 1}, {"a", 1}, {"c", 1}}))),
              ElementsAre("0-0", "1-1", "2-_", "3-2"));
  EXPECT_THAT(in_words(align(history_of({{"input", 1}, {"b", 1}}),
                             history_of({{"input", 1}, {"a", 1}, {"b", 1}, {"b", 2}}))),
              ElementsAre("0-0", "_-1", "1-2", "_-3"));
  EXPECT_THAT(
      in_words(align(history_of({{"input", 1}, {"a", 1}}), history_of({{"input", 1}, {"b", 1}}))),
      ElementsAre("0-0", "1-_", "_-1"));
}

// As many as possible: c is given up for a and b.
TEST(Align, TheLongestCommonSubsequenceIsTaken) {
  EXPECT_THAT(in_words(align(history_of({{"c", 1}, {"a", 1}, {"b", 1}}),
                             history_of({{"a", 1}, {"b", 1}, {"c", 1}}))),
              ElementsAre("0-_", "1-0", "2-1", "_-2"));
}

TEST(Align, SaysWhereTheGraphsAreTheSame) {
  const auto rows = [](const std::string& left, const std::string& right) {
    const Toolchain toolchain =
        with({replace_each("plus", "Add", [](const std::string&) { return "Add"; }),
              replace_each("minus", "Add",
                           [](const std::string& node) { return node == "c" ? "Sub" : "Add"; })});
    auto a = session_on(additions(), left, toolchain),
         b = session_on(additions(), right, toolchain);
    std::vector<bool> same;
    for (const AlignedStep& row : align(*a->graph_history().value(), *b->graph_history().value()))
      same.push_back(row.same_graph);
    return same;
  };
  EXPECT_THAT(rows("plus, simplify", "plus, simplify"), ElementsAre(true, true, true));
  // "plus" changes nothing but names and ids.
  EXPECT_THAT(rows("plus, simplify", "simplify"), ElementsAre(true, false, true));
  EXPECT_THAT(rows("minus, simplify", "simplify"), ElementsAre(true, false, false));
}

TEST(Toggled, SwitchesAPassOffAndOnAgain) {
  const Toolchain toolchain = passes::toolchain();
  const SessionOptions off = toggled(toolchain, {}, "fold-batch-norm").value();
  EXPECT_THAT(off.disabled_passes, ElementsAre("fold-batch-norm"));
  EXPECT_TRUE(toggled(toolchain, off, "fold-batch-norm").value().disabled_passes.empty());
  EXPECT_EQ(toggled(toolchain, {}, "nothing").error().code, Code::PassUnknown);
  SessionOptions none;
  none.pipeline = "none";
  EXPECT_EQ(toggled(toolchain, none, "fold-batch-norm").error().code, Code::UsageInvalid);
}

Result<Counterfactual> lenet(const CounterfactualOptions& options) {
  auto model = std::make_shared<const onnx::Model>(
      model_of(samples::find_sample("lenet")->build(0).value()));
  SessionOptions none;
  none.pipeline = "none";
  none.strategy = "none";
  return counterfactual(passes::toolchain(), model, {}, none, options);
}

TEST(Counterfactual, PutsTwoNetworksSideBySide) {
  CounterfactualOptions options;
  options.threads = 1;
  const auto result = lenet(options);
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_TRUE(result->agree);
  ASSERT_EQ(result->outputs.size(), 1u);
  EXPECT_LT(result->outputs[0].relative_error, 1e-5);
  EXPECT_EQ(result->left.pipeline, "default");
  EXPECT_EQ(result->right.pipeline, "none");
  EXPECT_EQ(result->right.history->steps.size(), 1u);
  EXPECT_EQ(result->steps.size(), result->left.history->steps.size());
  EXPECT_LT(result->left.kernels, result->right.kernels);
  EXPECT_EQ(static_cast<std::int64_t>(result->right.kernels), result->right.counts.nodes);
  EXPECT_GT(result->right.kernel_flops, 0);
  EXPECT_LT(result->left.memory->separate_bytes, result->right.memory->separate_bytes);
  EXPECT_FALSE(result->left.time);
}

TEST(Counterfactual, TimesBothWhenAskedTo) {
  CounterfactualOptions options;
  options.threads = 1;
  options.bench = true;
  options.rounds = 3;
  options.warm_up = 1;
  const auto result = lenet(options).value();
  ASSERT_TRUE(result.left.time && result.right.time);
  EXPECT_EQ(result.left.time->rounds, 3);
  EXPECT_GT(result.right.time->median_ms, 0);
}

TEST(Counterfactual, ComparesTimelinesAloneWithoutCompiling) {
  CounterfactualOptions options;
  options.run = false;
  const auto result = lenet(options).value();
  EXPECT_TRUE(result.outputs.empty());
  EXPECT_GT(result.left.kernels, 0u);
}

TEST(Counterfactual, NetworksThatDisagreeAreFound) {
  const Toolchain toolchain = with({replace_each(
      "wrong", "Add", [](const std::string& node) { return node == "c" ? "Sub" : "Add"; })});
  SessionOptions right, wrong;
  right.pipeline = "default";
  wrong.pipeline = "wrong, default";
  EXPECT_EQ(counterfactual(toolchain, std::make_shared<const onnx::Model>(model_of(additions())),
                           right, wrong)
                .error()
                .code,
            Code::PassUnknown);
  wrong.pipeline = "wrong, @default";
  const auto result =
      counterfactual(toolchain, std::make_shared<const onnx::Model>(model_of(additions())), right,
                     wrong)
          .value();
  EXPECT_FALSE(result.agree);
  EXPECT_TRUE(result.outputs[0].diverges);
}

}  // namespace
}  // namespace loopglass::debug
