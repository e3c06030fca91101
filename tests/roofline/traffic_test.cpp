// Bytes of each level, counted by hand.
#include "core/roofline/traffic.h"

#include "core/default_schedule/default_schedule.h"
#include "core/kernel/stages.h"
#include "passes/pipeline.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gtest/gtest.h>

namespace loopglass::roofline {
namespace {

Machine machine_of(std::int64_t l1, std::int64_t l2, std::int64_t l3) {
  Machine machine = reference_machine();
  machine.l1.bytes = l1;
  machine.l2.bytes = l2;
  machine.l3.bytes = l3;
  return machine;
}

// Of what is compiled.
Traffic traffic(const loop::Func& scheduled, const loop::Func& initial, const Machine& machine) {
  const auto lowered = kernel::lower({scheduled, {}, {}, {}}, {machine, passes::loop_passes()});
  EXPECT_TRUE(lowered) << to_string(lowered.error());
  return traffic_of(lowered->lowered(), initial, {}, machine);
}
Traffic traffic(const loop::Func& func, const Machine& machine) {
  return traffic(func, func, machine);
}
Traffic by_default(const loop::Func& func, const Machine& machine) {
  return traffic(schedule::schedule_by_default(func, machine)->func, func, machine);
}

constexpr double kib = 1024;

TEST(Traffic, OfWhatFitsIsNone) {
  // 3 matrices of 4 KiB.
  const Traffic found =
      traffic(schedule::matrix_product(32, 32, 32), machine_of(64 << 10, 1 << 20, 16 << 20));
  EXPECT_EQ(found.l2, 0);
  EXPECT_EQ(found.memory, 0);
  EXPECT_EQ(found.flops, 2 * 32 * 32 * 32);
  EXPECT_EQ(found.useful_flops, found.flops);
}

// i, j, k: a row of A stays for all j, B is read for each i, C goes out and in.
TEST(Traffic, OfAProductWithoutTilesReadsTheSecondMatrixForEachRow) {
  const Traffic found =
      traffic(schedule::matrix_product(64, 64, 64), machine_of(8 << 10, 64 << 10, 1 << 20));
  // Of 16 KiB each; 64 rows of B are 64 lines for each j, which stay for 16 neighbours.
  EXPECT_EQ(found.l2, 16 * kib + 64 * 16 * kib + 16 * kib);
  EXPECT_EQ(found.l3, 0);
}

TEST(Traffic, OfTilesIsLess) {
  const Machine machine = machine_of(16 << 10, 32 << 10, 1 << 20);
  const loop::Func whole = schedule::matrix_product(128, 128, 128);
  const loop::Func tiled = schedule::scheduled(
      whole, schedule::product_loops +
                 "io, ii = split(i, [-1, 32])\njo, ji = split(j, [-1, 32])\n"
                 "ko, ki = split(k, [-1, 32])\nreorder([io, jo, ko, ii, ji, ki])");
  EXPECT_LT(4 * traffic(tiled, whole, machine).l2, traffic(whole, machine).l2);
}

TEST(Traffic, OfAStreamIsEachByteOnce) {
  // Y = X + 1, Z = 2 * Y of 1 MiB each.
  const Traffic found =
      traffic(schedule::two_elementwise({512, 512}), machine_of(32 << 10, 256 << 10, 512 << 10));
  EXPECT_EQ(found.l2, 4 * 1024 * kib);
  EXPECT_EQ(found.memory, found.l2);
  EXPECT_EQ(found.l1, 2 * 1024 * kib) << "stores go beside";
}

// A row that is as long as the loop over it is not: where one ends the next begins.
TEST(Traffic, OfAStreamInPiecesThatNoRowEndsWithIsEachByteOnce) {
  const loop::Func pieces = schedule::scheduled(
      schedule::parsed(
          "func f(X: float32[112, 112, 32] input, Y: float32[112, 112, 32] output) {\n"
          "  for i in 112 { for j in 112 { for k in 32 {\n"
          "    block Y(i0 = i, i1 = j, i2 = k) { Y[i0, i1, i2] = X[i0, i1, i2] * 2.0f }\n"
          "  } } }\n}"),
      "y = block(\"Y\")\ni, j, k = loops(y)\nf = fuse([i, j])\no, n = split(f, [-1, 256])");
  EXPECT_EQ(traffic(pieces, machine_of(32 << 10, 1 << 20, 32 << 20)).l2, 2 * 112 * 112 * 32 * 4);
}

// What lies beyond an extent that is padded is computed, and not wanted.
TEST(Traffic, TellsWhatIsComputedInVain) {
  const loop::Func whole = schedule::matrix_product(10, 20, 16);
  const loop::Func padded = schedule::scheduled(
      whole, schedule::product_loops + "o = cache_write(C, register)\npad_axis(C, 1, 32)");
  const Traffic found = traffic(padded, whole, reference_machine());
  EXPECT_EQ(found.useful_flops, 2 * 10 * 20 * 16);
  EXPECT_EQ(found.flops, 2 * 10 * 32 * 16);
}

// Where tiles do not divide an extent, loop passes end the loop there.
TEST(Traffic, LeavesOutWhatLoopPassesCut) {
  const loop::Func whole = schedule::matrix_product(49, 24, 16);
  const loop::Func tiled =
      schedule::scheduled(whole, schedule::product_loops +
                                     "io, ii = split(i, [-1, 13])\njo, ji = split(j, [-1, 32])\n"
                                     "reorder([io, jo, k, ii, ji])\nunroll(ii)\nvectorize(ji)");
  const Traffic found = traffic(tiled, whole, reference_machine());
  EXPECT_EQ(found.useful_flops, 2 * 49 * 24 * 16);
  EXPECT_EQ(found.flops, found.useful_flops);
}

// Lanes of one vector compute all the same.
TEST(Traffic, TellsWhatLanesComputeInVain) {
  const loop::Func whole = schedule::matrix_product(10, 21, 16);
  const loop::Func vectors = schedule::scheduled(
      whole, schedule::product_loops +
                 "o = cache_write(C, register)\nreorder([i, k, j])\nvectorize(j)\n"
                 "decompose_reduction(C, k)");
  const Traffic found = traffic(vectors, whole, reference_machine());
  EXPECT_EQ(found.useful_flops, 2 * 10 * 21 * 16);
  EXPECT_EQ(found.flops, 2 * 10 * 24 * 16) << "16 lanes and 8, of which 5 are wanted";
}

// Conditions that come again and again are counted turn by turn.
TEST(Traffic, CountsBranchesThatAreTaken) {
  const loop::Func branches = schedule::parsed(
      "func f(X: float32[4200] input, Y: float32[4200] output) {\n"
      "  for f in 6 { for x in 700 {\n"
      "    if f floormod 3 * 700 + x < 1500 { Y[f * 700 + x] = X[f * 700 + x] + 1.0f }\n"
      "    else { Y[f * 700 + x] = 0.0f } } }\n}");
  const Traffic found = traffic_of(branches, branches, {}, reference_machine());
  EXPECT_EQ(found.flops, 2 * 1500);
  EXPECT_EQ(found.l1, 2 * 1500 * 4);
}

// Neighbours of a stencil that are unrolled load each place once.
// The last of the columns' tiles is another branch, which reads the matrix once with the first.
TEST(Traffic, OfBranchesIsEachForItsIterations) {
  const Traffic found =
      by_default(schedule::matrix_product(1, 1000, 1024), machine_of(32 << 10, 1 << 20, 32 << 20));
  const double matrix = 4.0 * 1000 * 1024;
  EXPECT_GE(found.l2, matrix);
  EXPECT_LT(found.l2, 1.1 * matrix);
}

TEST(Traffic, OfTheFirstCacheIsEachPlaceOfATileOnce) {
  const loop::Func stencil = schedule::parsed(
      "func f(X: float32[18, 64] input, Y: float32[16, 64] output) {\n"
      "  for y in 16 unrolled { for t in 3 unrolled { for x in 64 vectorized {\n"
      "    Y[y, x] = Y[y, x] + X[y + t, x] } } }\n}");
  const Traffic found = traffic_of(stencil, stencil, {}, reference_machine());
  EXPECT_EQ(found.l1, (18 + 16) * 64 * 4);
}

// A tile of 2 x 3 vectors loads 2 values and 3 vectors for its 6 multiply-adds.
TEST(Traffic, OfTheFirstCacheIsWhatTheTileLoads) {
  const Machine machine = reference_machine();
  const std::int64_t lanes = machine.lanes(4);
  const loop::Func whole = schedule::matrix_product(2, 3 * lanes, 64);
  const loop::Func tiled = schedule::scheduled(
      whole, schedule::product_loops + "o = cache_write(C, register)\n" +
                 "jv, jl = split(j, [-1, " + std::to_string(lanes) + "])\n" +
                 "reorder([k, i, jv, jl])\nunroll(i)\nunroll(jv)\nvectorize(jl)\n"
                 "decompose_reduction(C, k)");
  const Traffic found = traffic(tiled, whole, machine);
  EXPECT_EQ(found.l1, 64.0 * (2 * 4 + 3 * machine.vector_bytes));
}

}  // namespace
}  // namespace loopglass::roofline
