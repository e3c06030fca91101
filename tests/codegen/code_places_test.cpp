// Which line of the listing an address in the kernel is.
#include "core/codegen/code_places.h"

#include "core/codegen/innermost_code.h"
#include "core/loop/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::codegen {
namespace {

loop::Func nest(const std::string& expression) {
  return loop::parse(
             "func f(\n    X: float32[1024] input,\n    Y: float32[1024] output) {\n"
             "  for i in 64 {\n    for j in 16 vectorized {\n      Y[i * 16 + j] = " +
             expression + "\n    }\n  }\n}\n")
      .value();
}

struct Made {
  ObjectCode code;
  std::shared_ptr<const KernelListings> listings;
};
Made made(const loop::Func& func) { return {generate(func).value(), list(func).value()}; }

TEST(CodePlaces, EveryInstructionHasOne) {
  const auto [code, listings] = made(nest("exp(X[i * 16 + j])"));
  const SourceLines& assembly = listings->assembly();
  const auto places = code_places(code, assembly);
  ASSERT_TRUE(places) << to_string(places.error());
  std::size_t instructions = 0;
  for (const SourceLine& line : assembly) instructions += !instruction_of(line.text).empty();
  ASSERT_EQ(places->all().size(), instructions);
  for (std::size_t p = 0; p < instructions; ++p) {
    const auto [offset, line] = places->all()[p];
    EXPECT_EQ(places->line_at(offset), line);
    if (p > 0) {
      EXPECT_GT(offset, places->all()[p - 1].offset);
      EXPECT_EQ(places->line_at(offset - 1), places->all()[p - 1].line) << "its last byte";
    }
  }
  // The entry point is the first instruction behind its label.
  const auto entry = places->line_at(0);
  ASSERT_TRUE(entry);
  EXPECT_EQ(assembly[*entry - 1].text, "kernel:");
  EXPECT_FALSE(places->line_at(places->all().front().offset - 1));
  EXPECT_FALSE(places->line_at(1 << 20));
  EXPECT_FALSE(places->line_at(-(1 << 20)));
}

TEST(CodePlaces, AnotherKernelsListingIsRefused) {
  const Made one = made(nest("exp(X[i * 16 + j])")), other = made(nest("X[i * 16 + j] * 2.0f"));
  const auto places = code_places(one.code, other.listings->assembly());
  ASSERT_FALSE(places);
  EXPECT_EQ(places.error().code, Code::CodegenFailed);
  EXPECT_THAT(to_string(places.error()), ::testing::HasSubstr("not of one kernel"));
  EXPECT_FALSE(code_places({"no object file", 0}, one.listings->assembly()));
}

}  // namespace
}  // namespace loopglass::codegen
