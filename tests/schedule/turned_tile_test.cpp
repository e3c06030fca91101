// Tiles whose lanes lie apart where they are stored are turned in registers, and orders of tiles
// that go image by image; what is computed stays the same.
#include "core/default_schedule/turned_tile.h"

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

// Channels in the lanes, pixels repeated, and an image that is stored channel by channel.
TEST(TurnedTile, ChannelsAreTurnedIntoRowsOfPixels) {
  const loop::Func rows = convolution({1, 64, 56, 56, 64, 3, 1, 1}),
                   pixels = convolution({1, 256, 14, 14, 1024, 1, 1, 0});
  EXPECT_THAT(default_script(rows, avx512), HasSubstr("transpose_14x16"));
  EXPECT_THAT(default_script(pixels, avx512), HasSubstr("transpose_14x16"));
  EXPECT_THAT(default_script(rows, sse), Not(HasSubstr("transpose_")))
      << "there are no intrinsics for it";
}

// What is left over at an edge would be asked for in the middle of a tile.
TEST(TurnedTile, OnlyWholeTilesAreTurned) {
  EXPECT_THAT(default_script(convolution({1, 64, 14, 14, 70, 3, 1, 1}), avx512),
              Not(HasSubstr("transpose_")));
}

TEST(TurnedTile, StaysRightAtEveryStep) {
  for (const Machine& machine : {avx512, avx2, sse})
    for (const ConvolutionShape& shape : {ConvolutionShape{1, 6, 6, 14, 32, 3, 1, 1},
                                          {2, 9, 5, 7, 32, 3, 1, 1},
                                          {1, 12, 7, 13, 64, 1, 1, 0},
                                          {1, 3, 12, 26, 32, 5, 2, 2}})
      expect_every_step_right(convolution(shape), machine);
}

TEST(TurnedTile, StaysRightInMachineCode) {
  runtime::ThreadPool pool(2);
  int turned = 0;
  for (const ConvolutionShape& shape : {ConvolutionShape{1, 16, 9, 14, 64, 3, 1, 1},
                                        {2, 33, 6, 12, 32, 3, 1, 1},
                                        {1, 40, 7, 13, 64, 1, 1, 0},
                                        {3, 8, 28, 28, 32, 5, 1, 2}}) {
    const loop::Func func = convolution(shape);
    turned += default_script(func, avx512).find("transpose_") != std::string::npos;
    expect_compiled_right(func, pool);
  }
  EXPECT_GT(turned, 2);
}

// 32 images of 784 KiB are in no cache when the next filters come round to the first.
TEST(TileOrder, GoesImageByImageWhereABatchIsLarge) {
  EXPECT_THAT(default_script(convolution({32, 1024, 14, 14, 256, 1, 1, 0}), avx512),
              HasSubstr("reorder([n, oc_o, "));
  EXPECT_THAT(default_script(convolution({1, 1024, 14, 14, 256, 1, 1, 0}), avx512),
              HasSubstr("reorder([n_oc_o, "));
}

// Ten megabytes of planes, few channels of results: the image is walked once, not once a tile of
// channels. Where filters are more than the second cache holds, they stay and the image is walked.
TEST(TileOrder, AnImageInPlanesIsWalkedOnce) {
  const std::string planes = default_script(convolution({1, 96, 160, 160, 24, 3, 1, 1}), avx2);
  EXPECT_THAT(planes, HasSubstr("reorder([oh_o, oh_i, ow_o, n_1_oc_o, "));
  EXPECT_THAT(default_script(convolution({1, 256, 26, 26, 256, 3, 1, 1}), avx2),
              HasSubstr("reorder([n_1_oc_o, "));
  Machine small = avx2;
  small.l2.bytes = 32 << 10;
  const loop::Func func = convolution({1, 16, 32, 32, 24, 3, 1, 1});
  EXPECT_THAT(default_script(func, small), HasSubstr("reorder([oh, ow_o, n_1_oc_o, "));
  expect_every_step_right(func, small);
}

// Of two terms that read nearly the same, LLVM would keep that in registers, which such a tile
// needs.
TEST(TileOrder, APairOfTermsIsTurnedOutermost) {
  EXPECT_THAT(default_script(convolution({1, 128, 57, 57, 64, 2, 1, 0}), avx512),
              HasSubstr("reorder([kw, ic, kh])"));
  EXPECT_THAT(default_script(convolution({1, 128, 58, 58, 64, 3, 1, 0}), avx512),
              Not(HasSubstr("reorder([kw, ")));
  for (const Machine& machine : {avx512, avx2, sse})
    for (const ConvolutionShape& shape : {ConvolutionShape{1, 12, 8, 15, 32, 2, 1, 0},
                                          {1, 7, 6, 14, 64, 2, 1, 1},
                                          {1, 1100, 3, 15, 32, 2, 1, 0}})
      expect_every_step_right(convolution(shape), machine);
}

// Rows of a tile in many images, each of whose terms is in another line of the cache, wait for
// them.
TEST(TileOrder, TilesDoNotReachOverImagesThatLieFarApart) {
  EXPECT_THAT(default_script(convolution({32, 512, 7, 7, 512, 3, 1, 1}), avx512),
              HasSubstr("split(ow, [-1, 7])"));
}

TEST(TileOrder, StaysRight) {
  Machine small = avx512;
  small.l2.bytes = small.l3.bytes = 64 << 10;
  const loop::Func func = convolution({40, 16, 6, 7, 192, 1, 1, 0});
  EXPECT_THAT(default_script(func, small), HasSubstr("reorder([n, "));
  expect_every_step_right(func, small);
  expect_every_step_right(convolution({4, 48, 6, 7, 40, 3, 1, 1}), small);
}

}  // namespace

}  // namespace loopglass::schedule
