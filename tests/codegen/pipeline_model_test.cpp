// Loops on LLVM's models of processors: what is known of them by their manuals comes out.
#include "core/codegen/pipeline_model.h"

#include "core/codegen/target.h"
#include "tests/codegen/listing_text.h"

#include <gmock/gmock.h>

#include <numeric>

namespace loopglass::codegen {
namespace {

using ::testing::HasSubstr;

// Of AVX2 and FMA, which Haswell was the first to have.
std::string loop_of(int sums) {
  std::string text = ".LBB0_1:                 # a loop\n";
  for (int s = 0; s < sums; ++s)
    text += "\tvfmadd231ps\tymm" + std::to_string(s) + ", ymm14, ymm15 # ymm\n";
  return text + "\tdec\trax\n\tjne\t.LBB0_1\n";
}

class PipelineModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!host_target().has("fma")) GTEST_SKIP() << "its assembly is of another processor";
  }
  PipelineModel model(const std::string& text, const std::string& processor = "haswell") {
    const SourceLines assembly = lines_of(text);
    const auto loop = main_loop(assembly);
    EXPECT_TRUE(loop);
    auto found = model_pipeline(assembly, *loop, processor);
    EXPECT_TRUE(found) << to_string(found.error());
    return *std::move(found);
  }
};

// Two multiply-adds begin in a cycle, and each takes five.
TEST_F(PipelineModelTest, KnowsPortsAndLatency) {
  const PipelineModel one = model(loop_of(1));
  EXPECT_NEAR(one.cycles, 5, 0.3) << "each waits for the one before";
  EXPECT_GT(one.waiting_for_results, one.waiting_for_ports);
  EXPECT_EQ(one.instructions[0].latency, 5);
  const PipelineModel many = model(loop_of(12));
  EXPECT_NEAR(many.cycles, 6, 0.5);
  EXPECT_EQ(many.processor, "haswell");
  EXPECT_NEAR(std::accumulate(many.instructions[0].pressure.begin(),
                              many.instructions[0].pressure.end(), 0.0),
              1, 1e-6)
      << "a multiply-add takes a port for a cycle";
}

TEST_F(PipelineModelTest, TellsTheFirstIterationsMomentByMoment) {
  const PipelineModel found = model(loop_of(2));
  ASSERT_EQ(found.instructions.size(), 4u);
  EXPECT_EQ(found.instructions[3].line, 4u);
  for (const ModelledInstruction& each : found.instructions)
    for (std::size_t i = 0; i < each.timeline.size(); ++i) {
      const auto& at = each.timeline[i];
      EXPECT_LE(at.dispatched, at.issued);
      EXPECT_LE(at.issued, at.executed);
      EXPECT_LE(at.executed, at.retired);
      EXPECT_GT(at.retired, i > 0 ? each.timeline[i - 1].dispatched : -1);
    }
}

TEST_F(PipelineModelTest, SaysWhatItDoesNotKnow) {
  const SourceLines assembly = lines_of(loop_of(2));
  const auto loop = *main_loop(assembly);
  const auto nobody = model_pipeline(assembly, loop, "nobody");
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().what, HasSubstr("no model of a processor 'nobody'"));
  const SourceLines nonsense = lines_of(".LBB0_1:\n\tfly rax, rbx\n\tjne\t.LBB0_1\n");
  const auto flown = model_pipeline(nonsense, *main_loop(nonsense), "haswell");
  ASSERT_FALSE(flown);
  EXPECT_THAT(flown.error().what, HasSubstr("not understood"));
}

// So many cycles as were measured choose the model.
TEST_F(PipelineModelTest, FindsTheModelThatFits) {
  const SourceLines assembly = lines_of(loop_of(12));
  const auto loop = *main_loop(assembly);
  for (const char* processor : {"haswell", "znver2"}) {
    const double cycles = model_pipeline(assembly, loop, processor)->cycles;
    const auto fitting = fitting_model(assembly, loop, cycles);
    ASSERT_TRUE(fitting);
    EXPECT_NEAR(model_pipeline(assembly, loop, *fitting)->cycles / cycles, 1, 0.12) << *fitting;
  }
}

TEST(MainLoop, IsThatWithTheMostMultiplyAdds) {
  const SourceLines assembly = lines_of(
      ".LBB0_1:\n\tmov rax, rbx\n\tmov rax, rbx\n\tmov rax, rbx\n\tjne .LBB0_1\n"
      ".LBB0_2:\n\tvfmadd231ps ymm0, ymm1, ymm2\n\tjne .LBB0_2\n");
  EXPECT_EQ(innermost_loops(assembly), (std::vector<LoopSpan>{{0, 4}, {5, 7}}));
  EXPECT_EQ(main_loop(assembly), (LoopSpan{5, 7}));
  EXPECT_EQ(multiply_adds(assembly, {5, 7}), 1);
  EXPECT_FALSE(main_loop(lines_of("\tret\n")));
}

}  // namespace
}  // namespace loopglass::codegen
