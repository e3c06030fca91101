// Constants and images that come from memory are asked for while few tiles of the other side work
// on what came before; what is computed stays the same.
#include "core/default_schedule/streaming.h"

#include "core/default_schedule/default_schedule.h"
#include "tests/schedule/compiled.h"
#include "tests/schedule/every_step.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A machine so small that sums of a test's size do not stay in its caches.
Machine with_small_caches() {
  Machine machine = reference_machine();
  machine.l1.bytes = 1 << 10;
  machine.l2.bytes = 16 << 10;
  return machine;
}

TEST(Streaming, TheNextTileOfWeightsIsAskedForWhereAnImageIsSmall) {
  // 1024 channels are 128 KiB for 32 filters, and the next are as many.
  const std::string pixels = default_script(convolution({1, 1024, 7, 7, 256, 1, 1, 0}));
  EXPECT_THAT(pixels, AllOf(HasSubstr("prefetch("), Not(HasSubstr("\"stack\"")))) << pixels;
  EXPECT_THAT(default_script(matrix_product(128, 768, 768)),
              HasSubstr("prefetch(\"B\", j_o, 1, k)"));
}

// Each weight is used 3136 times: to wait for it is next to nothing.
TEST(Streaming, LargeImagesAskForNothing) {
  EXPECT_THAT(default_script(convolution({1, 64, 56, 56, 64, 3, 1, 1})),
              Not(HasSubstr("prefetch(")));
}

// Neither what is in a cache all the time, nor what is read once in a row.
TEST(Streaming, SmallConstantsAndSingleRowsAskForNothing) {
  EXPECT_THAT(default_script(matrix_product(64, 64, 32)), Not(HasSubstr("prefetch(")));
  EXPECT_THAT(default_script(matrix_product(1, 1024, 1024)), Not(HasSubstr("prefetch(")));
}

// 4608 weights of 32 filters are more than half of the second cache has room for twice.
TEST(Streaming, LongSumsGoInBlocksOfWeightsForAllPixels) {
  EXPECT_THAT(
      default_script(matrix_product(49, 512, 4608)),
      AllOf(HasSubstr("cache_write(C, \"stack\")"), HasSubstr("prefetch(\"B\", k_o, 1, k_i)")));
}

// Outside a window's loops, but where the tile nearly fills the registers.
TEST(Streaming, HintsAreGivenWhereTheyCostLeast) {
  EXPECT_THAT(default_script(convolution({2, 256, 5, 5, 160, 3, 1, 1})),
              HasSubstr(", ic_o, 1, ic_i)"));
  EXPECT_THAT(default_script(convolution({1, 64, 13, 13, 256, 3, 1, 1})),
              HasSubstr(", n_1_oc_o, 1, kw)"));
}

// 32 images of 256 channels, 56 x 56 pixels, are in no cache; of one they may be.
TEST(Streaming, ImagesOfABatchAreAskedForTileByTile) {
  EXPECT_THAT(default_script(convolution({32, 256, 56, 56, 64, 1, 1, 0})),
              HasSubstr("prefetch(\"X\", oh_ow_o, 1, ic)"));
  EXPECT_THAT(default_script(convolution({1, 256, 56, 56, 64, 1, 1, 0})),
              Not(HasSubstr("prefetch(\"X\"")));
}

// Where an image turns inside the tiles of filters, all of the next one, as that goes around both.
TEST(Streaming, ImagesThatGoAroundAreAskedForAsWholes) {
  EXPECT_THAT(default_script(convolution({32, 1024, 14, 14, 256, 1, 1, 0})),
              HasSubstr("prefetch(\"X\", n, 1, ic)"));
}

TEST(Streaming, ImagesStayRightAtEveryStep) {
  Machine machine = with_small_caches();
  machine.l2.bytes = 64 << 10;
  machine.l3.bytes = 32 << 10;
  for (const ConvolutionShape& shape : {ConvolutionShape{3, 40, 9, 8, 24, 1, 1, 0},
                                        {4, 70, 5, 5, 80, 1, 1, 0},
                                        {12, 64, 6, 6, 96, 1, 1, 0}}) {
    EXPECT_THAT(default_script(convolution(shape), machine), HasSubstr("prefetch(\"X\""))
        << shape.batch;
    expect_every_step_right(convolution(shape), machine);
  }
}

TEST(Streaming, StaysRightAtEveryStep) {
  for (const ConvolutionShape& shape :
       {ConvolutionShape{1, 8, 7, 7, 64, 3, 1, 1}, {2, 64, 4, 4, 70, 1, 1, 0}})
    expect_every_step_right(convolution(shape), with_small_caches());
  for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{33, 96, 40}, {17, 70, 530}})
    expect_every_step_right(matrix_product(m, n, k), with_small_caches());
}

TEST(Streaming, StaysRightInMachineCode) {
  runtime::ThreadPool pool(2);
  for (const loop::Func& func : {matrix_product(30, 128, 2100), matrix_product(30, 136, 1030),
                                 convolution({1, 256, 5, 5, 128, 3, 1, 1})})
    expect_compiled_right(func, pool);
}

}  // namespace

}  // namespace loopglass::schedule
