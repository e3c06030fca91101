// What a player shows: iterations in order, and what each touches.
#include "core/locality/carried.h"

#include "core/loop/text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace loopglass::locality {
namespace {

using ::testing::ElementsAre;

loop::Func product(const char* loops) {
  const std::string text =
      std::string(
          R"(func f(A: float32[3, 2] input, B: float32[2, 4] input, C: float32[3, 4] output) {
)") + loops +
      R"(block C(i0 = i, i1 = j, reduce r0 = k) by sum from 0 {
          reads A[i0, r0], B[r0, i1]
          writes C[i0, i1]
          init { C[i0, i1] = 0.0f }
          C[i0, i1] = C[i0, i1] + A[i0, r0] * B[r0, i1]
        }
      }
    }
  }
})";
  auto func = loop::parse(text);
  EXPECT_TRUE(func) << to_string(func.error()) << text;
  return *std::move(func);
}

TEST(Iterations, AreInTheOrderOfTheNest) {
  const auto found =
      iterations_of(product("for j in 4 { for i in 3 { for k in 2 {"), "C", {}).value();
  EXPECT_EQ(found.block, "C");
  std::vector<std::string> axes;
  for (const Iterations::Axis& axis : found.axes)
    axes.push_back(axis.name +
                   (axis.is_loop     ? " loop "
                    : axis.is_summed ? " sum "
                                     : " ") +
                   std::to_string(axis.extent) + " of " + axis.whole_extent);
  EXPECT_THAT(axes, ElementsAre("i0 3 of 3", "i1 4 of 4", "r0 sum 2 of 2", "j loop 4 of 4",
                                "i loop 3 of 3", "k loop 2 of 2"));
  EXPECT_TRUE(found.whole);
  ASSERT_EQ(found.steps.size(), 24u);
  EXPECT_THAT(found.steps[0].values, ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(found.steps[1].values, ElementsAre(0, 0, 1, 0, 0, 1));
  EXPECT_THAT(found.steps[2].values, ElementsAre(1, 0, 0, 0, 1, 0));
  EXPECT_THAT(found.steps[23].values, ElementsAre(2, 3, 1, 3, 2, 1));
}

TEST(Iterations, SayWhatTheyTouch) {
  const auto found =
      iterations_of(product("for i in 3 { for j in 4 { for k in 2 {"), "C", {}).value();
  const Iteration& step = found.steps[2 * (1 * 4 + 2) + 1];  // i = 1, j = 2, k = 1
  ASSERT_THAT(step.values, ElementsAre(1, 2, 1, 1, 2, 1));
  std::vector<std::string> touched;
  for (const Touch& touch : step.touches)
    touched.push_back((touch.stores ? "stores " : "reads ") + found.buffers[touch.buffer].name +
                      std::to_string(touch.element));
  EXPECT_THAT(touched,
              ::testing::UnorderedElementsAre("reads C6", "reads A3", "reads B6", "stores C6"));
  EXPECT_EQ(touched.back(), "stores C6");
  for (const auto& buffer : found.buffers) {
    EXPECT_EQ(buffer.element_bytes, 4);
    EXPECT_EQ(buffer.shape.size(), 2u);
  }
}

TEST(Iterations, AreTheFirstOnes) {
  const auto found =
      iterations_of(product("for i in 3 { for j in 4 { for k in 2 {"), "C", {}, 5).value();
  EXPECT_EQ(found.steps.size(), 5u);
  EXPECT_FALSE(found.whole);
}

TEST(Iterations, OfNoBlockAreRefused) {
  EXPECT_EQ(iterations_of(product("for i in 3 { for j in 4 { for k in 2 {"), "D", {}).error().code,
            Code::ScheduleHandleUnknown);
}

TEST(Iterations, AreOfTheSumUnlessOneAsks) {
  EXPECT_EQ(main_block(product("for i in 3 { for j in 4 { for k in 2 {")), "C");
  EXPECT_EQ(
      main_block(
          loop::parse("func f(X: float32[2] output) {\n  for i in 2 {\n    X[i] = 0.0f\n  }\n}")
              .value()),
      "");
}

// Of "to after from by kind at element", in order.
std::vector<std::string> carried(const char* nest, const std::string& block) {
  const auto func = loop::parse(nest);
  EXPECT_TRUE(func) << to_string(func.error());
  const auto found = iterations_of(*func, block, {}).value();
  std::vector<std::string> lines;
  const CarriedDependences dependences(found);
  for (const Carried& one : dependences.all())
    lines.push_back(fmt::format("{} after {} by {} at {}{}", one.to, one.from, name(one.kind),
                                found.buffers[one.buffer].name, one.element) +
                    (one.of_sum ? " of a sum" : ""));
  return lines;
}

TEST(CarriedDependences, AreWhatIterationsTakeOver) {
  EXPECT_THAT(carried("func f(X: float32[4] input, Y: float32[4] output) {"
                      "  for i in 3 { block Y(i0 = i) { Y[i0 + 1] = Y[i0] + X[i0] } } }",
                      "Y"),
              ElementsAre("1 after 0 by flow at Y1", "2 after 1 by flow at Y2"));
  EXPECT_THAT(carried("func f(X: float32[4] input, Y: float32[4] output) {"
                      "  for i in 3 { block Y(i0 = i) { Y[i0] = Y[i0 + 1] + X[i0] } } }",
                      "Y"),
              ElementsAre("1 after 0 by anti at Y1", "2 after 1 by anti at Y2"));
  EXPECT_THAT(carried("func f(X: float32[4] input, Y: float32[4] output) {"
                      "  for i in 3 { block Y(i0 = i) { Y[0] = X[i0] } } }",
                      "Y"),
              ElementsAre("1 after 0 by output at Y0", "2 after 1 by output at Y0"));
}

TEST(CarriedDependences, OfASumSayThatTheyAre) {
  EXPECT_THAT(carried("func f(X: float32[2, 3] input, Y: float32[2] output) {"
                      "  for i in 2 { for k in 3 { block Y(i0 = i, reduce r0 = k) by sum {"
                      "    init { Y[i0] = 0.0f } Y[i0] = Y[i0] + X[i0, r0] } } } }",
                      "Y"),
              ElementsAre("1 after 0 by flow at Y0 of a sum", "2 after 1 by flow at Y0 of a sum",
                          "4 after 3 by flow at Y1 of a sum", "5 after 4 by flow at Y1 of a sum"));
}

}  // namespace
}  // namespace loopglass::locality
