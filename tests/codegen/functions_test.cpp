// Kernels of so many loop nests that they become several LLVM functions.
#include "core/loop/rewrite.h"
#include "tests/codegen/run_both.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass {
namespace {

// Each nest reads what the one before it has written, through a buffer that all functions share,
// and one buffer is another function's.
std::string many_nests(int count) {
  std::string text =
      "func many(X: float32[24] input, Y: float32[24] output, Z: float32[24] output) {\n"
      "alloc A: float32[24] workspace {\nfor a in 24 { A[a] = X[a] }\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format(
        "alloc L{0}: float32[24] stack {{\n"
        "for l{0} in 24 {{ L{0}[l{0}] = A[23 - l{0}] + {0}.0f }}\n"
        "for b{0} in 24 vectorized {{ A[b{0}] = L{0}[b{0}] * 0.5f }}\n}}\n",
        i);
    if (i % 10 == 0) text += fmt::format("for p{0} in 24 parallel {{ Z[p{0}] = A[p{0}] }}\n", i);
  }
  return text + "for y in 24 { Y[y] = A[y] }\n}\n}\n";
}

std::ptrdiff_t functions_in(const codegen::KernelListings& kernel) {
  return std::ranges::count_if(kernel.assembly(), [](const codegen::SourceLine& line) {
    return line.text.starts_with("many.body") && line.text.find(':') != std::string::npos;
  });
}

TEST(Functions, ManyNestsBecomeSeveralAndComputeTheSame) {
  expect_same(many_nests(3));
  expect_same(many_nests(150));
}

TEST(Functions, TheirNumberGrowsWithTheNests) {
  EXPECT_EQ(functions_in(*list_func(parse_func(many_nests(3)))), 1);
  const std::ptrdiff_t some = functions_in(*list_func(parse_func(many_nests(80)))),
                       many = functions_in(*list_func(parse_func(many_nests(240))));
  EXPECT_GE(some, 2);
  EXPECT_GE(many, some + 2);
}

// Where the loop pass has left no annotation there is one function, however long.
TEST(Functions, CodeGenerationCutsNothingByItself) {
  loop::Func func = settled(parse_func(many_nests(80)));
  func.body = loop::rewrite(
      func.body, [](const loop::Stmt& stmt) { return loop::with_annotations(stmt, {}); });
  EXPECT_EQ(functions_in(*codegen::list(func).value()), 1);
}

// By hand, too.
TEST(Functions, BeginWhereAStatementSaysSo) {
  const loop::Func func = parse_func(R"(
    func many(X: float32[8] input, Y: float32[8] output) {
      alloc A: float32[8] workspace {
        for a in 8 { A[a] = X[a] }
        @function for b in 8 { A[b] = A[b] + 1.0f }
        @function Y[0] = A[0]
        for y in 8 { Y[y] = A[7 - y] } } })");
  EXPECT_EQ(functions_in(*codegen::list(func).value()), 3);
  expect_same(func, random_arguments(func));
}

}  // namespace
}  // namespace loopglass
