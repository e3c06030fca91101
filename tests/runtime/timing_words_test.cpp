#include "core/runtime/timing_words.h"

#include <gtest/gtest.h>

namespace loopglass::runtime {
namespace {

TEST(TimingWords, NothingIsTimedWhereAllButViewsIsMissing) {
  BenchmarkReport report;
  EXPECT_FALSE(is_nothing_timed(report));
  report.kernels.emplace_back().is_view = true;
  EXPECT_FALSE(is_nothing_timed(report));
  report.kernels.emplace_back().missing = Diagnostic{Code::OperatorUnsupported, "Loop", {}, {}};
  EXPECT_TRUE(is_nothing_timed(report));
  report.kernels.emplace_back();
  EXPECT_FALSE(is_nothing_timed(report));
}

}  // namespace
}  // namespace loopglass::runtime
