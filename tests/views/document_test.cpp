// The document from end to end on real samples: every stage arrives, the newest request wins, and
// the selection relates all levels.
#include "tests/views/opened.h"

#include <gtest/gtest.h>

#include <fstream>

namespace loopglass::views {
namespace {

TEST(Document, OpeningAModelDerivesEveryStage) {
  Opened opened("mlp");
  const Document& document = opened.document;
  for (const Stage stage :
       {Stage::Model, Stage::Dominators, Stage::Plan, Stage::Kernel, Stage::MachineCode})
    EXPECT_EQ(document.state(stage), StageState::Ready) << static_cast<int>(stage);
  EXPECT_EQ(document.state(Stage::Benchmark), StageState::Empty) << "nothing is measured unasked";
  ASSERT_TRUE(document.history());
  EXPECT_EQ(document.step(), document.history()->steps.size() - 1)
      << "the optimised graph is shown";
  EXPECT_TRUE(document.dominators(graph::Direction::Dominators));
  EXPECT_TRUE(document.dominators(graph::Direction::PostDominators));
  ASSERT_TRUE(document.loop_listing());
  EXPECT_FALSE(document.loop_listing()->lines.empty());
  ASSERT_TRUE(document.llvm_lines());
  EXPECT_FALSE(document.llvm_lines()->empty());
  EXPECT_FALSE(document.assembly_lines()->empty());
  EXPECT_EQ(document.problem(Stage::Kernel), nullptr);
}

TEST(Document, AFileThatIsNoModelIsADiagnosticAndLeavesTheWindowEmpty) {
  const auto path = std::filesystem::temp_directory_path() / "loopglass_not_a_model.onnx";
  std::ofstream(path) << "this is not a protocol buffer";
  Document document(passes::toolchain());
  std::optional<Diagnostic> problem;
  QObject::connect(&document, &Document::failed, [&](const Diagnostic& d) { problem = d; });
  document.open(path);
  ASSERT_TRUE(settled(document));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->code, Code::ModelCorrupt);
  EXPECT_EQ(document.state(Stage::Model), StageState::Failed);
  EXPECT_FALSE(document.graph());
  std::filesystem::remove(path);
}

TEST(Document, TheModelAskedForLastIsTheOneOpened) {
  Document document(passes::toolchain());
  document.open(sample_source("lenet"));
  document.open(sample_source("mlp"));
  ASSERT_TRUE(settled(document));
  EXPECT_EQ(document.title(), "mlp");
  ASSERT_TRUE(document.model());
  EXPECT_EQ(document.model()->graph.nodes().size(), build_sample("mlp").nodes().size());
}

TEST(Document, StepsStayWithinTheHistoryAndDominatorsFollow) {
  Opened opened("lenet");
  Document& document = opened.document;
  EXPECT_FALSE(document.can_walk(Walk::PassForward));
  document.walk(Walk::PassForward);
  EXPECT_EQ(document.step(), document.history()->steps.size() - 1);
  document.set_step(0);
  ASSERT_TRUE(settled(document));
  EXPECT_FALSE(document.can_walk(Walk::PassBack));
  EXPECT_EQ(document.graph(), document.history()->steps.front().result);
  const auto tree = document.dominators(graph::Direction::Dominators);
  ASSERT_TRUE(tree);
  for (const auto& node : document.graph()->nodes())
    EXPECT_GE(tree->depth(node->id), 1) << node->name;
}

TEST(Document, ClosingForgetsEverything) {
  Opened opened("mlp");
  opened.document.close();
  EXPECT_FALSE(opened.document.model());
  EXPECT_FALSE(opened.document.graph());
  EXPECT_FALSE(opened.document.plan());
  EXPECT_FALSE(opened.document.kernel());
  EXPECT_FALSE(opened.document.machine_code());
  EXPECT_EQ(opened.document.state(Stage::Model), StageState::Empty);
}

TEST(Document, AnotherStrategyMakesAnotherPlan) {
  Opened opened("lenet");
  const auto& strategies = opened.document.toolchain().strategies;
  const std::size_t fused = opened.document.plan()->groups.size();
  ASSERT_GE(strategies.size(), 2u);
  opened.document.set_strategy("none");
  ASSERT_TRUE(settled(opened.document));
  ASSERT_TRUE(opened.document.plan());
  EXPECT_EQ(opened.document.plan()->groups.size(), opened.document.last_graph()->nodes().size());
  EXPECT_LT(fused, opened.document.plan()->groups.size());
  EXPECT_EQ(opened.document.state(Stage::MachineCode), StageState::Ready)
      << "the new kernel is compiled too";
}

// As when the machine has been calibrated meanwhile: estimates follow, and nobody loses his place.
TEST(Document, AnotherCostModelWeighsThePlanThereIs) {
  Opened opened("lenet");
  Document& document = opened.document;
  const double before = document.plan_summary()->estimated_microseconds;
  const auto kernel = document.kernel();
  const fusion::GroupId group = document.kernel_group();
  ASSERT_TRUE(kernel);
  Machine machine;
  machine.processor = "a slow one";
  machine.peak_gflops = {machine.peak_gflops / 10, Provenance::Measured};
  int planned = 0;
  QObject::connect(&document, &Document::planChanged, &document, [&] { ++planned; });
  document.set_cost_model(std::make_shared<const fusion::CostModel>(machine));
  EXPECT_TRUE(document.plan()) << "what there is stays until then";
  ASSERT_TRUE(settled(document));
  EXPECT_TRUE(document.cost_model()->is_calibrated());
  EXPECT_GT(document.plan_summary()->estimated_microseconds, before);
  EXPECT_EQ(document.kernel(), kernel);
  EXPECT_EQ(document.kernel_group(), group);
  EXPECT_EQ(planned, 1);
  document.set_strategy("dp");
  ASSERT_TRUE(settled(document));
  EXPECT_EQ(document.session()->cost_model(), document.cost_model());
}

TEST(Document, ABenchmarkTellsEachRoundAndThenReports) {
  Opened opened("mlp");
  int rounds = 0;
  QObject::connect(&opened.document, &Document::benchmarkRound, [&](int, double milliseconds) {
    EXPECT_GT(milliseconds, 0);
    ++rounds;
  });
  opened.document.start_benchmark(1, 5);
  EXPECT_EQ(opened.document.state(Stage::Benchmark), StageState::Working);
  ASSERT_TRUE(settled(opened.document));
  EXPECT_EQ(rounds, 5);
  ASSERT_TRUE(opened.document.benchmark_report());
  EXPECT_EQ(opened.document.benchmark_report()->kernels.size(),
            opened.document.plan()->groups.size());
  EXPECT_NE(opened.document.timing_of(opened.document.kernel_group()), nullptr);
}

TEST(Document, AStoppedBenchmarkLeavesNoReport) {
  Opened opened("mlp");
  opened.document.start_benchmark(1, 1000000);
  ASSERT_TRUE(eventually([&] { return !opened.document.round_times().empty(); }));
  opened.document.stop_benchmark();
  EXPECT_EQ(opened.document.state(Stage::Benchmark), StageState::Empty);
  ASSERT_TRUE(settled(opened.document));
  EXPECT_FALSE(opened.document.benchmark_report());
}

}  // namespace
}  // namespace loopglass::views
