// Calibration of this machine, as the window does it in the background: interrupted, and gone on
// with.
#include "app/common/calibration.h"

#include <gtest/gtest.h>

namespace loopglass::app {
namespace {

TEST(HostCalibration, GoesOnWhereItWasInterrupted) {
  std::vector<runtime::CalibrationRow> begun;
  const auto until_row = [&](std::size_t last) {
    runtime::CalibrationOptions options;
    options.rounds = 1;
    options.begun = &begun;
    options.progress = [&](std::string_view, double) {
      if (begun.size() + 1 == last) options.cancellation.request();
    };
    return calibrate_host(options);
  };
  const auto first = until_row(2);
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code, Code::Cancelled);
  ASSERT_EQ(begun.size(), 2u);
  const std::vector<runtime::CalibrationRow> kept = begun;
  ASSERT_FALSE(until_row(4));
  ASSERT_EQ(begun.size(), 4u);
  for (std::size_t row = 0; row < kept.size(); ++row) {
    EXPECT_EQ(begun[row].name, kept[row].name);
    EXPECT_EQ(begun[row].microseconds, kept[row].microseconds) << "measured once";
  }
  EXPECT_NE(begun[2].name, begun[1].name);
}

}  // namespace
}  // namespace loopglass::app
