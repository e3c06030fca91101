// What the roofs say of times of a schedule's lines: the times are given, so that no machine is
// asked.
#include "core/line_ceilings.h"

#include "core/loop/flops.h"
#include "core/loop/text.h"
#include "passes/pipeline.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class LineCeilings : public ::testing::Test {
 protected:
  LineCeilings() {
    asked_.nest = schedule::matrix_product(64, 64, 64);
    asked_.script = schedule::product_loops +
                    "j_o, j_i = split(j, [-1, 16])\nreorder([i, j_o, k, j_i])\nvectorize(j_i)\n"
                    "parallel(i)";
    asked_.machine = toolchain_.machine;
    roofs_.float32_gflops = 100;
    roofs_.float64_gflops = 50;
    roofs_.byte_products_gflops = 150;
    for (const char* level : {"L1", "L2", "L3", "memory"}) roofs_.levels.push_back({level, 0, 1e6});
    lines_.resize(5);  // none, split, reorder, vectorize, parallel
    for (measure::LineTime& line : lines_) {
      line.time.rounds = 3;
      line.time.median_ms = at_roof(0.1);
      line.threads = 1;
    }
  }

  // What it takes at such a part of the peak.
  double at_roof(double part) const {
    return static_cast<double>(loop::flops(asked_.nest, {})) / (part * roofs_.float32_gflops) *
           1e-6;
  }
  void add() {
    const auto added = add_roofs(asked_, toolchain_, roofs_, lines_);
    ASSERT_TRUE(added) << to_string(added.error());
  }

  const Toolchain toolchain_ = passes::toolchain();
  measure::ScriptAsked asked_;
  roofline::Roofs roofs_;
  std::vector<measure::LineTime> lines_;
};

TEST_F(LineCeilings, NameTheRoofThatALineIsAt) {
  lines_[3].time.median_ms = at_roof(0.8);
  lines_[3].limits = {{schedule::Limit::Registers, "some go to the stack"},
                      {schedule::Limit::Loads, "2 loads for 1 multiply-add"}};
  add();
  ASSERT_THAT(lines_[3].limits, SizeIs(2)) << "registers on the stack cost nothing there";
  EXPECT_EQ(lines_[3].limits[0].limit, schedule::Limit::Roof);
  EXPECT_THAT(lines_[3].limits[0].text, HasSubstr("COMPUTE: 80.0 GFLOP/s of 100"));
  EXPECT_EQ(lines_[3].limits[1].limit, schedule::Limit::Loads);
  EXPECT_THAT(lines_[2].limits, SizeIs(0)) << "far from all roofs";
}

TEST_F(LineCeilings, NameTheLevelThatHandsOnItsData) {
  roofs_.levels[0].gigabytes_per_second = 30;
  add();
  ASSERT_FALSE(lines_[3].limits.empty());
  EXPECT_THAT(lines_[3].limits[0].text, HasSubstr("L1: "));
}

TEST_F(LineCeilings, SayWhereThreadsHaveNothingToDo) {
  for (measure::LineTime& line : lines_) line.threads = 2;
  add();
  ASSERT_THAT(lines_[3].limits, SizeIs(1));
  EXPECT_EQ(lines_[3].limits[0].limit, schedule::Limit::Threads);
  EXPECT_THAT(lines_[4].limits, SizeIs(0)) << "its loop is parallel";
}

TEST_F(LineCeilings, PassOverLinesThatWereNotTimed) {
  lines_[3].time = {};
  add();
  EXPECT_THAT(lines_[3].limits, SizeIs(0));
}

// Nobody counts what a symbol stands for but by its value.
TEST_F(LineCeilings, OfSymbolsAreOfTheirValues) {
  asked_.nest = loop::parse(R"(
func f[n](X: float32[n] input, Y: float32[n] output) {
  for i in n {
    block Y(i0 = i) {
      Y[i0] = X[i0] * 2.0f
    }
  }
})")
                    .value();
  asked_.script = "";
  asked_.extents = {1 << 16};
  roofs_.levels[0].gigabytes_per_second = 1;
  lines_.resize(1);
  lines_[0].time.median_ms = (1 << 16) * 4 * 1e-6;
  add();
  ASSERT_THAT(lines_[0].limits, SizeIs(1));
  EXPECT_THAT(lines_[0].limits[0].text, HasSubstr("L1: "));
}

}  // namespace
}  // namespace loopglass
