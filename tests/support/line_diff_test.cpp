// Line diffs: hunks as `diff -u` writes them, and that applying them gives the other text.
#include "core/support/line_diff.h"

#include <gtest/gtest.h>
#include <random>

namespace loopglass {
namespace {

std::string diffed(const std::string& before, const std::string& after, std::size_t context = 3) {
  return to_text(line_diff(before, after, context));
}

TEST(LineDiff, EqualTextsHaveNoHunks) {
  EXPECT_TRUE(line_diff("", "").empty());
  EXPECT_TRUE(line_diff("a\nb\n", "a\nb\n").empty());
}

TEST(LineDiff, AChangedLineStandsInItsContext) {
  EXPECT_EQ(diffed("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", 2),
            "@@ -3,5 +3,5 @@\n 3\n 4\n-5\n+five\n 6\n 7\n");
}

TEST(LineDiff, ASideWithoutLinesIsNamedByTheLineBefore) {
  EXPECT_EQ(diffed("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(diffed("a\n", ""), "@@ -1,1 +0,0 @@\n-a\n");
  EXPECT_EQ(diffed("1\n2\n", "1\nx\n2\n", 0), "@@ -1,0 +2,1 @@\n+x\n");
}

TEST(LineDiff, ContextsThatTouchMakeOneHunk) {
  const std::string before = "a\n1\n2\n3\n4\nb\n";
  EXPECT_EQ(line_diff(before, "A\n1\n2\n3\n4\nB\n", 2).size(), 1u);
  EXPECT_EQ(line_diff(before, "A\n1\n2\n3\n4\nB\n", 1).size(), 2u);
}

TEST(LineDiff, AMovedBlockKeepsTheLongerPart) {
  EXPECT_EQ(diffed("m\na\nb\nc\n", "a\nb\nc\nm\n", 0),
            "@@ -1,1 +0,0 @@\n-m\n@@ -4,0 +4,1 @@\n+m\n");
}

TEST(LineDiff, RepeatedLinesAreMatchedInOrder) {
  EXPECT_EQ(diffed("x\ny\nx\ny\n", "y\nx\ny\nx\n", 0),
            "@@ -1,1 +0,0 @@\n-x\n@@ -4,0 +4,1 @@\n+x\n");
}

// Rebuilds either side from a diff with full context.
std::pair<std::string, std::string> both_sides(const std::vector<Hunk>& hunks) {
  std::string before, after;
  for (const Hunk& hunk : hunks)
    for (const DiffLine& line : hunk.lines) {
      if (line.kind != LineKind::Added) before += line.text + "\n";
      if (line.kind != LineKind::Removed) after += line.text + "\n";
    }
  return {before, after};
}

TEST(LineDiff, RandomTextsAreRebuilt) {
  std::mt19937 random(7);
  const auto text = [&](std::size_t lines, int letters) {
    std::string made;
    for (std::size_t i = 0; i < lines; ++i)
      made +=
          std::string(1, static_cast<char>('a' + random() % static_cast<unsigned>(letters))) + "\n";
    return made;
  };
  for (int round = 0; round < 300; ++round) {
    const int letters = 2 + round % 20;
    // Every letter twice at either end, so that none is unique.
    std::string all;
    for (int i = 0; i < letters; ++i) all += std::string(1, static_cast<char>('a' + i)) + "\n";
    const std::string before = all + text(random() % 30, letters) + all,
                      after = all + text(random() % 30, letters) + all;
    const auto hunks = line_diff(before, after, 1000);
    if (before == after) continue;
    EXPECT_EQ(both_sides(hunks), std::pair(before, after));
    const std::string shuffled = text(40, 25);
    const auto anchored = line_diff(before, shuffled, 1000);
    EXPECT_EQ(both_sides(anchored), std::pair(before, shuffled));
  }
}

TEST(LineDiff, TenThousandLinesInAnyShape) {
  std::string before, after, repeated;
  for (int i = 0; i < 10'000; ++i) {
    before += "line " + std::to_string(i) + "\n";
    after += i % 3 == 0 ? "other " + std::to_string(i) + "\n" : "line " + std::to_string(i) + "\n";
    repeated += i % 2 == 0 ? "{\n" : "}\n";
  }
  EXPECT_EQ(both_sides(line_diff(before, after, 20'000)), std::pair(before, after));
  EXPECT_EQ(both_sides(line_diff(before, repeated, 20'000)), std::pair(before, repeated));
  EXPECT_EQ(both_sides(line_diff(repeated, "}\n" + repeated + "{\n{\n", 20'000)),
            std::pair(repeated, "}\n" + repeated + "{\n{\n"));
}

}  // namespace
}  // namespace loopglass
