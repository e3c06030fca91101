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
  ASSERT_TRUE(document.history().recorded());
  EXPECT_EQ(document.history().step(), document.history().recorded()->steps.size() - 1)
      << "the optimised graph is shown";
  EXPECT_TRUE(document.history().dominators(graph::Direction::Dominators));
  EXPECT_TRUE(document.history().dominators(graph::Direction::PostDominators));
  ASSERT_TRUE(document.kernels().loop_listing());
  EXPECT_FALSE(document.kernels().loop_listing()->lines.empty());
  ASSERT_TRUE(document.kernels().llvm_lines());
  EXPECT_FALSE(document.kernels().llvm_lines()->empty());
  EXPECT_FALSE(document.kernels().assembly_lines()->empty());
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
  EXPECT_FALSE(document.history().graph());
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
  EXPECT_FALSE(document.history().can_walk(Walk::PassForward));
  document.history().walk(Walk::PassForward);
  EXPECT_EQ(document.history().step(), document.history().recorded()->steps.size() - 1);
  document.history().set_step(0);
  ASSERT_TRUE(settled(document));
  EXPECT_FALSE(document.history().can_walk(Walk::PassBack));
  EXPECT_EQ(document.history().graph(), document.history().recorded()->steps.front().result);
  const auto tree = document.history().dominators(graph::Direction::Dominators);
  ASSERT_TRUE(tree);
  for (const auto& node : document.history().graph()->nodes())
    EXPECT_GE(tree->depth(node->id), 1) << node->name;
}

TEST(Document, ClosingForgetsEverything) {
  Opened opened("mlp");
  opened.document.close();
  EXPECT_FALSE(opened.document.model());
  EXPECT_FALSE(opened.document.history().graph());
  EXPECT_FALSE(opened.document.fusion().plan());
  EXPECT_FALSE(opened.document.kernels().kernel());
  EXPECT_FALSE(opened.document.kernels().machine_code());
  EXPECT_EQ(opened.document.state(Stage::Model), StageState::Empty);
}

TEST(Document, AnotherStrategyMakesAnotherPlan) {
  Opened opened("lenet");
  const auto& strategies = opened.document.toolchain().strategies;
  const std::size_t fused = opened.document.fusion().plan()->groups.size();
  ASSERT_GE(strategies.size(), 2u);
  opened.document.set_strategy("none");
  ASSERT_TRUE(settled(opened.document));
  ASSERT_TRUE(opened.document.fusion().plan());
  EXPECT_EQ(opened.document.fusion().plan()->groups.size(),
            opened.document.history().last_graph()->nodes().size());
  EXPECT_LT(fused, opened.document.fusion().plan()->groups.size());
  EXPECT_EQ(opened.document.state(Stage::MachineCode), StageState::Ready)
      << "the new kernel is compiled too";
}

// As when the machine has been calibrated meanwhile: estimates follow, and nobody loses his place.
TEST(Document, AnotherCostModelWeighsThePlanThereIs) {
  Opened opened("lenet");
  Document& document = opened.document;
  const double before = document.fusion().summary()->estimated_microseconds;
  const auto kernel = document.kernels().kernel();
  const fusion::GroupId group = document.kernels().group();
  ASSERT_TRUE(kernel);
  Machine machine;
  machine.processor = "a slow one";
  machine.peak_gflops = {machine.peak_gflops / 10, Provenance::Measured};
  int planned = 0;
  QObject::connect(&document.fusion(), &FusionStage::planChanged, &document, [&] { ++planned; });
  document.set_cost_model(std::make_shared<const fusion::CostModel>(machine));
  EXPECT_TRUE(document.fusion().plan()) << "what there is stays until then";
  ASSERT_TRUE(settled(document));
  EXPECT_TRUE(document.cost_model()->is_calibrated());
  EXPECT_GT(document.fusion().summary()->estimated_microseconds, before);
  EXPECT_EQ(document.kernels().kernel(), kernel);
  EXPECT_EQ(document.kernels().group(), group);
  EXPECT_EQ(planned, 1);
  document.set_strategy("dp");
  ASSERT_TRUE(settled(document));
  EXPECT_EQ(document.session()->cost_model(), document.cost_model());
}

TEST(Document, ABenchmarkTellsEachRoundAndThenReports) {
  Opened opened("mlp");
  int rounds = 0;
  QObject::connect(&opened.document.benchmark(), &BenchmarkStage::benchmarkRound,
                   [&](int, double milliseconds) {
                     EXPECT_GT(milliseconds, 0);
                     ++rounds;
                   });
  opened.document.benchmark().start(1, 5);
  EXPECT_EQ(opened.document.state(Stage::Benchmark), StageState::Working);
  ASSERT_TRUE(settled(opened.document));
  EXPECT_EQ(rounds, 5);
  ASSERT_TRUE(opened.document.benchmark().report());
  EXPECT_EQ(opened.document.benchmark().report()->kernels.size(),
            opened.document.fusion().plan()->groups.size());
  EXPECT_NE(opened.document.benchmark().timing_of(opened.document.kernels().group()), nullptr);
}

TEST(Document, ACancelledBenchmarkLeavesNoReport) {
  Opened opened("mlp");
  opened.document.benchmark().start(1, 1000000);
  ASSERT_TRUE(eventually([&] { return !opened.document.benchmark().round_times().empty(); }));
  opened.document.benchmark().cancel();
  EXPECT_EQ(opened.document.state(Stage::Benchmark), StageState::Empty);
  ASSERT_TRUE(settled(opened.document));
  EXPECT_FALSE(opened.document.benchmark().report());
  EXPECT_TRUE(opened.document.benchmark().round_times().empty()) << "rounds of no report";
}

TEST(Document, ACancelledBenchmarkLeavesTheReportThereWasWithItsRounds) {
  Opened opened("mlp");
  BenchmarkStage& benchmark = opened.document.benchmark();
  benchmark.start(1, 5);
  ASSERT_TRUE(settled(opened.document));
  const auto report = benchmark.report();
  const auto rounds = benchmark.round_times();
  benchmark.start(1, 1000000);
  ASSERT_TRUE(eventually([&] { return benchmark.round_times().size() > rounds.size(); }));
  benchmark.cancel();
  EXPECT_EQ(benchmark.report(), report);
  EXPECT_EQ(benchmark.round_times(), rounds);
  // With all else that is going on, too.
  benchmark.start(1, 1000000);
  ASSERT_TRUE(eventually([&] { return benchmark.round_times().size() > rounds.size(); }));
  opened.document.cancel_work();
  EXPECT_EQ(opened.document.state(Stage::Benchmark), StageState::Ready);
  EXPECT_EQ(benchmark.report(), report);
  EXPECT_EQ(benchmark.round_times(), rounds);
}

}  // namespace
}  // namespace loopglass::views
