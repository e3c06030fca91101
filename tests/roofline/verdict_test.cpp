// Each thing that may bind a kernel, provoked.
#include "core/roofline/verdict.h"

#include "core/default_schedule/default_schedule.h"
#include "core/kernel/stages.h"
#include "core/machine/host.h"
#include "passes/pipeline.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

namespace loopglass::roofline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class VerdictTest : public ::testing::Test {
 protected:
  // Of a machine that is nobody's: the tests are about what follows from such roofs.
  static Roofs roofs_of(double gflops, double gigabytes_per_second) {
    Roofs roofs;
    roofs.float32_gflops = gflops;
    roofs.float64_gflops = gflops / 2;
    roofs.byte_products_gflops = 2 * gflops;
    for (const char* level : {"L1", "L2", "L3", "memory"})
      roofs.levels.push_back({level, 0, gigabytes_per_second});
    roofs.launch_microseconds = 1e-6;
    return roofs;
  }

  Verdict verdict(const loop::Func& func, const std::string& script, const Roofs& roofs,
                  int threads = 1) {
    const loop::Func scheduled = schedule::scheduled(func, script);
    Asked asked{func, scheduled, lowered(scheduled), script};
    asked.machine = machine_;
    asked.threads = threads;
    auto found = verdict_of(asked, roofs, workers_);
    EXPECT_TRUE(found) << to_string(found.error());
    return found ? *std::move(found) : Verdict{};
  }

  // Judged by roofs that follow from what it takes. Others may have the machine at one of the two
  // times and not at the other, so that it has several turns to be bound by what is expected, as so
  // many experiments say where it is told.
  template <class RoofsFor>
  Verdict verdict_by_its_own(const loop::Func& func, const RoofsFor& roofs_for, Bound expected,
                             std::optional<std::size_t> experiments = {}) {
    return verdict_by_its_own(func, default_script(func), roofs_for, expected, experiments);
  }

  template <class RoofsFor>
  Verdict verdict_by_its_own(const loop::Func& func, const std::string& script,
                             const RoofsFor& roofs_for, Bound expected,
                             std::optional<std::size_t> experiments = {}) {
    constexpr int turns = 8;
    Verdict found;
    for (int turn = 0; turn < turns; ++turn) {
      found = verdict(func, script, roofs_for(verdict(func, script, high_)));
      if (found.bound == expected &&
          found.trials.size() == experiments.value_or(found.trials.size()))
        break;
    }
    return found;
  }

  loop::Func lowered(const loop::Func& scheduled) const {
    const auto kernel = kernel::lower({scheduled, {}, {}, {}}, {machine_, passes::loop_passes()});
    EXPECT_TRUE(kernel) << to_string(kernel.error());
    return kernel ? kernel->lowered() : scheduled;
  }

  std::string default_script(const loop::Func& func) const {
    return to_script(*schedule::default_schedule(func, machine_));
  }

  static double slow(const Verdict& verdict) {
    return verdict.traffic.flops / verdict.milliseconds * 1e-6;
  }

  Machine machine_ = host_machine();
  measure::WorkerPool workers_{measure::Program{LOOPGLASSC, {"worker"}}};
  // So high that nothing comes near, and so low that everything does.
  const Roofs high_ = roofs_of(1e6, 1e6), low_ = roofs_of(1e-3, 1e6);
};

TEST_F(VerdictTest, AtThePeakIsCompute) {
  const loop::Func product = schedule::matrix_product(128, 128, 128);
  // A peak that it is near to: a little more than it has.
  const Verdict found = verdict_by_its_own(
      product, [](const Verdict& first) { return roofs_of(1.1 * slow(first), 1e6); },
      Bound::Compute);
  EXPECT_EQ(found.bound, Bound::Compute) << found.sentence;
  EXPECT_EQ(found.ceilings.front().bound, Bound::Compute);
  EXPECT_LE(found.otherwise_ms, found.milliseconds);
}

TEST_F(VerdictTest, SaysWhereConstantsComeFromInANetwork) {
  const auto notes_of = [this](std::int64_t rows, double memory) {
    const loop::Func product = schedule::matrix_product(rows, 256, 256);
    Roofs roofs = high_;
    roofs.levels.back().gigabytes_per_second = memory;
    return fmt::format("{}",
                       fmt::join(verdict(product, default_script(product), roofs).notes, "; "));
  };
  EXPECT_THAT(notes_of(4, 1), HasSubstr("256 KiB of constants in a cache"));
  EXPECT_THAT(notes_of(256, 1e6), Not(HasSubstr("constants"))) << "that takes next to nothing";
}

TEST_F(VerdictTest, OfAStreamIsWhereItsBytesComeFrom) {
  machine_.l3.bytes = 1 << 20;
  const auto memory_for = [this](const Verdict& first) {
    Roofs roofs = high_;
    roofs.levels[3].gigabytes_per_second = 1.1 * first.traffic.memory / first.milliseconds * 1e-6;
    return roofs;
  };
  const Verdict found =
      verdict_by_its_own(schedule::two_elementwise({1024, 1024}), memory_for, Bound::Memory);
  EXPECT_EQ(found.bound, Bound::Memory) << found.sentence;
  EXPECT_THAT(found.sentence, HasSubstr("from memory"));
}

TEST_F(VerdictTest, WithoutVectorsIsScalar) {
  EXPECT_EQ(verdict(schedule::matrix_product(24, 24, 24), "", high_).bound, Bound::Scalar);
}

// One sum of a vector: each multiply-add waits for the one before.
TEST_F(VerdictTest, OfOneSumIsLatency) {
  const std::int64_t lanes = machine_.lanes(4);
  const Verdict found =
      verdict(schedule::matrix_product(4, lanes, 128),
              schedule::product_loops +
                  "o = cache_write(C, register)\nreorder([i, k, j])\nvectorize(j)\n"
                  "decompose_reduction(C, k)",
              high_);
  EXPECT_EQ(found.bound, Bound::Latency) << found.sentence;
  EXPECT_THAT(found.sentence, HasSubstr("1 independent sum"));
}

TEST_F(VerdictTest, OfTooLargeATileIsSpills) {
  const std::int64_t lanes = machine_.lanes(4), rows = 2 * machine_.vector_registers;
  const Verdict found =
      verdict(schedule::matrix_product(rows, lanes, 128),
              schedule::product_loops +
                  "o = cache_write(C, register)\nreorder([k, i, j])\nunroll(i)\nvectorize(j)\n"
                  "decompose_reduction(C, k)",
              high_);
  EXPECT_EQ(found.bound, Bound::Spills) << found.sentence;
}

// Many rows of one vector: a value to be loaded for each multiply-add.
TEST_F(VerdictTest, OfANarrowTileIsLoads) {
  const std::int64_t lanes = machine_.lanes(4), rows = machine_.vector_registers / 2 + 4;
  const Verdict found =
      verdict(schedule::matrix_product(rows, lanes, 128),
              schedule::product_loops +
                  "o = cache_write(C, register)\nreorder([k, i, j])\nunroll(i)\nvectorize(j)\n"
                  "decompose_reduction(C, k)",
              high_);
  EXPECT_EQ(found.bound, Bound::Loads) << found.sentence;
}

// Nothing is faster than a roof, so that its machine code does something else.
TEST_F(VerdictTest, FarAboveARoofIsUnexplained) {
  const loop::Func product = schedule::matrix_product(128, 128, 128);
  const Verdict found = verdict(product, default_script(product), low_);
  EXPECT_EQ(found.bound, Bound::Unexplained);
  EXPECT_THAT(found.sentence, HasSubstr("does not do all that stands in the nest"));
}

// Five lanes of eight are wanted.
TEST_F(VerdictTest, OfIdleLanesAtThePeakIsTail) {
  const Verdict found = verdict(schedule::matrix_product(16, 5, 64),
                                schedule::product_loops +
                                    "o = cache_write(C, register)\nreorder([i, k, j])\n"
                                    "vectorize(j)\ndecompose_reduction(C, k)",
                                low_);
  EXPECT_EQ(found.bound, Bound::Tail) << found.sentence;
  EXPECT_THAT(found.sentence, HasSubstr("38 % of what it computes is never wanted"));
}

TEST_F(VerdictTest, OfPaddedTilesAtThePeakIsTail) {
  const Verdict found =
      verdict(schedule::matrix_product(16, 20, 64),
              schedule::product_loops + "o = cache_write(C, register)\npad_axis(C, 1, 64)", low_);
  EXPECT_EQ(found.bound, Bound::Tail) << found.sentence;
  EXPECT_THAT(found.sentence, HasSubstr("69 % of what it computes is never wanted"));
}

// What the loop passes cut off is not computed, so that nothing is in vain.
TEST_F(VerdictTest, OfTilesThatAreTrimmedIsNoTail) {
  const loop::Func product = schedule::matrix_product(49, 24, 64);
  const std::string script = schedule::product_loops +
                             "io, ii = split(i, [-1, 32])\njo, ji = split(j, [-1, 32])\n"
                             "reorder([io, jo, k, ii, ji])\nvectorize(ji)";
  const Verdict found = verdict_by_its_own(
      product, script, [](const Verdict& first) { return roofs_of(1.1 * slow(first), 1e6); },
      Bound::Compute);
  EXPECT_EQ(found.traffic.flops, found.traffic.useful_flops);
  EXPECT_EQ(found.bound, Bound::Compute) << found.sentence;
  EXPECT_GE(found.otherwise_ms,
            0.99 * std::min(found.milliseconds, found.ceilings.front().milliseconds))
      << "never less than what is wanted takes at the peak";
}

TEST_F(VerdictTest, OfNextToNothingIsLaunch) {
  Roofs roofs = high_;
  roofs.launch_microseconds = 1e6;
  EXPECT_EQ(verdict(schedule::two_elementwise({4}), "", roofs).bound, Bound::Launch);
}

TEST_F(VerdictTest, OfThreePiecesForTwoThreadsIsImbalance) {
  if (machine_.cores < 2) GTEST_SKIP() << "one thread has nobody to wait for";
  const Verdict found = verdict(schedule::matrix_product(3, 64, 4096),
                                schedule::product_loops + "parallel(i)", high_, 2);
  EXPECT_EQ(found.bound, Bound::Imbalance) << found.sentence;
  EXPECT_THAT(found.sentence, HasSubstr("3 pieces for 2 threads: 25 %"));
}

// Far from all roofs, and faster where its data is near.
TEST_F(VerdictTest, OfDataFarAwayIsItsLevel) {
  machine_.l1.bytes = 8 << 10;
  machine_.l2.bytes = 64 << 10;
  const loop::Func stream = schedule::two_elementwise({2048, 1024});
  const auto third_for = [this](const Verdict& first) {
    Roofs roofs = high_;
    roofs.levels[2].gigabytes_per_second = 2 * first.traffic.l3 / first.milliseconds * 1e-6;
    return roofs;
  };
  const Verdict found = verdict_by_its_own(stream, third_for, Bound::L3, 1);
  EXPECT_EQ(found.bound, Bound::L3) << found.sentence;
  EXPECT_THAT(found.sentence, HasSubstr("with all data in the first cache"));
  ASSERT_EQ(found.trials.size(), 1u);
  EXPECT_LT(found.trials[0].milliseconds, found.milliseconds);
}

TEST_F(VerdictTest, OfLanesThatMoveIsShuffles) {
  const loop::Func product = schedule::matrix_product(64, 64, 64);
  const loop::Func scheduled = schedule::scheduled(product, default_script(product));
  Asked asked{product, scheduled, lowered(scheduled), default_script(product)};
  asked.machine = machine_;
  asked.code = [] { return codegen::InnermostInstructions{8, 4}; };
  const auto found = verdict_of(asked, high_, workers_);
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->bound, Bound::Shuffles) << found->sentence;
  EXPECT_THAT(found->sentence, HasSubstr("4 of 8 instructions"));
}

TEST_F(VerdictTest, OfLanesThatAskOneByOneIsGathers) {
  const loop::Func product = schedule::matrix_product(64, 64, 64);
  const loop::Func scheduled = schedule::scheduled(product, default_script(product));
  Asked asked{product, scheduled, lowered(scheduled), default_script(product)};
  asked.machine = machine_;
  asked.code = [] {
    return codegen::InnermostInstructions{.all = 40, .gathering = 3, .on_vectors = 30};
  };
  const auto found = verdict_of(asked, high_, workers_);
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->bound, Bound::Gathers) << found->sentence;
  EXPECT_THAT(found->sentence, HasSubstr("3 of 40 instructions"));
}

// No loop is vectorized by the schedule; LLVM may have done it.
TEST_F(VerdictTest, OfWhatLlvmVectorizesIsNotScalar) {
  const loop::Func product = schedule::matrix_product(64, 64, 64);
  Asked asked{product, product, lowered(product), ""};
  asked.machine = machine_;
  for (const int on_vectors : {2, 30}) {
    asked.code = [=] {
      return codegen::InnermostInstructions{.all = 40, .on_vectors = on_vectors};
    };
    const auto found = verdict_of(asked, high_, workers_);
    ASSERT_TRUE(found) << to_string(found.error());
    EXPECT_EQ(found->bound == Bound::Scalar, on_vectors == 2) << found->sentence;
  }
}

TEST_F(VerdictTest, OfNumbersThatAreConvertedIsConversions) {
  const loop::Func product = schedule::matrix_product(64, 64, 64);
  const loop::Func scheduled = schedule::scheduled(product, default_script(product));
  Asked asked{product, scheduled, lowered(scheduled), default_script(product)};
  asked.machine = machine_;
  asked.code = [] { return codegen::InnermostInstructions{9, 0, 3}; };
  const auto found = verdict_of(asked, high_, workers_);
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->bound, Bound::Conversions) << found->sentence;
  EXPECT_THAT(found->sentence, HasSubstr("3 of 9 instructions"));
}

TEST_F(VerdictTest, NamesAreReadBack) {
  for (const Bound bound : all_bounds) {
    EXPECT_EQ(bound_named(name(bound)), bound);
    EXPECT_FALSE(doc(bound).empty());
    EXPECT_FALSE(advice(bound).empty());
  }
  EXPECT_FALSE(bound_named("NOTHING"));
}

// Sizes of caches are the machine's alone, whenever roofs are measured.
TEST_F(VerdictTest, RoofsHaveTheMachinesCaches) {
  Roofs roofs;
  roofs.levels = levels_of(machine_);
  EXPECT_EQ(roofs.levels[2].bytes,
            std::max<std::int64_t>(machine_.l3.bytes, 2 * machine_.l2.bytes));
  EXPECT_TRUE(are_of(roofs, machine_));
  roofs.levels[2].bytes *= 2;
  EXPECT_FALSE(are_of(roofs, machine_));
}

TEST_F(VerdictTest, RoofsAreMeasured) {
  const auto roofs = measure_roofs(machine_, 1, workers_);
  ASSERT_TRUE(roofs) << to_string(roofs.error());
  ASSERT_EQ(roofs->levels.size(), 4u);
  EXPECT_TRUE(are_of(*roofs, machine_));
  for (std::size_t l = 1; l < 4; ++l)
    EXPECT_LE(roofs->levels[l].gigabytes_per_second, roofs->levels[l - 1].gigabytes_per_second);
  EXPECT_GT(roofs->levels[3].gigabytes_per_second, 0);
  EXPECT_GT(roofs->float32_gflops, 0);
  EXPECT_GT(roofs->byte_products_gflops, roofs->float64_gflops);
  EXPECT_GT(roofs->gigahertz, 0.5);
  EXPECT_LT(roofs->gigahertz, 8);
  // No kernel is above them, but for what a moment does.
  const loop::Func product = schedule::matrix_product(128, 128, 128);
  EXPECT_LT(slow(verdict(product, default_script(product), *roofs)), 1.5 * roofs->float32_gflops);
  const Roofs best = higher(*roofs, low_);
  EXPECT_EQ(best.float32_gflops, roofs->float32_gflops);
  EXPECT_EQ(best.levels[3].gigabytes_per_second, 1e6);
}

}  // namespace
}  // namespace loopglass::roofline
