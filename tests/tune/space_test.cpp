// Spaces: every point is a script that computes what the kernel does, or says why it is none.
#include "core/loop/text.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/nests.h"
#include "tests/tune/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::tune {
namespace {

using ::testing::HasSubstr;

Space space_of(const std::string& kind, const Task& task) {
  const auto space = find_space_kind(kind)->make(task);
  EXPECT_TRUE(space) << to_string(space.error());
  return space.value_or(Space{});
}

// 6 of 70, as a softmax has them: the largest, distances from it, their sum.
Task rows() {
  Task task{"kernel", schedule::row_by_row({6, 70})};
  task.machine = machine_with_vectors("x86-64, AVX2", 32, 16);
  return task;
}

struct Case {
  std::string space;
  Task (*task)();
  std::size_t sketches;  // at the least
};

class Spaces : public ::testing::TestWithParam<Case> {};

TEST_P(Spaces, ComputeWhatTheKernelDoes) {
  const Task task = GetParam().task();
  const Space space = space_of(GetParam().space, task);
  EXPECT_TRUE(space.refused.empty()) << to_string(space.refused.front());
  ASSERT_GE(space.sketches.size(), GetParam().sketches);
  runtime::ThreadPool pool(2);
  Random random(7);
  int legal = 0, tried = 0;
  for (std::size_t s = 0; s < space.sketches.size(); ++s) {
    for (int i = 0; i < 12; ++i, ++tried) {
      Point point = space.random(random);
      while (point.sketch != static_cast<int>(s)) point = space.random(random);
      const auto scheduled = space.script(point);
      if (!scheduled) {
        EXPECT_FALSE(scheduled.error().what.empty());
        continue;
      }
      ++legal;
      SCOPED_TRACE(space.words(point));
      schedule::expect_compiled_right(task.nest, pool, schedule::to_script(scheduled->trace));
    }
  }
  EXPECT_GT(legal, tried / 2);
}

// The same choices, the same script, and the Func that the script makes.
TEST_P(Spaces, AreFunctionsOfTheirChoices) {
  const Task task = GetParam().task();
  const Space space = space_of(GetParam().space, task);
  Random random(3);
  for (int i = 0; i < 8; ++i) {
    const Point point = space.random(random);
    const auto once = space.script(point), again = space.script(point);
    ASSERT_EQ(once.has_value(), again.has_value());
    if (!once) continue;
    EXPECT_EQ(to_script(once->trace), to_script(again->trace));
    const auto replayed = schedule::replay(task.nest, once->trace);
    ASSERT_TRUE(replayed) << to_string(replayed.error());
    EXPECT_EQ(loop::to_text(replayed->back().func), loop::to_text(once->func));
  }
}

TEST_P(Spaces, PointsHaveWordsAndPlaces) {
  const Space space = space_of(GetParam().space, GetParam().task());
  Random random(5);
  for (int i = 0; i < 50; ++i) {
    const Point point = space.random(random);
    EXPECT_EQ(space.named(space.words(point)), point) << space.words(point);
  }
  EXPECT_EQ(space.named("something else"), std::nullopt);
  std::set<Point> seen;
  const auto first = static_cast<std::size_t>(std::min(500.0, space.size()));
  for (std::size_t place = 0; place < first; ++place)
    EXPECT_TRUE(seen.insert(space.at(static_cast<double>(place))).second) << place;
  EXPECT_EQ(space.at(space.size()), space.at(0));
  EXPECT_EQ(space.at(space.size() - 1).sketch, static_cast<int>(space.sketches.size()) - 1);
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  return info.param.space + "_" + info.param.task().nest.name;
}

INSTANTIATE_TEST_SUITE_P(
    Of, Spaces,
    ::testing::Values(Case{"construct", product, 1}, Case{"construct", convolution, 1},
                      Case{"construct", rows, 1}, Case{"construct", row_sums, 1},
                      Case{"template", product, 1}, Case{"template", convolution, 2},
                      Case{"template", row_sums, 1}, Case{"sketch", product, 3},
                      Case{"sketch", convolution, 3}, Case{"sketch", row_sums, 2}),
    case_name);

TEST(Space, OfConstructedTilesFitsTheRegisters) {
  const Task task = product();
  const Space space = space_of("construct", task);
  for (const Sketch& sketch : space.sketches) {
    ASSERT_EQ(sketch.knobs[0].name, "tile");
    for (const std::string& value : sketch.knobs[0].values) {
      const int repeats = std::stoi(value), vectors = std::stoi(value.substr(value.find('x') + 1));
      EXPECT_LE(repeats * vectors + std::min(repeats, vectors) + 1, 16) << value;
    }
  }
}

// LLVM would choose by itself, if nothing were said.
TEST(Space, OneCopyIsOneWhereItIsAskedFor) {
  const Space space = space_of("construct", product());
  const std::vector<std::string>& unrolls = space.sketches.front().knobs.back().values;
  const auto one = std::ranges::find(unrolls, "1");
  ASSERT_NE(one, unrolls.end());
  const auto script = space.script({0, {0, 0, 0, 0, static_cast<int>(one - unrolls.begin())}});
  ASSERT_TRUE(script) << to_string(script.error());
  EXPECT_THAT(schedule::to_script(script->trace), HasSubstr("\"unroll_count\", \"1\""));
}

TEST(Space, OfConstructedTilesNamesEachValueOnce) {
  for (const Task& task : {product(), convolution()}) {
    const auto space = find_space_kind("construct")->make(task);
    ASSERT_TRUE(space) << to_string(space.error());
    for (const Sketch& sketch : space->sketches)
      for (const Knob& knob : sketch.knobs)
        EXPECT_EQ(std::set(knob.values.begin(), knob.values.end()).size(), knob.values.size())
            << sketch.name << ": " << knob.name;
  }
}

TEST(Space, WithoutVectorsIsEmpty) {
  const Task task = task_of(R"(
    func twice(X: float32[5] input, Y: float32[5] output) {
      for i in 5 { block Y(v0 = i) { Y[v0] = X[v0] * 2.0f } } })");
  for (const SpaceKind& kind : all_space_kinds()) EXPECT_TRUE(space_of(kind.name, task).empty());
}

// Where no sum is tiled there are still rows, of so many vectors at a time.
TEST(Space, WithoutTilesIsOfVectorsAtATime) {
  const Task task = task_of(R"(
    func twice(X: float32[640] input, Y: float32[640] output) {
      for i in 640 { block Y(v0 = i) { Y[v0] = X[v0] * 2.0f } } })");
  EXPECT_TRUE(space_of("template", task).empty());
  const Space space = space_of("construct", task);
  ASSERT_EQ(space.size(), 4);
  EXPECT_EQ(space.words(space.at(3)), "along memory: Y 8");
  const auto widest = space.script(space.at(3));
  ASSERT_TRUE(widest) << to_string(widest.error());
  EXPECT_THAT(schedule::to_script(widest->trace), HasSubstr("split(i, [-1, 64])"));
}

// Tiles are counted for numbers; where the nest as it is allows none of them, it says so.
TEST(Space, OfASymbolicSumIsNoneThatCannotBeWritten) {
  const Task task = task_of(R"(
    func product[n](A: float32[96, n] input, B: float32[n, 96] input, C: float32[96, 96] output) {
      for i in 96 { for j in 96 {
        block C_init(v0 = i, v1 = j) { C[v0, v1] = 0.0f } } }
      for i1 in 96 { for j1 in 96 { for k in n {
        block C(v0 = i1, v1 = j1, reduce v2 = k) by sum {
          C[v0, v1] = C[v0, v1] + A[v0, v2] * B[v2, v1] } } } } })");
  const Space space = space_of("construct", task);
  for (const Point& point : space.promising) EXPECT_TRUE(space.script(point));
  EXPECT_EQ(space.empty(), !space.refused.empty());
}

TEST(Space, CanBeWrittenByHand) {
  const Task task = product();
  const auto space = written_space(task,
                                   "C = block(\"C\")\ni, j, k = loops(C)\n"
                                   "t = sample_tile(j, 2, 8)\n"
                                   "j_o, j_i = split(j, t)\n"
                                   "reorder([i, j_o, k, j_i])\nvectorize(j_i)\n",
                                   "mine.schedule");
  ASSERT_TRUE(space) << to_string(space.error());
  ASSERT_EQ(space->sketches.size(), 1u);
  EXPECT_EQ(space->size(), 4);  // 1, 2, 4, 8
  EXPECT_EQ(space->words(space->at(3)), "mine.schedule: t [4, 8]");
  EXPECT_THAT(to_script(space->script(space->at(2))->trace), HasSubstr("split(j, [8, 4])"));
  EXPECT_EQ(written_space(task, "splat(j)", "x").error().code, Code::TextMalformed);
  EXPECT_EQ(written_space(task, "vectorize(nobody)", "x").error().code,
            Code::ScheduleHandleUnknown);
}

}  // namespace
}  // namespace loopglass::tune
