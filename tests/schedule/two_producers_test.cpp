// Consumers that read two buffers which the same loop computes: they move into it where each
// iteration has computed all that they read in it.
#include "core/loop/text.h"
#include "tests/schedule/nests.h"
#include "tests/schedule/scripts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace loopglass::schedule {

namespace {

using ::testing::HasSubstr;

// A and B in one loop over i, then Y; what is computed of them, and what is read, as text.
loop::Func rows(const std::string& a, const std::string& b, const std::string& read) {
  const auto func =
      loop::parse(fmt::format(R"(func f(X: float32[6, 4] input, Y: float32[6, 4] output) {{
  alloc A: float32[6, 4] workspace
  alloc B: float32[6] workspace
  for i in 6 {{
    {}
    {}
  }}
  for i2 in 6 {{
    for j2 in 4 {{
      block Y(v = i2, w = j2) {{ Y[v, w] = {} }}
    }}
  }}
}})",
                              a, b, read));
  if (!func) throw std::invalid_argument(to_string(func.error()));
  return *func;
}

constexpr const char *whole_row =
                         "for j in 4 { block A(v = i, w = j) { A[v, w] = X[v, w] * 2.0f } }",
                     *of_row = "block B(v = i) { B[v] = X[v, 0] + 1.0f }",
                     *moved = "reverse_compute_at(\"Y\", \"i\")";

TEST(TwoProducers, OfARowAreReadInItsIteration) {
  scheduled(rows(whole_row, of_row, "A[v, w] + B[v]"), moved);
  scheduled(rows(whole_row, of_row, "B[v] * A[v, w] + B[v]"), moved);
  // The other one may be complete last.
  scheduled(
      rows("block B(v = i) { B[v] = X[v, 0] + 1.0f }",
           "for j in 4 { block A(v = i, w = j) { A[v, w] = X[v, w] * B[v] } }", "A[v, w] + B[v]"),
      moved);
}

TEST(TwoProducers, OfOtherRowsAreWaitedFor) {
  const std::string reason = "has computed only a part by then";
  EXPECT_THAT(refusal(rows(whole_row, of_row, "A[5 - v, w] + B[v]"), moved), HasSubstr(reason));
  EXPECT_THAT(refusal(rows("for j in 4 { block A(v = 5 - i in 6, w = j) { A[v, w] = X[v, w] } }",
                           of_row, "A[v, w] + B[v]"),
                      moved),
              HasSubstr(reason));
  // Along the row of another iteration.
  EXPECT_THAT(refusal(rows(whole_row, of_row, "A[w, v floormod 4] + B[v]"), moved),
              HasSubstr(reason));
  EXPECT_THAT(refusal(rows(whole_row, of_row, "A[v, w] + B[w]"), moved), HasSubstr(reason));
  // A part of each row a turn, as a sum over i would have it.
  EXPECT_THAT(
      refusal(
          rows("for j in 4 { block A(v = j in 6, w = i floordiv 2 in 4) { A[v, w] = X[v, w] } }",
               of_row, "A[v floormod 4, w floormod 3] + B[v]"),
          moved),
      HasSubstr(reason));
}

}  // namespace

}  // namespace loopglass::schedule
