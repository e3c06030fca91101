// What a kernel's scratch memory takes, where that follows from symbols.
#include "core/codegen/workspace_size.h"

#include "core/tensor/tensor.h"
#include "tests/codegen/run_both.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace loopglass::codegen {
namespace {

using expr::Expr;

std::int64_t bytes(const WorkspaceSize& size, std::vector<std::int64_t> extents) {
  const auto found = size.bytes(extents);
  EXPECT_TRUE(found) << to_string(found.error());
  return found ? *found : -1;
}

TEST(WorkspaceSize, FollowsFromExtentsInTheirOrder) {
  const Expr m = expr::variable("m"), n = expr::variable("n");
  const WorkspaceSize size(floor_div(m * n * 4 + 63, 64) * 64 + 128, {"m", "n"}),
      renamed(floor_div(n * m * 4 + 63, 64) * 64 + 128, {"n", "m"});
  EXPECT_EQ(bytes(size, {3, 5}), 64 + 128);
  EXPECT_EQ(bytes(size, {0, 5}), 128);
  EXPECT_EQ(bytes(size, {100, 100}), 40000 + 128);
  EXPECT_EQ(size, renamed) << "names are no part of it";
  EXPECT_EQ(bytes(WorkspaceSize(1536), {}), 1536);
}

TEST(WorkspaceSize, IsReadBack) {
  const Expr n = expr::variable("n");
  for (const WorkspaceSize& size :
       {WorkspaceSize(0), WorkspaceSize(1 << 20), WorkspaceSize(n * n * 4 + 64, {"n"}),
        WorkspaceSize(floor_div(n + 5, 3) * 64 + floor_div(n * n, 16) * 64, {"n"})}) {
    const auto read = WorkspaceSize::parse(size.text());
    ASSERT_TRUE(read) << size.text();
    EXPECT_EQ(bytes(*read, {37}), bytes(size, {37})) << size.text();
  }
  for (const char* text : {"", "s0 *", "1.5f", "s0 < 3", "\n"})
    EXPECT_FALSE(WorkspaceSize::parse(text)) << text;
}

// Neither what no machine has nor what wraps on the way is taken for a size.
TEST(WorkspaceSize, RefusesWhatGoesBeyondAllMemory) {
  const Expr n = expr::variable("n");
  const WorkspaceSize size(n * n * n * n * 4, {"n"});
  for (const std::int64_t extent :
       {std::int64_t{1} << 10, std::int64_t{1} << 16, std::int64_t{1} << 31, std::int64_t{1} << 40})
    EXPECT_EQ(size.bytes(std::array{extent}).error().code, Code::OutOfMemory) << extent;
  EXPECT_EQ(bytes(size, {300}), 4LL * 300 * 300 * 300 * 300);
  EXPECT_FALSE(size.bytes({})) << "an extent that nobody gave";
}

TEST(WorkspaceSize, IsTheSumOfTheBuffers) {
  const auto kernel = compile_func(parse_func(
      "func f[n](X: float32[n] input, Y: float32[n] output) {"
      "  alloc a: float32[n] workspace alloc b: uint8[65] workspace alloc c: float64[n, 3] "
      "workspace"
      "  for i in n { a[i] = X[i] b[0] = uint8(i) c[i, 2] = float64(a[i]) Y[i] = float32(c[i, 2]) }"
      "}"));
  EXPECT_EQ(bytes(kernel->workspace(), {0}), 128);
  EXPECT_EQ(bytes(kernel->workspace(), {10}), 64 + 128 + 256);
}

}  // namespace
}  // namespace loopglass::codegen
