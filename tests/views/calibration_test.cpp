// Calibration in the background: once, while nothing else is worked on, and never against anybody's
// will.
#include "app/window/calibration_watch.h"

#include "tests/views/opened.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace loopglass::views {
namespace {

using app::CalibrationWatch;

std::shared_ptr<const fusion::CostModel> calibrated() {
  Machine machine;
  machine.processor = "this machine";
  machine.peak_gflops.from = Provenance::Measured;
  return std::make_shared<const fusion::CostModel>(machine);
}

TEST(Calibration, HappensOnceAndEstimatesFollow) {
  Opened opened("lenet");
  std::atomic<int> measured = 0;
  CalibrationWatch watch(
      &opened.document, [&](const JobContext&) -> Result<std::shared_ptr<const fusion::CostModel>> {
        ++measured;
        return calibrated();
      });
  EXPECT_FALSE(opened.document.cost_model()->is_calibrated());
  ASSERT_TRUE(eventually([&] { return opened.document.cost_model()->is_calibrated(); }));
  ASSERT_TRUE(settled(opened.document));
  opened.document.set_strategy("dp");
  ASSERT_TRUE(settled(opened.document));
  EXPECT_EQ(measured, 1);
}

// A job of somebody's takes the machine away, and gives it back.
TEST(Calibration, MakesWayForOtherWork) {
  Opened opened("lenet");
  std::atomic<int> measured = 0;
  CalibrationWatch watch(
      &opened.document,
      [&](const JobContext& context) -> Result<std::shared_ptr<const fusion::CostModel>> {
        if (++measured > 1) return calibrated();
        while (!context.cancellation.requested()) std::this_thread::yield();
        return fail(Code::Cancelled, "cancelled");
      });
  ASSERT_TRUE(eventually([&] { return measured == 1; }));
  opened.document.set_strategy("none");
  EXPECT_FALSE(opened.document.jobs().busy(CalibrationWatch::lane));
  ASSERT_TRUE(eventually([&] { return opened.document.cost_model()->is_calibrated(); }));
  EXPECT_EQ(measured, 2);
}

TEST(Calibration, StopsForGoodWhereAPersonCancelsIt) {
  Opened opened("lenet");
  std::atomic<int> measured = 0;
  CalibrationWatch watch(
      &opened.document,
      [&](const JobContext& context) -> Result<std::shared_ptr<const fusion::CostModel>> {
        ++measured;
        while (!context.cancellation.requested()) std::this_thread::yield();
        return fail(Code::Cancelled, "cancelled");
      });
  ASSERT_TRUE(eventually([&] { return measured == 1; }));
  opened.document.cancel_work();
  EXPECT_FALSE(eventually([&] { return measured > 1; }, 3000));
  EXPECT_FALSE(opened.document.cost_model()->is_calibrated());
}

}  // namespace
}  // namespace loopglass::views
