// Bands of an image that is far more than the second cache holds: chosen, made where they are read,
// and what is computed stays the same.
#include "core/default_schedule/near_copies.h"

#include "core/default_schedule/default_schedule.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/every_step.h"
#include "tests/schedule/machines.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Machine with_second_cache(Machine machine, std::int64_t bytes) {
  machine.l2.bytes = bytes;
  return machine;
}

// The image with its border is five times what its second cache holds.
Machine with_small_cache(const Machine& machine, const ConvolutionShape& shape) {
  return with_second_cache(machine, shape.batch * shape.channels * (shape.height + 2 * shape.pad) *
                                        (shape.width + 2 * shape.pad) *
                                        static_cast<std::int64_t>(sizeof(float)) / 5);
}

TEST(NearCopies, ImagesFarLargerThanTheCacheAreCopiedInBands) {
  const auto script = [](const ConvolutionShape& shape) {
    return default_script(convolution(shape), avx512);
  };
  EXPECT_THAT(script({1, 64, 180, 320, 32, 3, 1, 1}), HasSubstr("= compute_at(conv_pad, oh_o)"));
  EXPECT_THAT(script({1, 64, 56, 56, 64, 3, 1, 1}), Not(HasSubstr("= compute_at(conv_pad")))
      << "it stays in the second cache, or nearly";
  EXPECT_THAT(script({1, 1024, 64, 128, 16, 3, 1, 1}), Not(HasSubstr("= compute_at(conv_pad")))
      << "each band would read filters again that the cache does not hold";
  EXPECT_THAT(script({1, 64, 180, 320, 32, 1, 1, 0}), Not(HasSubstr("= compute_at(")))
      << "nothing is copied";
}

// A band is turned only where it is as high as all others.
TEST(NearCopies, BandsAreAsHighAsOneAnotherWherePossible) {
  EXPECT_THAT(default_script(convolution({1, 32, 256, 256, 32, 3, 1, 1}), avx512),
              HasSubstr("split(oh, [-1, 16])"));
}

TEST(NearCopies, ManyCoresGetBandsEach) {
  const auto script = [](int cores) {
    Machine machine = avx512;
    machine.cores = cores;
    return default_script(convolution({1, 16, 256, 320, 16, 3, 1, 1}), machine);
  };
  EXPECT_THAT(script(1), HasSubstr("split(oh, [-1, 16])"));
  EXPECT_THAT(script(16), HasSubstr("split(oh, [-1, 4])"));
  EXPECT_THAT(script(64), Not(HasSubstr("= compute_at(")))
      << "bands would be borders of one another";
}

TEST(NearCopies, WhereRowsAreTooLongBandsArePartsOfThem) {
  const std::string script = default_script(convolution({1, 128, 512, 512, 64, 3, 1, 1}), avx512);
  EXPECT_THAT(script, HasSubstr("= compute_at(conv_pad, ow_o)"));
  EXPECT_THAT(script, HasSubstr("oh_o, oh_i = split("));
}

TEST(NearCopies, WhatEachBandReadsAgainHasToBeLittle) {
  const auto script = [](std::int64_t channels, std::int64_t filters) {
    return default_script(convolution({1, channels, 56, 56, filters, 3, 1, 1}),
                          with_second_cache(avx512, 1 << 18));
  };
  EXPECT_THAT(script(96, 24), HasSubstr("= compute_at("));
  EXPECT_THAT(script(96, 512), Not(HasSubstr("= compute_at("))) << "filters of 1.7 MiB";
}

TEST(NearCopies, StayRightAtEveryStep) {
  int near = 0;
  for (const Machine& machine : {avx512, avx2, sse})
    for (const ConvolutionShape& shape : {ConvolutionShape{1, 4, 41, 38, 16, 3, 1, 1},
                                          {2, 3, 60, 30, 16, 5, 1, 2},
                                          {9, 5, 8, 7, 6, 3, 1, 1},
                                          {1, 4, 63, 41, 20, 3, 2, 1},
                                          {3, 2, 64, 12, 7, 4, 3, 2},
                                          {1, 9, 12, 150, 8, 3, 1, 1},
                                          {2, 7, 9, 131, 5, 3, 2, 1}}) {
      const loop::Func func = convolution(shape);
      const Machine small = with_small_cache(machine, shape);
      near += default_script(func, small).find("= compute_at(") != std::string::npos;
      expect_every_step_right(func, small);
    }
  EXPECT_GE(near, 10);  // not where filters are more than the small cache holds
  for (const ConvolutionShape& shape :
       {ConvolutionShape{1, 5, 45, 9, 0, 3, 1, 1}, {2, 3, 90, 7, 0, 5, 2, 2}}) {
    const Machine small = with_small_cache(avx512, shape);
    expect_every_step_right(depthwise_convolution(shape), small);
    expect_every_step_right(depthwise_convolution_of_planes(shape), small);
  }
}

// On several threads, each of which makes bands of its own.
TEST(NearCopies, StayRightInMachineCode) {
  runtime::ThreadPool pool(3);
  for (const ConvolutionShape& shape : {ConvolutionShape{1, 12, 61, 80, 32, 3, 1, 1},
                                        {8, 6, 24, 20, 16, 3, 1, 1},
                                        {1, 8, 120, 33, 20, 5, 2, 2}}) {
    const loop::Func func = convolution(shape);
    const std::string script = default_script(func, with_small_cache(avx512, shape));
    EXPECT_THAT(script, HasSubstr("= compute_at(conv_pad"));
    expect_compiled_right(func, pool, script);
  }
}

}  // namespace

}  // namespace loopglass::schedule
