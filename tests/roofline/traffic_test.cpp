// Bytes of each level, counted by hand.
#include "core/roofline/traffic.h"

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

Traffic traffic(const loop::Func& func, const Machine& machine) {
  return traffic_of(func, func, {}, machine);
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
  EXPECT_LT(4 * traffic_of(tiled, whole, {}, machine).l2, traffic(whole, machine).l2);
}

TEST(Traffic, OfAStreamIsEachByteOnce) {
  // Y = X + 1, Z = 2 * Y of 1 MiB each.
  const Traffic found =
      traffic(schedule::two_elementwise({512, 512}), machine_of(32 << 10, 256 << 10, 512 << 10));
  EXPECT_EQ(found.l2, 4 * 1024 * kib);
  EXPECT_EQ(found.memory, found.l2);
  EXPECT_EQ(found.l1, 4 * 1024 * kib);
}

// What lies beyond an extent that tiles do not divide is computed, and not wanted.
TEST(Traffic, TellsWhatIsComputedInVain) {
  const loop::Func whole = schedule::matrix_product(10, 20, 16);
  const loop::Func padded = schedule::scheduled(
      whole, schedule::product_loops + "o = cache_write(C, register)\npad_axis(C, 1, 32)");
  const Traffic found = traffic_of(padded, whole, {}, reference_machine());
  EXPECT_EQ(found.useful_flops, 2 * 10 * 20 * 16);
  EXPECT_EQ(found.flops, 2 * 10 * 32 * 16);
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
  const Traffic found = traffic_of(tiled, whole, {}, machine);
  const double copied = 2.0 * 3 * static_cast<double>(lanes) * 4;
  EXPECT_EQ(found.l1, 64.0 * (2 * 4 + 3 * machine.vector_bytes) + copied);
}

}  // namespace
}  // namespace loopglass::roofline
