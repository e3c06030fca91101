// Nests without one of the things that take their time: what changes in them, and that they run.
#include "core/roofline/experiment.h"

#include "core/default_schedule/default_schedule.h"
#include "core/kernel/stages.h"
#include "core/loop/text.h"
#include "core/roofline/work.h"
#include "passes/pipeline.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::roofline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

loop::Func by_default(const loop::Func& func) {
  return schedule::schedule_by_default(func, reference_machine())->func;
}

// It is right as a nest, and comes through its text and all loop passes.
void expect_runs(const loop::Func& func) {
  const auto valid = loop::verify(func);
  ASSERT_TRUE(valid) << to_string(valid.error()) << "\n" << loop::to_text(func);
  const auto again = loop::parse(loop::to_text(func));
  ASSERT_TRUE(again) << to_string(again.error());
  const auto lowered =
      kernel::lower({*again, {}, {}, {}}, {reference_machine(), passes::loop_passes()});
  ASSERT_TRUE(lowered) << to_string(lowered.error());
}

TEST(Experiment, NearDataTurnsRoundInTheFirstCache) {
  const loop::Func large = by_default(schedule::matrix_product(512, 512, 512));
  const auto near = changed_for(Experiment::NearData, large, reference_machine());
  ASSERT_TRUE(near);
  expect_runs(*near);
  EXPECT_NE(loop::to_text(*near), loop::to_text(large));
  EXPECT_THAT(loop::to_text(*near), HasSubstr("_near"));
  // What fits is near as it is.
  EXPECT_FALSE(changed_for(Experiment::NearData, by_default(schedule::matrix_product(16, 16, 16)),
                           reference_machine()));
}

// A loop that goes far goes as far as fits, and not to one element, which would be no loop.
TEST(Experiment, NearDataStillReads) {
  const loop::Func stream =
      schedule::scheduled(schedule::two_elementwise({1 << 20}),
                          "y = block(\"Y\")\ncompute_inline(y)\nz = block(\"Z\")\ni = loops(z)\n"
                          "o, l = split(i, [-1, 16])\nvectorize(l)");
  const auto near = changed_for(Experiment::NearData, stream, reference_machine());
  ASSERT_TRUE(near);
  expect_runs(*near);
  EXPECT_THAT(loop::to_text(*near), HasSubstr("floormod 1"));
}

TEST(Experiment, FewLoadsReadsTheSameInEachTurn) {
  const loop::Func product = by_default(schedule::matrix_product(64, 64, 64));
  const auto fewer = changed_for(Experiment::FewLoads, product, reference_machine());
  ASSERT_TRUE(fewer);
  expect_runs(*fewer);
  EXPECT_THAT(loop::to_text(*fewer), HasSubstr("r0_near = 0"));
  EXPECT_FALSE(changed_for(Experiment::FewLoads, by_default(schedule::two_elementwise({64, 64})),
                           reference_machine()));
}

TEST(Experiment, NoArithmeticStoresWhatIsRead) {
  const loop::Func steps = by_default(schedule::two_elementwise({64, 64}));
  const auto plain = changed_for(Experiment::NoArithmetic, steps, reference_machine());
  ASSERT_TRUE(plain);
  expect_runs(*plain);
  EXPECT_THAT(loop::to_text(*plain), Not(HasSubstr("2.0f")));
  EXPECT_FALSE(changed_for(Experiment::NoArithmetic, by_default(schedule::matrix_product(8, 8, 8)),
                           reference_machine()));
  // Of a convolution the bias and the maximum; its sums stay.
  const auto sums = changed_for(Experiment::NoArithmetic,
                                by_default(schedule::convolution({1, 16, 14, 14, 32, 1, 1, 0})),
                                reference_machine());
  ASSERT_TRUE(sums);
  expect_runs(*sums);
  EXPECT_THAT(loop::to_text(*sums), Not(HasSubstr("max(")));
  EXPECT_THAT(loop::to_text(*sums), HasSubstr("by sum"));
}

// Convolutions with borders, packed constants, epilogues: whatever the default schedule makes.
TEST(Experiment, ChangesWhateverTheDefaultScheduleMakes) {
  for (const loop::Func& func :
       {schedule::convolution({1, 64, 56, 56, 64, 3, 1, 1}),
        schedule::convolution({1, 3, 64, 64, 40, 7, 2, 3}),
        schedule::depthwise_convolution({1, 128, 28, 28, 0, 3, 1, 1}),
        schedule::row_by_row({64, 1000}), schedule::reduction({64, 3000}, 1)})
    for (const Experiment experiment : all_experiments)
      if (const auto changed = changed_for(experiment, by_default(func), reference_machine()))
        expect_runs(*changed);
}

// Conditions stay, and loads still stay within their buffers.
TEST(Experiment, KeepsLoadsWithinTheirBuffers) {
  const loop::Func padded = schedule::scheduled(
      schedule::parsed("func f(X: float32[100000] input, Y: float32[100100] output) {\n"
                       "  for i in 100100 {\n    block Y(i0 = i) {\n"
                       "      Y[i0] = select(i0 >= 100, exp(X[i0 - 100]), 0.0f)\n    }\n  }\n}"),
      "");
  for (const Experiment experiment : {Experiment::NearData, Experiment::NoArithmetic}) {
    const auto changed = changed_for(experiment, padded, reference_machine());
    ASSERT_TRUE(changed) << name(experiment);
    expect_runs(*changed);
    EXPECT_THAT(loop::to_text(*changed), HasSubstr("select(")) << name(experiment);
    // Interpreted, an index that is none would be told.
    EXPECT_TRUE(schedule::same_results(*changed, *changed)) << name(experiment);
  }
}

// Of a border as much is computed as before: conditions keep the true iterations, and only
// addresses come near.
TEST(Experiment, NearDataComputesAsMuchOfABorder) {
  for (const loop::Func& func : {schedule::depthwise_convolution({1, 128, 28, 28, 0, 3, 2, 1}),
                                 schedule::convolution({1, 64, 56, 56, 64, 3, 1, 1})}) {
    const loop::Func scheduled = by_default(func);
    const auto near = changed_for(Experiment::NearData, scheduled, reference_machine());
    ASSERT_TRUE(near);
    expect_runs(*near);
    const std::string text = loop::to_text(*near);
    EXPECT_THAT(text, HasSubstr("select("));
    for (std::size_t at = text.find("select("); at != std::string::npos;
         at = text.find("select(", at + 1)) {
      const std::string condition = text.substr(at, text.find(',', at) - at);
      EXPECT_THAT(condition, Not(HasSubstr("_near"))) << text;
    }
    const auto work = [](const loop::Func& nest) {
      const auto lowered =
          kernel::lower({nest, {}, {}, {}}, {reference_machine(), passes::loop_passes()});
      EXPECT_TRUE(lowered) << to_string(lowered.error());
      return work_of(lowered->lowered());
    };
    EXPECT_EQ(work(*near).flops, work(scheduled).flops);
    // Interpreted, an index that is none would be told.
    EXPECT_TRUE(schedule::same_results(*near, *near));
  }
}

TEST(Experiment, NamesAreReadBack) {
  for (const Experiment experiment : all_experiments) {
    EXPECT_EQ(experiment_named(name(experiment)), experiment);
    EXPECT_FALSE(doc(experiment).empty());
  }
  EXPECT_FALSE(experiment_named("without-everything"));
}

}  // namespace
}  // namespace loopglass::roofline
