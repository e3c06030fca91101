// What code generation refuses, and that it says which loop or buffer stands in the way.
#include "tests/codegen/run_both.h"

#include <gmock/gmock.h>

namespace loopglass {
namespace {

using testing::HasSubstr;

Diagnostic refusal(std::string_view text) {
  auto kernel = codegen::compile(parse_func(text));
  if (kernel) throw std::runtime_error("it compiles");
  return kernel.error();
}

TEST(Refusals, LanesThatMeetInOneElement) {
  Diagnostic d = refusal(
      "func f(X: float32[8] input, Y: float32[] output) { for l in 8 vectorized { Y[] = Y[] + X[l] "
      "} }");
  EXPECT_EQ(d.code, Code::CodegenUnsupported);
  EXPECT_THAT(d.what, HasSubstr("'l'"));
  EXPECT_THAT(d.what, HasSubstr("'Y'"));
}

TEST(Refusals, ExtentsThatDifferBetweenLanes) {
  Diagnostic d = refusal(
      "func f(Y: int64[8, 8] output) { for l in 8 vectorized { for k in l + 1 { Y[l, k] = k } } }");
  EXPECT_EQ(d.code, Code::CodegenUnsupported);
  EXPECT_THAT(d.what, HasSubstr("'k'"));
}

TEST(Refusals, VectorsBeyondReason) {
  Diagnostic d = refusal("func f(Y: int64[4096] output) { for l in 4096 vectorized { Y[l] = l } }");
  EXPECT_EQ(d.code, Code::CodegenUnsupported);
  EXPECT_THAT(d.hint, HasSubstr("split"));
}

TEST(Refusals, StackFramesBeyondReason) {
  Diagnostic d = refusal(
      "func f(Y: float32[1] output) { alloc big: float32[1000000] stack big[0] = 1.0f Y[0] = "
      "big[0] }");
  EXPECT_EQ(d.code, Code::CodegenUnsupported);
  EXPECT_THAT(d.what, HasSubstr("'big'"));
}

TEST(Refusals, BlocksThatHaveNotBeenLowered) {
  Diagnostic d = refusal(
      "func f(Y: float32[4] output) { for i in 4 { block b(v = i) { writes Y[v] Y[v] = 1.0f } } }");
  EXPECT_EQ(d.code, Code::CodegenUnsupported);
  EXPECT_THAT(d.what, HasSubstr("'b'"));
}

TEST(Refusals, FuncsThatAreNotValid) {
  loop::Func func = parse_func("func f(Y: float32[4] output) { for i in 4 { Y[i] = 1.0f } }");
  func.body =
      loop::make(loop::Store{"Z", {expr::Expr(0)}, expr::floating(DataType::Float32, 1), {}});
  auto kernel = codegen::compile(func);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, Code::FuncInvalid);
}

}  // namespace
}  // namespace loopglass
