// Lines of a script that decide: what they offer, what they stand for, and the script without them.
#include "core/script/sampling.h"

#include "core/kernel/schedules.h"
#include "core/loop/text.h"
#include "tests/schedule/scripts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const loop::Func& product() {
  static const loop::Func nest = parsed(R"(
    func product(A: float32[12, 8] input, B: float32[8, 16] constant, C: float32[12, 16] output) {
      for i in 12 { for j in 16 { for k in 8 {
        block C(v0 = i, v1 = j, reduce v2 = k) by sum {
          init { C[v0, v1] = 0.0f }
          C[v0, v1] = C[v0, v1] + A[v0, v2] * B[v2, v1] } } } } })");
  return nest;
}

std::vector<Decision> decisions(const std::string& script) {
  const auto trace = parse_script(script);
  EXPECT_TRUE(trace) << to_string(trace.error());
  const auto found = decisions_of(product(), *trace);
  EXPECT_TRUE(found) << to_string(found.error());
  return found.value_or(std::vector<Decision>());
}

std::vector<std::string> words(const Decision& decision) {
  std::vector<std::string> words;
  for (const ScriptArgument& candidate : decision.candidates) {
    words.push_back(to_script(candidate));
  }
  return words;
}

std::string without_decisions(const std::string& script) {
  const auto plain = settled(product(), parse_script(script).value());
  EXPECT_TRUE(plain) << to_string(plain.error());
  if (!plain) return {};
  // What is left does the same.
  EXPECT_EQ(loop::to_text(plain->func),
            loop::to_text(scheduled(product(), to_script(plain->trace))));
  return to_script(plain->trace);
}

TEST(Sampling, TilesAreTheWaysToPartAnExtent) {
  const auto found = decisions(product_loops + "t = sample_tile(i, 2, 4)\nsplit(i, t)");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "t");
  EXPECT_EQ(found[0].chosen, 0u) << "undecided, it is the first";
  EXPECT_THAT(words(found[0]), ElementsAre("[12, 1]", "[6, 2]", "[4, 3]", "[3, 4]"));
  // Of 16 into three parts as many as there are ways to share four halvings: 15.
  const auto thirds = decisions(product_loops + "t = sample_tile(j, 3, 16)");
  ASSERT_EQ(thirds.size(), 1u);
  EXPECT_EQ(thirds[0].candidates.size(), 15u);
  for (const ScriptArgument& candidate : thirds[0].candidates) {
    const auto& factors = std::get<std::vector<std::int64_t>>(candidate);
    EXPECT_EQ(factors[0] * factors[1] * factors[2], 16);
  }
}

// Divisors are found by their roots: a long loop takes no longer.
TEST(Sampling, TilesOfLongLoopsAreFoundAtOnce) {
  const loop::Func nest = parsed(R"(
    func f(X: float32[1] input, Y: float32[1] output) {
      for i in 720720000000 { for z in 0 { block Y(v0 = z) { Y[v0] = X[v0] } } } })");
  const auto found = decisions_of(nest, parse_script("t = sample_tile(i, 2, 64)").value());
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(words((*found)[0])[1], "[360360000000, 2]");
  EXPECT_THAT(refusal(nest, "t = sample_tile(z, 2, 64)"), HasSubstr("no iterations"));
}

TEST(Sampling, WhatIsDecidedStandsWhereItIsUsed) {
  EXPECT_EQ(without_decisions("C = block(\"C\")\ni, j, k = loops(C)\n"
                              "t = sample_tile(j, 2, 8, [4, 4])\n"
                              "j_o, j_i = split(j, t)\n"
                              "order = sample_order([i, j_o], [j_o, i])\n"
                              "reorder([order, k, j_i])\n"
                              "copies = sample([\"1\", \"2\", \"4\"], \"2\")\n"
                              "annotate(k, \"unroll_count\", copies)\n"
                              "outer = sample_prefix(order, 2)\n"
                              "both = fuse(outer)\n"
                              "parallel(both)\n"),
            "C = block(\"C\")\ni, j, k = loops(C)\n"
            "j_o, j_i = split(j, [4, 4])\n"
            "reorder([j_o, i, k, j_i])\n"
            "annotate(k, \"unroll_count\", \"2\")\n"
            "both = fuse([j_o, i])\n"
            "parallel(both)\n");
}

TEST(Sampling, NumbersStandInTexts) {
  EXPECT_THAT(
      without_decisions(product_loops + "t = sample_tile(j, 2, 8, [2, 8])\n"
                                        "transform_layout(\"B\", \"k j -> j/{t.1} k j%{t.1}\")\n"),
      HasSubstr("transform_layout(\"B\", \"k j -> j/8 k j%8\")"));
  EXPECT_THAT(without_decisions("w = sample([4, 8], 4)\n"
                                "transform_layout(\"B\", \"k j -> j/{w} k j%{w}\")\n"),
              HasSubstr("\"k j -> j/4 k j%4\""));
  // Other braces mean themselves.
  EXPECT_THAT(refusal(product(), "transform_layout(\"B\", \"k j -> {w}\")"), HasSubstr("{w}"));
}

TEST(Sampling, APlaceIsALoopOfTheNest) {
  const std::string script = without_decisions(
      product_loops +
      "copy = cache_write(C, \"register\")\nat = sample([i, j], j)\nreverse_compute_at(copy, at)");
  EXPECT_THAT(script, HasSubstr("reverse_compute_at(copy, j)"));
}

TEST(Sampling, OneCanGoOnFromWhatIsBoundAgain) {
  EXPECT_EQ(without_decisions("n = sample([2, 4], 4)\nn, rest = split(i, [-1, 4])\nunroll(rest)"),
            "n, rest = split(i, [-1, 4])\nunroll(rest)\n");
}

TEST(Sampling, OthersAreRefusedAndSayWhatThereIs) {
  const auto refused = [](const std::string& lines, Code code = Code::ScheduleIllegal) {
    return refusal(product(), lines, code);
  };
  EXPECT_THAT(refused("t = sample_tile(i, 2, 4, [5, 2])"),
              HasSubstr("[5, 2] is none of its 4 candidates"));
  EXPECT_THAT(refused("t = sample_tile(i, 9, 4)"), HasSubstr("from 1 to 6"));
  EXPECT_THAT(refused("t = sample_tile(12, 2, 4)"), HasSubstr("a loop"));
  EXPECT_THAT(refused("a, b = sample([1, 2])"), HasSubstr("one name"));
  EXPECT_THAT(refused("a = sample([1, 2], 3)"), HasSubstr("none of its 2"));
  EXPECT_THAT(refused("a = sample([1, 2], 1, 1)"), HasSubstr("arguments"));
  EXPECT_THAT(refused("a = sample()"), HasSubstr("a list"));
  EXPECT_THAT(refused("a = sample_prefix([i, j], 3)"), HasSubstr("none of its 2"));
  EXPECT_THAT(refused("a = sample_prefix()"), HasSubstr("list of loops"));
  EXPECT_THAT(refused("a = sample_order([])"), HasSubstr("list"));
  refused("t = sample_tile(nobody, 2, 4)", Code::ScheduleHandleUnknown);
  refused("a = sample_prefix([nobody])", Code::ScheduleHandleUnknown);
  // A number is no loop.
  EXPECT_THAT(refused("a = sample([1, 2])\nvectorize(a)"), HasSubstr("must be"));
}

TEST(Sampling, ScriptsPrintAndParseBack) {
  const std::string script =
      "t = sample_tile(i, 2, 4, [6, 2])\norder = sample_order([i, j], [j, i])\n"
      "n = sample([1, 2], 2)\nshared = sample_prefix(order, 1)\n";
  EXPECT_EQ(to_script(parse_script(script).value()), script);
  EXPECT_TRUE(parse_script("t = sample_tiles(i)").error().what.find("no primitive") !=
              std::string::npos);
}

// A schedule of one kernel is one of its equals, whatever those call their loops.
TEST(Sampling, NamesFollowTheNest) {
  std::string text = loop::to_text(product());
  const auto rename = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
      text.replace(at, from.size(), to);
  };
  rename("for i in", "for row in");
  rename("v0 = i", "v0 = row");
  const loop::Func other = parsed(text);
  const Trace trace = parse_script(
                          "t = sample_tile(i, 2, 4, [4, 3])\ni_o, i_i = split(i, t)\n"
                          "unroll(i_i)")
                          .value();
  const Trace renamed =
      kernel::renamed(trace, loop::nameless_form(product()), loop::nameless_form(other));
  EXPECT_EQ(to_script(renamed),
            "t = sample_tile(row, 2, 4, [4, 3])\nrow_o, row_i = split(row, t)\nunroll(row_i)\n");
  scheduled(other, to_script(renamed));
}

}  // namespace
}  // namespace loopglass::schedule
