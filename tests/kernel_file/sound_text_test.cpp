// What is asked of a text beyond its form: that no access leaves its buffer, that what runs at once
// may, that what is read was written.
#include "core/import_model.h"
#include "tests/kernel_file/opened.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace loopglass::kernel_file {

namespace {

using ::testing::HasSubstr;

TEST(SoundText, AnAccessOutsideItsBufferIsShown) {
  EXPECT_THAT(refusal("k.te", "symbols n\ninput A: float32[n]\nC[i < n] = A[i + 1]"),
              HasSubstr("at n = 1, i = 0: index i + 1 is 1, and the extent is 1"));
  EXPECT_THAT(refusal("k.te", "input A: float32[9]\ninput I: int64[4]\nC[i] = A[I[i]]"),
              HasSubstr("it cannot be shown that index"));
  const auto clamped = import_model(
      source_of("k.te", "input A: float32[9]\ninput I: int64[4]\nC[i] = A[max(0, min(I[i], 8))]"),
      {});
  EXPECT_TRUE(clamped) << to_string(clamped.error());
}

// What is loaded may be any number, and a multiple of it wraps.
TEST(SoundText, NothingIsProvedByArithmeticThatMayWrap) {
  const std::string inputs = "input A: float32[10]\ninput K: int64[4]\n";
  for (const char* guard : {"K[i] >= 0 and K[i] * 4 < 40", "K[i] >= 0 and K[i] + 5 < 10"})
    EXPECT_THAT(refusal("k.te", inputs + "C[i] = select(" + guard + ", A[K[i]], 0)"),
                HasSubstr("it cannot be shown that index"))
        << guard;
  for (const char* index : {"K[i] floormod 10", "max(0, min(K[i], 4)) * 2 + 1"}) {
    const auto model = import_model(source_of("k.te", inputs + "C[i] = A[" + index + "]"), {});
    EXPECT_TRUE(model) << index << to_string(model.error());
  }
  const std::string far =
      "input A: float32[10]\nC[i < 8] = select(i - 9223372036854775807 < "
      "9223372036854775807, A[i + 100000000000], 0)";
  refusal("k.te", far);
  const auto multiple = [](const std::string& n) {
    return "symbols n = 3\ninput A: float32[10]\nC[i < 4] = A[" + n + "]";
  };
  EXPECT_TRUE(import_model(source_of("k.te", multiple("min(n * 4 + i, 9)")), {}));
  EXPECT_THAT(refusal("k.te", multiple("min(n * 4 + i, 9)"), {.symbols = {{"n", 1LL << 61}}}),
              HasSubstr("extents go to"));
  EXPECT_THAT(refusal("k.te",
                      "symbols n = 4\ninput A: float32[n * 1099511627776]\n"
                      "C[i < n] = A[i * 1099511627776]",
                      {.symbols = {{"n", 16777216}}}),
              HasSubstr("k.te"));
}

TEST(SoundText, LoopsEnd) {
  EXPECT_THAT(refusal("k.te", "input A: float32[4]\nC[i] = sum over k < 99999999999 of A[i]"),
              HasSubstr("loop 'k'"));
}

// Primitives set initial values apart from the sums that they begin.
TEST(SoundText, AnInitialValueIsOfTheElementThatIsUpdated) {
  EXPECT_THAT(refusal("f.loops",
                      "func f(X: int32[8] input, Y: int32[8] output) { for i in 4 { for k in 4 { "
                      "block a(v = i, reduce w = k) by sum { init { Y[0] = 0i32 } Y[v] = Y[v] + "
                      "X[w] } } } }"),
              HasSubstr("the initial value is not of the element"));
}

TEST(SoundText, LoopsThatRunAtOnceCarryNoDependence) {
  const auto nest = [](const std::string& kind) {
    return fmt::format(
        "func f(X: float32[8] input, Y: float32[8] output) {{ Y[0] = 0.0f for i in 7 {} {{ "
        "Y[i + 1] = Y[i] + X[i] }} }}",
        kind);
  };
  EXPECT_TRUE(import_model(source_of("f.loops", nest("")), {}));
  EXPECT_THAT(refusal("f.loops", nest("parallel")),
              ::testing::AllOf(HasSubstr("another iteration writes"), HasSubstr("at i = 1 "),
                               HasSubstr("without 'parallel' one comes after")));
  EXPECT_THAT(refusal("f.loops", nest("vectorized")), HasSubstr("another iteration writes"));
}

std::string of_eight(const std::string& body) {
  return "func f(X: float32[8] input, Y: float32[8] output) { alloc T: float32[9] workspace " +
         body + " }";
}

TEST(SoundText, WhatIsReadWasWrittenBefore) {
  const auto said = [](const std::string& body) { return refusal("f.loops", of_eight(body)); };
  EXPECT_THAT(said("for i in 8 { Y[i] = T[i] }"), HasSubstr("nothing has written T[0] before"));
  EXPECT_THAT(said("for i in 7 { T[i] = X[i] } for j in 8 { Y[j] = T[j] }"),
              HasSubstr("at j = 7: nothing has written T[7] before"));
  EXPECT_THAT(said("for i in 8 { T[i] = X[i] Y[i] = T[i + 1] }"),
              HasSubstr("at i = 0: nothing has written T[1] before"));
  EXPECT_THAT(said("for i in 4 { T[2 * i] = X[i] } for j in 8 { Y[j] = T[j] }"),
              HasSubstr("at j = 1: nothing has written T[1] before"));
  EXPECT_THAT(said("for i in 8 { for k in 8 { Y[i] = Y[i] + X[k] } }"),
              HasSubstr("at i = 0, k = 0: nothing has written Y[0] before"));
  // Each iteration has its own.
  EXPECT_THAT(said("for i in 8 { alloc R: float32[1] register if i < 5 { R[0] = X[i] } "
                   "Y[i] = R[0] }"),
              HasSubstr("at i = 5: nothing has written R[0] before"));
  EXPECT_THAT(refusal("f.loops",
                      "func f[n](X: float32[n] input, Y: float32[n] output) { alloc T: float32[n + "
                      "1] workspace for i in n { T[i + 1] = X[i] } for j in n { Y[j] = T[j] } }"),
              HasSubstr("at n = 1, j = 0: nothing has written T[0] before"));
}

TEST(SoundText, OutputsAreWrittenWhole) {
  EXPECT_THAT(refusal("f.loops", of_eight("for i in 4 { Y[2 * i] = X[i] }")),
              HasSubstr("nothing writes Y[1]"));
  EXPECT_THAT(refusal("f.loops",
                      "func f[n](X: float32[n] input, Y: float32[n, 2] output) { for i in n { "
                      "if i < 3 { Y[i, 0] = X[i] } Y[i, 1] = X[i] } }"),
              HasSubstr("nothing writes Y[3, 0] at n = 4"));
}

TEST(SoundText, WhereTimeAloneIsLookedAtNothingNeedBeWritten) {
  EXPECT_TRUE(import_model(
      source_of("f.loops", "@time_only " + of_eight("for i in 4 { Y[2 * i] = T[i] }")), {}));
}

// However much stands between.
TEST(SoundText, WhatManyNestsUpdateIsStillUnwritten) {
  std::string body = "for a in 7 { T[a] = X[a] } ";
  for (int i = 0; i < 60; ++i)
    body += fmt::format("for j{0} in 7 {{ T[j{0}] = T[j{0}] + 1.0f }} ", i);
  EXPECT_THAT(refusal("f.loops", of_eight(body + "for i in 8 { Y[i] = T[i] }")),
              HasSubstr("at i = 7: nothing has written T[7] before"));
}

// What is allocated in a loop is each iteration's, also where it is not seen that it writes what it
// reads.
TEST(SoundText, ThreadsHaveWhatIsAllocatedInTheirLoop) {
  const std::string text =
      "func f[n, m](A: float32[m] input, Y: float32[m] output) { for i in m parallel { "
      "alloc U: float32[n] workspace for j in n { U[j] = A[i] } "
      "Y[i] = select(n > 2, U[2], 2.0f) } }";
  for (const std::int64_t n : {0, 2, 3, 40})
    compare_with_interpreter(*opened(source_of("f.loops", text), {{"n", n}, {"m", 100}}));
  compare_with_interpreter(*opened(
      source_of("f.loops",
                "func f(A: float32[3] input, Y: float32[64] output) { for i in 64 parallel { "
                "alloc U: float32[3] register for j in 3 { U[j] = select(j <= 0, 1.0f, "
                "U[max(j - 1, 0)] + A[j]) } Y[i] = U[i floormod 3] * float32(i) } }"),
      {}));
}

// Whoever writes, in whichever order, as long as it is before; and what cannot be told.
TEST(SoundText, WrittenInPartsIsWritten) {
  for (const char* body :
       {"for i in 4 { T[2 * i] = X[i] } for k in 4 { T[2 * k + 1] = X[k] } for j in 8 { Y[j] = "
        "T[j] }",
        "for o in 3 { for i in 3 { if o * 3 + i < 8 { T[7 - o * 3 - i] = X[o * 3 + i] } } } for j "
        "in 8 { Y[j] = T[j] }",
        "T[0] = 1.0f for i in 8 { T[i + 1] = T[i] * X[i] Y[i] = T[i + 1] }",
        "for i in 8 { if i < 1 { T[0] = 0.0f } T[0] = T[0] + X[i] Y[i] = T[0] }",
        "T[0] = 0.0f for i in 8 { if X[i] > 0 { T[0] = X[i] } Y[i] = T[0] }",
        "for i in 8 { Y[i] = select(i < 4, X[i], 0) }",
        "for i in 8 { if i < 4 { T[i] = X[i] } } for j in 8 { Y[j] = select(j < 4, T[j], 0) }"})
    compare_with_interpreter(*opened(source_of("f.loops", of_eight(body)), {}));
}

}  // namespace

}  // namespace loopglass::kernel_file
