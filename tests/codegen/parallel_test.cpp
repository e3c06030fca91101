// Parallel loops: what the outlined body captures, and that it may run on several threads or none.
#include "tests/codegen/run_both.h"

#include "core/loop/text.h"

#include <vector>

namespace loopglass {
namespace {

TEST(Parallel, BodiesCaptureBuffersVariablesAndSymbols) {
  expect_same(R"(
    func f[m](X: float32[4, m] input, Y: float32[4, m] output) {
      for a in 2 {
        for i in 2 parallel { for j in m { Y[a * 2 + i, j] = X[a * 2 + i, j] + float32(a * m) } }
      }
    })",
              0, {{"m", 5}});
}

TEST(Parallel, VariablesOfUnrolledLoopsReachTheBody) {
  expect_same(
      "func f(Y: int64[3, 4] output) {"
      "  for u in 3 unrolled { for i in 4 parallel { Y[u, i] = u * 10 + i } } }");
}

TEST(Parallel, EveryIterationHasItsOwnAllocations) {
  for (std::string size : {"8", "100000"})  // on the stack, and copies in the workspace
    for (std::string scope : {"workspace", "stack"}) {
      if (scope == "stack" && size != "8") continue;
      expect_same(
          "func f(X: float32[6, 8] input, Y: float32[6, 8] output) {"
          "  for i in 6 parallel {"
          "    alloc row: float32[" +
          size + "] " + scope +
          "    for j in 8 { row[j] = X[i, j] * 2.0f }"
          "    for k in 8 vectorized { Y[i, k] = row[7 - k] }"
          "  } }");
    }
}

// Also where symbols say how large they are, and how many.
TEST(Parallel, EveryIterationHasItsOwnAllocationsOfSymbolicSize) {
  for (const std::int64_t m : {0, 1, 7})
    for (const std::int64_t n : {1, 5, 40})
      expect_same(R"(
        func f[m, n](X: float32[m, n] input, Y: float32[m, n] output) {
          alloc whole: float32[n, m] workspace
          for a in m { for b in n { whole[b, a] = X[a, b] + 1.0f } }
          for i in m parallel {
            alloc row: float32[n + 3] workspace
            alloc large: float32[30000] workspace
            for j in n { row[n + 2 - j] = whole[j, i] * 2.0f }
            for l in n { large[l * 3] = row[l + 3] }
            for k in n { Y[i, k] = large[k * 3] }
          }
        })",
                  0, {{"m", m}, {"n", n}});
}

TEST(Parallel, BuffersAllocatedAroundAreShared) {
  for (std::string scope : {"workspace", "stack"})
    expect_same(
        "func f(X: float32[6, 8] input, Y: float32[6] output) {"
        "  alloc doubled: float32[6, 8] " +
        scope +
        "  for i in 6 parallel { for j in 8 vectorized { doubled[i, j] = X[i, j] * 2.0f } }"
        "  for r in 6 parallel { Y[r] = doubled[5 - r, r] } }");
}

TEST(Parallel, ALoopInsideAnotherRunsSerially) {
  expect_same(
      "func f(X: float32[4, 8] input, Y: float32[4, 8] output) {"
      "  for i in 4 parallel { for j in 8 parallel { Y[i, j] = X[i, j] } } }");
}

// Every iteration is handed out exactly once, whatever chunks the runtime makes.
TEST(Parallel, TheRuntimeIsAskedForTheWholeRange) {
  static std::vector<std::int64_t> counts;
  counts.clear();
  loop::Func func = parse_func("func f(Y: int64[5] output) { for i in 5 parallel { Y[i] = i } }");
  auto kernel = compile_func(func);
  codegen::ParallelRuntime runtime{nullptr,
                                   [](void*, std::int64_t count, auto body, void* closure) {
                                     counts.push_back(count);
                                     for (std::int64_t i = count; i-- > 0;) body(closure, i, i + 1);
                                   }};
  Tensor y(TensorType{DataType::Int64, {5}});
  void* buffers[] = {y.data()};
  kernel->entry()(buffers, nullptr, nullptr, &runtime);
  EXPECT_EQ(counts, std::vector<std::int64_t>{5});
  EXPECT_EQ(y.to_integers(), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace loopglass
