// How two cameras follow one another: which place of one drawing is that of another.
#include "views/canvas/camera_link.h"

#include <gtest/gtest.h>

#include <cmath>

namespace loopglass::views {
namespace {

double distance(QPointF a, QPointF b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }

TEST(LinkedMiddle, IsNowhereWhereNothingIsShared) { EXPECT_FALSE(linked_middle({10, 20}, {})); }

TEST(LinkedMiddle, IsTheSameInTheSameDrawing) {
  const std::vector<LinkedPlace> places{
      {{0, 0}, {0, 0}}, {{0, 100}, {0, 100}}, {{50, 200}, {50, 200}}};
  for (const QPointF middle : {QPointF(0, 0), QPointF(13, 77), QPointF(-500, 900)})
    EXPECT_LT(distance(*linked_middle(middle, places), middle), 1e-9);
}

// A drawing with more room between the same operators.
TEST(LinkedMiddle, AtASharedOperatorIsThatOperator) {
  const std::vector<LinkedPlace> places{
      {{0, 0}, {300, 0}}, {{0, 100}, {300, 140}}, {{0, 200}, {300, 280}}};
  for (const LinkedPlace& place : places)
    EXPECT_LT(distance(*linked_middle(place.first, places), place.second), 0.01);
}

TEST(LinkedMiddle, PassesOverGraduallyFromOneOperatorToTheNext) {
  const std::vector<LinkedPlace> places{
      {{0, 0}, {0, 0}}, {{0, 100}, {0, 140}}, {{0, 200}, {0, 280}}};
  QPointF before = *linked_middle({0, 0}, places);
  for (double y = 1; y <= 200; ++y) {
    const QPointF now = *linked_middle({0, y}, places);
    EXPECT_GT(now.y(), before.y()) << "it never turns back, at " << y;
    EXPECT_LT(distance(now, before), 4) << "nor jumps, at " << y;
    before = now;
  }
}

// Where one drawing goes on in another column, what is beside the cut is not an average of both
// columns.
TEST(LinkedMiddle, DoesNotMixColumns) {
  const std::vector<LinkedPlace> places{{{0, 0}, {0, 0}}, {{0, 100}, {600, -900}}};
  EXPECT_LT(distance(*linked_middle({0, 49}, places), {0, 49}), 1e-9);
  EXPECT_LT(distance(*linked_middle({0, 51}, places), {600, -949}), 1e-9);
}

// What one operator became, or came from, stands around the same middle.
TEST(LinkedMiddle, OfSeveralThatStandForOneIsBetweenThem) {
  const std::vector<LinkedPlace> places{{{0, 0}, {0, -40}}, {{0, 0}, {0, 40}}};
  EXPECT_LT(distance(*linked_middle({0, 0}, places), {0, 0}), 1e-9);
}

}  // namespace
}  // namespace loopglass::views
