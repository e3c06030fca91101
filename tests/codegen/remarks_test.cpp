// What LLVM's passes say of a kernel, on the lines of its loop nest.
#include "tests/codegen/run_both.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace loopglass {
namespace {

using codegen::LlvmRemark;
using pass::RemarkKind;

struct Nest {
  explicit Nest(std::string_view text) : listings(list_func(parse_func(text))) {}

  // Of the line that has this text.
  std::vector<const LlvmRemark*> said_of(std::string_view line, std::string_view pass) const {
    std::vector<const LlvmRemark*> said;
    const auto& lines = listings->loops().lines;
    for (const LlvmRemark& remark : listings->remarks())
      if (remark.pass == pass && remark.loop_line > 0 &&
          lines[static_cast<std::size_t>(remark.loop_line) - 1].text.find(line) !=
              std::string::npos)
        said.push_back(&remark);
    return said;
  }
  const LlvmRemark* said_of(std::string_view line, std::string_view pass,
                            std::string_view code) const {
    for (const LlvmRemark* remark : said_of(line, pass))
      if (remark->remark.code == code) return remark;
    return nullptr;
  }

  std::shared_ptr<const codegen::KernelListings> listings;
};

double number(const LlvmRemark& remark, std::string_view name) {
  for (const auto& [key, value] : remark.remark.numbers)
    if (key == name) return value;
  return -1;
}

// Nothing allows LLVM to add up floating-point numbers in another order.
TEST(Remarks, ASumThatMustKeepItsOrderIsNotVectorised) {
  const Nest nest(R"(
func total(X: float32[4096] input, S: float32[1] output) {
  S[0] = 0.0f
  for i in 4096 {
    S[0] = S[0] + X[i]
  }
})");
  const LlvmRemark* refused =
      nest.said_of("S[0] = S[0] + X[i]", "loop-vectorize", "CantReorderFPOps");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->remark.kind, RemarkKind::Note);
  EXPECT_THAT(refused->remark.text, testing::HasSubstr("reorder floating-point operations"));
  const LlvmRemark* missed = nest.said_of("for i in 4096", "loop-vectorize", "MissedDetails");
  ASSERT_TRUE(missed);
  EXPECT_EQ(missed->remark.kind, RemarkKind::Missed);
}

TEST(Remarks, WhatIsVectorisedIsSaidOfTheLoop) {
  const Nest nest(R"(
func twice(X: float32[4096] input, Y: float32[4096] output) {
  for i in 4096 {
    Y[i] = X[i] + X[i]
  }
})");
  const LlvmRemark* applied = nest.said_of("for i in 4096", "loop-vectorize", "Vectorized");
  ASSERT_TRUE(applied);
  EXPECT_EQ(applied->remark.kind, RemarkKind::Applied);
  EXPECT_GT(number(*applied, "VectorizationFactor"), 1);
  EXPECT_FALSE(nest.said_of("Y[i] =", "loop-vectorize", "Vectorized"));
}

// A tile of as many accumulators as no processor has registers for.
std::string tile_of(int rows) {
  std::string size = std::to_string(rows);
  return "func tile(A: float32[" + size +
         ", 512] input, B: float32[512, 64] constant, C: float32[" + size +
         ", 64] output) {\n  alloc acc: float32[" + size + ", 64] register\n  for i in " + size +
         " unrolled { for l in 64 vectorized { acc[i, l] = 0.0f } }\n" +
         "  for k in 512 {\n    for r in " + size +
         " unrolled { for m in 64 vectorized { acc[r, m] = acc[r, m] + A[r, k] * B[k, m] } }\n  "
         "}\n" +
         "  for s in " + size + " unrolled { for n in 64 vectorized { C[s, n] = acc[s, n] } }\n}";
}

TEST(Remarks, SpillsAreCountedByTheRegisterAllocatorInTheLoopWhereTheyAre) {
  const Nest tight(tile_of(20)), roomy(tile_of(1));
  const LlvmRemark* spills = tight.said_of("for k in 512", "regalloc", "LoopSpillReloadCopies");
  ASSERT_TRUE(spills);
  EXPECT_EQ(spills->remark.kind, RemarkKind::Missed);
  EXPECT_GT(number(*spills, "NumReloads") + number(*spills, "NumFoldedReloads"), 10);
  EXPECT_THAT(spills->remark.text, testing::Not(testing::HasSubstr("e+")));
  // Of a function as a whole it says which, for a kernel has several.
  const auto& remarks = tight.listings->remarks();
  const auto whole = std::ranges::find_if(remarks, [](const LlvmRemark& remark) {
    return remark.remark.code == "SpillReloadCopies" && remark.remark.entity == "tile.body";
  });
  ASSERT_NE(whole, remarks.end());
  EXPECT_THAT(whole->remark.text, testing::EndsWith("generated in function 'tile.body'"));
  const LlvmRemark* copies = roomy.said_of("for k in 512", "regalloc", "LoopSpillReloadCopies");
  EXPECT_TRUE(!copies || number(*copies, "NumReloads") < 1);
}

TEST(Remarks, StandByLineAndSayNothingTwice) {
  const Nest nest(R"(
func rows(A: float32[64, 512] input, B: float32[512, 32] constant, C: float32[64, 32] output) {
  for o in 8 parallel {
    alloc acc: float32[8, 32] register
    for i in 8 unrolled { for l in 32 vectorized { acc[i, l] = 0.0f } }
    for k in 512 {
      for r in 8 unrolled { for m in 32 vectorized { acc[r, m] = acc[r, m] + A[o * 8 + r, k] * B[k, m] } }
    }
    for s in 8 unrolled { for n in 32 vectorized { C[o * 8 + s, n] = acc[s, n] } }
  }
})");
  const auto& remarks = nest.listings->remarks();
  ASSERT_FALSE(remarks.empty());
  EXPECT_TRUE(std::ranges::is_sorted(remarks, {}, &LlvmRemark::loop_line));
  bool some_were_folded = false;
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    some_were_folded |= remarks[i].times > 1;
    EXPECT_EQ(remarks[i].remark.text.find('\n'), std::string::npos);
    EXPECT_LE(remarks[i].loop_line, static_cast<int>(nest.listings->loops().lines.size()));
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_FALSE(remarks[i].loop_line == remarks[k].loop_line &&
                   remarks[i].pass == remarks[k].pass &&
                   remarks[i].remark.code == remarks[k].remark.code &&
                   remarks[i].remark.text == remarks[k].remark.text)
          << remarks[i].remark.text;
  }
  EXPECT_TRUE(some_were_folded);
}

}  // namespace
}  // namespace loopglass
