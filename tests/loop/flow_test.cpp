// flows_inside() against its definition: every element that is read was written before, in the same
// iteration of the loops outside.
#include "core/loop/flow.h"

#include "core/loop/buffers.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace loopglass::loop {

namespace {

// A band: of a buffer, `written` elements from `band` * `step` on, by vectors, and none beyond
// `limit`; then `terms` of each of `rows` are read, `shift` further on.
struct Band {
  std::int64_t step, vectors, lanes, written, limit, rows, terms, shift;
};

std::string text_of(const Band& band) {
  return fmt::format(R"(
func f(X: float32[400] input, Y: float32[400] output) {{
  alloc B: float32[400] workspace
  for o in 3 {{
    for v in {vectors} {{ for l in {lanes} {{
      if v * {lanes} + l < {written} and o * {step} + v * {lanes} + l < {limit} {{
        B[o * {step} + v * {lanes} + l] = X[0]
      }}
    }} }}
    for r in {rows} {{ for k in {terms} {{ Y[o] = Y[o] + B[o * {step} + r + k + {shift}] }} }}
  }}
}})",
                     fmt::arg("vectors", band.vectors), fmt::arg("lanes", band.lanes),
                     fmt::arg("written", band.written), fmt::arg("step", band.step),
                     fmt::arg("limit", band.limit), fmt::arg("rows", band.rows),
                     fmt::arg("terms", band.terms), fmt::arg("shift", band.shift));
}

bool really_flows(const Band& band) {
  for (std::int64_t o = 0; o < 3; ++o) {
    std::set<std::int64_t> written;
    for (std::int64_t i = 0; i < band.vectors * band.lanes; ++i)
      if (i < band.written && o * band.step + i < band.limit) written.insert(o * band.step + i);
    for (std::int64_t r = 0; r < band.rows; ++r)
      for (std::int64_t k = 0; k < band.terms; ++k)
        if (!written.contains(o * band.step + r + k + band.shift)) return false;
  }
  return true;
}

bool claimed(const Band& band) {
  const Func func = parse(text_of(band)).value();
  const auto outer = find_loop(func, "o").value();
  const auto buffers = buffers_of(func);
  return flows_inside(outer.loop().body, *find_buffer(buffers, "B"), ranges_of(func));
}

TEST(Flow, ABandThatEndsWithinAVectorIsWritten) {
  EXPECT_TRUE(claimed({96, 4, 32, 98, 400, 96, 3, 0}));
  EXPECT_TRUE(claimed({96, 4, 32, 98, 290, 96, 3, 0}));
  EXPECT_FALSE(claimed({96, 4, 32, 97, 400, 96, 3, 0})) << "one element is missing";
  EXPECT_FALSE(claimed({96, 4, 32, 98, 289, 96, 3, 0})) << "and in the last band";
}

TEST(Flow, NeverClaimsWhatIsNotSo) {
  std::mt19937 random(1);
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(limit));
  };
  int claims = 0, flows = 0;
  for (int i = 0; i < 4000; ++i) {
    Band band;
    band.lanes = 1 + below(8);
    band.vectors = 1 + below(6);
    band.written = 1 + below(band.lanes * band.vectors + 4);
    band.step = below(band.written + 3);
    band.limit = i % 2 == 0 ? 400 : 1 + below(2 * band.step + band.written + 4);
    band.terms = 1 + below(3);
    band.shift = below(2);
    band.rows = std::max<std::int64_t>(1, band.written - band.terms - band.shift + below(3));
    const bool is_claimed = claimed(band), really = really_flows(band);
    ASSERT_TRUE(really || !is_claimed) << text_of(band);
    claims += is_claimed;
    flows += really;
  }
  EXPECT_GT(flows, 800);
  EXPECT_GT(claims, flows * 9 / 10);
}

}  // namespace

}  // namespace loopglass::loop
