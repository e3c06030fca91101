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

// Stored once for all lanes, it would be one more and not eight.
TEST(Refusals, LanesThatCountInOneElement) {
  Diagnostic d =
      refusal("func f(Y: float32[1] output) { for l in 8 vectorized { Y[0] = Y[0] + 1.0f } }");
  EXPECT_EQ(d.code, Code::CodegenUnsupported);
  EXPECT_THAT(d.what, HasSubstr("'Y'"));
}

// Code generation makes nothing serial, cuts nothing and moves nothing: it names the loop pass that
// does, and takes what comes of it.
TEST(Refusals, WhatALoopPassHasToSettleFirst) {
  const struct {
    const char *text, *entity, *pass;
  } cases[] = {
      {"func f(Y: int64[4, 8] output) { for i in 4 parallel { for j in 8 parallel { Y[i, j] = i } "
       "} }",
       "'j'", "demote-loops"},
      {"func f(Y: int64[4, 8] output) { for i in 4 vectorized { for j in 8 parallel { Y[i, j] = i "
       "} } }",
       "'j'", "demote-loops"},
      {"func f(Y: int64[4, 8] output) { for i in 4 vectorized { for j in 8 vectorized { Y[i, j] = "
       "i } } }",
       "'j'", "demote-loops"},
      {"func f(Y: int64[1] output) { for i in 1 vectorized { Y[i] = 3 } }", "'i'", "demote-loops"},
      {"func f(Y: int64[37] output) { for i in 37 vectorized { Y[i] = i } }", "'i'", "cut-vectors"},
      {"func f(Y: int64[8] output) { for i in 8 vectorized { alloc t: int64[1] stack t[0] = i Y[i] "
       "= "
       "t[0] } }",
       "'t'", "expand-lane-buffers"},
      {"func f(Y: int64[8] output) { for i in 8 parallel { alloc t: int64[1] workspace t[0] = i "
       "Y[i] "
       "= t[0] } }",
       "'t'", "place-workspace"},
  };
  for (const auto& [text, entity, pass] : cases) {
    const Diagnostic d = refusal(text);
    EXPECT_EQ(d.code, Code::CodegenUnsupported) << text;
    EXPECT_THAT(d.what, HasSubstr(entity)) << text;
    EXPECT_THAT(d.hint, HasSubstr(pass)) << text;
    expect_same(text);
  }
}

TEST(Refusals, UnrollingBeyondReason) {
  Diagnostic d = refusal("func f(Y: int64[10000] output) { for i in 10000 unrolled { Y[i] = i } }");
  EXPECT_EQ(d.code, Code::CodegenUnsupported);
  EXPECT_THAT(d.what, HasSubstr("'i'"));
  EXPECT_THAT(d.hint, HasSubstr("limit-unrolling"));
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
