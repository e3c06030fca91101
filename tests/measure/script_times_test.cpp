// What each line of a schedule buys, measured by a worker.
#include "core/measure/script_times.h"

#include "core/loop/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::measure {
namespace {

using ::testing::HasSubstr;

class ScriptTimes : public ::testing::Test {
 protected:
  ScriptAsked asked(std::string script) {
    ScriptAsked asked{loop::parse(R"(
func f[n](X: float32[n] input, Y: float32[n] output) {
  for i in n {
    block Y(i0 = i) {
      reads X[i0]
      writes Y[i0]
      Y[i0] = X[i0] * 2.0f
    }
  }
})")
                          .value(),
                      std::move(script)};
    asked.extents = {4096};
    asked.turns = 2;
    return asked;
  }

  WorkerPool workers_{Program{LOOPGLASSC, {"worker"}}};
};

TEST_F(ScriptTimes, EveryLineThatChangesTheNestIsTimed) {
  std::vector<std::string> told;
  const auto times = time_script(
      asked("// halves\nC = block(\"Y\")\ni_o, i_i = split(i, [-1, 16])\n\nvectorize(i_i)"),
      workers_, [&](std::string_view what, double fraction) {
        told.emplace_back(what);
        EXPECT_GE(fraction, 0);
        EXPECT_LT(fraction, 1);
      });
  ASSERT_TRUE(times) << to_string(times.error());
  ASSERT_EQ(times->lines.size(), 3u);
  EXPECT_EQ(times->lines[0].call, "");
  EXPECT_EQ(times->lines[1].line, 3);
  EXPECT_EQ(times->lines[2].line, 5);
  EXPECT_EQ(times->lines[2].call, "vectorize(i_i)");
  for (const LineTime& line : times->lines) {
    EXPECT_GT(line.time.median_ms, 0);
    EXPECT_NEAR(line.gflops, 4096 / line.time.median_ms / 1e6, 1e-9);
  }
  EXPECT_EQ(told.size(), 6u) << "all in each turn";
}

TEST_F(ScriptTimes, SayWhatIsInTheWay) {
  ScriptAsked sums = asked("i_o, i_i = split(i, [-1, 4])\nreorder([i_o, k, i_i])\nunroll(i_i)");
  sums.nest = loop::parse(R"(
func f(X: float32[64, 512] input, Y: float32[64] output) {
  for i in 64 {
    for k in 512 {
      block Y(i0 = i, reduce r0 = k) by sum from 0 {
        reads X[i0, r0]
        writes Y[i0]
        init { Y[i0] = 0.0f }
        Y[i0] = Y[i0] + X[i0, r0]
      }
    }
  }
})")
                  .value();
  sums.extents = {};
  const auto times = time_script(sums, workers_);
  ASSERT_TRUE(times) << to_string(times.error());
  ASSERT_EQ(times->lines.size(), 4u);
  const auto latency = [&](std::size_t line) {
    for (const schedule::LimitRemark& limit : times->lines[line].limits)
      if (limit.limit == schedule::Limit::Latency) return limit.text;
    return std::string();
  };
  EXPECT_THAT(latency(0), HasSubstr("1 independent sum;"));
  EXPECT_THAT(latency(3), HasSubstr("4 independent sums;"));
}

// More sums than there are registers, on any machine; and as many as there are.
TEST_F(ScriptTimes, SayWhatMachineCodeSpills) {
  ScriptAsked tile = asked(
      "cache = cache_write(\"Y\", \"register\")\ni_o, i_i = split(i, [-1, 48])\n"
      "j_o, j_i = split(j, [-1, 32])\nreorder([i_o, j_o, k, i_i, j_i])\n"
      "a, b = reverse_compute_at(cache, j_o)\ninit = decompose_reduction(\"Y\", k)\n"
      "vectorize(j_i)\nunroll(i_i)");
  tile.nest = loop::parse(R"(
func f(A: float32[96, 512] input, B: float32[512, 96] input, Y: float32[96, 96] output) {
  for i in 96 {
    for j in 96 {
      for k in 512 {
        block Y(i0 = i, i1 = j, reduce r0 = k) by sum {
          init { Y[i0, i1] = 0.0f }
          Y[i0, i1] = Y[i0, i1] + A[i0, r0] * B[r0, i1]
        }
      }
    }
  }
})")
                  .value();
  tile.extents = {};
  const auto times = time_script(tile, workers_);
  ASSERT_TRUE(times) << to_string(times.error());
  const auto& limits = times->lines.back().limits;
  ASSERT_FALSE(limits.empty());
  EXPECT_EQ(limits.front().limit, schedule::Limit::Registers);
  EXPECT_THAT(limits.front().text, HasSubstr("of the machine code"));
  for (const schedule::LimitRemark& limit : times->lines.front().limits)
    EXPECT_THAT(limit.text, ::testing::Not(HasSubstr("of the machine code")));
}

TEST_F(ScriptTimes, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_THAT(time_script(asked("vectorise(i)"), workers_).error().what,
              HasSubstr("there is no primitive"));
  const auto illegal = time_script(asked("\nvectorize(i)"), workers_);
  ASSERT_FALSE(illegal);
  EXPECT_THAT(illegal.error().where, HasSubstr("line 2: vectorize(i)"));
  Cancellation cancellation;
  cancellation.request();
  EXPECT_EQ(time_script(asked(""), workers_, {}, cancellation).error().code, Code::Cancelled);
}

}  // namespace
}  // namespace loopglass::measure
