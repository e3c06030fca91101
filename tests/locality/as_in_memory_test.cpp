// Accesses of buffers that loop passes shrink.
#include "core/locality/as_in_memory.h"

#include "core/locality/reuse.h"
#include "core/loop/text.h"
#include "passes/pipeline.h"

#include <gtest/gtest.h>

namespace loopglass::locality {
namespace {

// Each iteration of y writes a row of T and reads it.
constexpr const char* rows_of_their_own = R"(
func f(X: float32[8, 64] input, Y: float32[8, 64] output) {
  alloc T: float32[8, 64] workspace
  for y in 8 {
    for i in 64 { block T(i0 = y, i1 = i) { T[i0, i1] = X[i0, i1] * 2.0f } }
    for j in 64 { block Y(i0 = y, i1 = j) { Y[i0, i1] = T[i0, 63 - i1] } }
  }
})";

const BufferReuse& of(const Reuse& reuse, const std::string& buffer) {
  return *std::ranges::find(reuse.buffers, buffer, &BufferReuse::buffer);
}

TEST(AsInMemory, WhatAnIterationHasForItselfLiesInOnePlace) {
  const loop::Func nest = loop::parse(rows_of_their_own).value();
  const Reuse written = reuse_of(nest, {}, Machine{}).value();
  const Reuse placed = reuse_of(as_in_memory(nest, passes::loop_passes()), {}, Machine{}).value();
  EXPECT_EQ(of(written, "T").lines, 8 * 4);
  EXPECT_EQ(of(placed, "T").lines, 4);
  EXPECT_EQ(of(placed, "T").bytes, 64 * 4);
  EXPECT_EQ(of(placed, "X").lines, of(written, "X").lines);
  EXPECT_EQ(placed.accesses, written.accesses);
}

TEST(AsInMemory, WithoutThePassTheNestIsAsItIs) {
  const loop::Func nest = loop::parse(rows_of_their_own).value();
  EXPECT_EQ(loop::to_text(as_in_memory(nest, {})), loop::to_text(nest));
}

}  // namespace
}  // namespace loopglass::locality
