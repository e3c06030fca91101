// Space between the rows of a kernel's own buffers: noted by the primitive, made by a loop pass.
#include "core/loop/strides.h"
#include "core/loop/text.h"
#include "passes/loop/compact_buffers.h"
#include "passes/loop/place_allocations.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Y = X + 1 and Z = 2 * Y, of which Y is the kernel's own.
loop::Func two() { return two_elementwise({8, 16}); }

// The allocations as the passes leave them.
std::string settled(const loop::Func& func) {
  pass::Report report;
  const loop::Func placed = passes::place_allocations(func, report).value();
  const loop::Func compact = passes::compact_buffers(placed, report).value();
  EXPECT_TRUE(same_results(func, compact));
  return loop::to_text(compact);
}

TEST(StorageAlign, IsNotedAndThenMade) {
  const loop::Func noted = scheduled(two(), "storage_align(Y, 0, 16, 4)");
  EXPECT_THAT(loop::to_text(noted), HasSubstr("@stride=\"0 16 4\" alloc Y: float32[8, 16]"));
  const std::string made = settled(noted);
  EXPECT_THAT(made, HasSubstr("alloc Y: float32[8, 20]"));
  EXPECT_THAT(made, Not(HasSubstr("@stride")));
}

// Of the part of a buffer that is kept.
TEST(StorageAlign, IsOfTheRowsThatAreLeft) {
  const std::string made = settled(scheduled(
      two(),
      "z = block(\"Z\")\ni, j = loops(z)\nio, ii = split(i, [-1, 2])\njo, ji = split(j, [-1, 4])\n"
      "reorder([io, jo, ii, ji])\ncompute_at(\"Y\", jo)\n"
      "storage_align(Y, 0, 8, 1)"));
  EXPECT_THAT(made, HasSubstr("alloc Y: float32[2, 9]"));
}

TEST(StorageAlign, OutlivesWhatKeepsTheDimensions) {
  const std::string rule = "storage_align(Y, 0, 16, 4)\n";
  EXPECT_THAT(loop::to_text(scheduled(two(), rule + "set_scope(Y, stack)")),
              HasSubstr("@stride=\"0 16 4\" alloc Y: float32[8, 16] stack"));
  EXPECT_THAT(loop::to_text(scheduled(two(), rule + "transform_layout(Y, \"a b -> b a\")")),
              Not(HasSubstr("@stride")));
  EXPECT_THAT(loop::to_text(scheduled(two(), rule + "storage_align(Y, 0, 8, 0)")),
              HasSubstr("@stride=\"0 8 0\""));
}

TEST(StorageAlign, SaysWhatCannotBe) {
  EXPECT_THAT(refusal(two(), "storage_align(X, 0, 16, 4)"), HasSubstr("'X' is a parameter"));
  EXPECT_THAT(refusal(two(), "storage_align(Y, 1, 16, 4)"),
              HasSubstr("the dimension is 1, and has to be from 0 to 0"));
  EXPECT_THAT(refusal(two(), "storage_align(Y, 0, 16, 16)"), HasSubstr("the offset is 16"));
  EXPECT_THAT(refusal(two(), "storage_align(Y, 0, 100000, 4)"), HasSubstr("the factor is 100000"));
  EXPECT_THAT(refusal(two_elementwise({8}), "storage_align(Y, 0, 16, 4)"),
              HasSubstr("has one dimension and so no rows"));
  EXPECT_THAT(refusal(two_elementwise({4, 4, 4}), "storage_align(Y, 0, 16, 3)"),
              HasSubstr("steps that pass over 3 more than a multiple of 16"));
}

TEST(StrideRule, IsReadAsItIsWritten) {
  const auto rule = loop::parse_stride_rule("1 16 4");
  ASSERT_TRUE(rule);
  EXPECT_EQ(loop::to_text(*rule), "1 16 4");
  for (const char* text : {"", "1", "1 16", "1 16 16", "1 0 0", "1 16 -1", "1 16 4 5", "a b c"})
    EXPECT_FALSE(loop::parse_stride_rule(text)) << text;
  const loop::Buffer cube{"T", DataType::Float32, {4, 4, 4}};
  EXPECT_EQ(*expr::as_integer(loop::with_stride(cube, {0, 32, 8})->shape[1]), 10);
  EXPECT_FALSE(loop::with_stride(cube, {0, 16, 3}));
  EXPECT_FALSE(loop::with_stride(cube, {2, 16, 4}));
}

}  // namespace

}  // namespace loopglass::schedule
