// Scalar loop nests: loops, conditions, allocations, symbols, select and index arithmetic.
#include "tests/codegen/run_both.h"

#include "core/loop/text.h"

#include <thread>

namespace loopglass {
namespace {

TEST(Loops, SerialNestComputesAMatrixProduct) {
  expect_same(R"(
    func matmul(A: float32[7, 9] input, B: float32[9, 5] input, C: float32[7, 5] output) {
      for i in 7 {
        for j in 5 {
          C[i, j] = 0.0f
          for k in 9 { C[i, j] = C[i, j] + A[i, k] * B[k, j] }
        }
      }
    })",
              1e-6);
}

TEST(Loops, IndicesAreRowMajorWhateverTheRank) {
  expect_same(R"(
    func transpose(X: int32[2, 3, 4] input, S: int32[] input, Y: int32[4, 2, 3] output) {
      for a in 2 { for b in 3 { for c in 4 { Y[c, a, b] = X[a, b, c] + S[] } } }
    })");
}

TEST(Loops, SymbolicExtentsAreReadWhenCalled) {
  std::string_view text = R"(
    func rows[n, m](X: float32[n, m] input, Y: float32[m, n] output) {
      for i in n parallel { for j in m { Y[j, i] = X[i, j] * 2.0f } }
    })";
  expect_same(text, 0, {{"n", 3}, {"m", 11}});
  expect_same(text, 0, {{"n", 1}, {"m", 1}});
  expect_same(text, 0, {{"n", 0}, {"m", 4}});
}

TEST(Loops, LoopsWithoutIterationsDoNothing) {
  expect_same(
      "func f(X: float32[0] input, Y: float32[4] output) { for i in 0 { Y[i] = X[i] } for j in 4 { "
      "Y[j] = 1.0f } }");
}

// Of an unrolled loop the extents inside are numbers, one for each of its bodies.
TEST(Loops, ExtentsMayBeNoneInsideAnUnrolledLoop) {
  expect_same(
      "func f(X: int64[6] input, Y: int64[6] output) {"
      "  for k in 6 { Y[k] = 0 }"
      "  for i in 4 unrolled {"
      "    for j in i { Y[j] = Y[j] + X[i] }"
      "    for j2 in i - 2 { Y[j2] = Y[j2] * 2 + X[j2] } } }");
}

// Wherever it points, in a parallel loop and under lanes too.
TEST(Loops, AHintBecomesAnInstructionAndChangesNothing) {
  constexpr std::string_view text =
      "func f(X: float32[64, 16] input, Y: float32[64, 16] output) {"
      "  for i in 64 parallel { prefetch X[i * 3 - 40, 0] prefetch X[i + 1000000, 4] "
      "    for j in 16 vectorized { prefetch X[i + 2, j] Y[i, j] = X[i, j] * 2.0f } } }";
  expect_same(text);
  const auto listings = list_func(parse_func(text));
  std::string llvm;
  for (const auto& line : *listings->llvm(0).value()) llvm += line.text + "\n";
  EXPECT_NE(llvm.find("@llvm.prefetch"), std::string::npos);
}

// Bytes of either sign over their whole range, and a step between rows that is not the tile's own.
TEST(Loops, IntrinsicsComputeWhatTheirNestsSay) {
  expect_same(R"(
    func bytes(A: uint8[5, 12] input, B: int8[3, 16, 4] input, C: int32[5, 20] output) {
      for i in 5 {
        for j in 20 { C[i, j] = 7i32 }
        for ko in 3 {
          @intrinsic="vnni_dot_16x4" for j1 in 16 {
            for k in 4 {
              C[i, j1 + 3] = C[i, j1 + 3] + int32(A[i, ko * 4 + k]) * int32(B[ko, j1, k])
            }
          }
        }
      }
    })");
  expect_same(R"(
    func product(A: float32[9, 30] input, B: float32[9, 17] input, C: float32[10, 40] output) {
      for i in 10 { for j in 40 { C[i, j] = 0.5f } }
      for t in 2 {
        @intrinsic="matmul_8x8x8" for k in 8 {
          for i1 in 8 {
            for j1 in 8 {
              C[i1 + 1, j1 + 7 + t * 16] = B[k, j1 + t] * A[i1, k * 3 + t] + C[i1 + 1, j1 + 7 + t * 16]
            }
          }
        }
      }
    })");
}

TEST(Loops, ExtentsMayDependOnOuterLoops) {
  expect_same(
      "func f(X: int64[6] input, Y: int64[6] output) {"
      "  for i in 6 { Y[i] = 0 for j in i + 1 { Y[i] = Y[i] + X[j] } } }");
}

TEST(Loops, ConditionsGuardWhatTheyEnclose) {
  expect_same(R"(
    func f(X: float32[10] input, Y: float32[13] output) {
      for i in 13 {
        if i >= 2 and i < 12 { Y[i] = X[i - 2] } else { Y[i] = -1.0f }
        if i == 3 { Y[i] = Y[i] + 1.0f }
      }
    })");
}

// The load that is not wanted lies far outside of X; performing it would fault.
TEST(Loops, SelectDoesNotPerformTheLoadItDoesNotTake) {
  expect_same(R"(
    func f[n](X: float32[10] input, Y: float32[10] output) {
      for i in 10 { Y[i] = select(i < 5, X[i], select(i > n, X[i * 10000000000], 2.0f)) }
    })",
              0, {{"n", 20}});
}

TEST(Loops, AnExpensiveBranchOfASelectIsJumpedAround) {
  expect_same(R"(
    func f(X: float32[10] input, Y: float32[10] output) {
      for i in 10 {
        Y[i] = select(i >= 5, exp(tanh(exp(tanh(X[(i - 5) * 2])))), exp(tanh(exp(tanh(X[i + 5])))))
      }
    })",
              1e-6);
}

TEST(Loops, UnrolledLoopsSeeTheirVariableAsAConstant) {
  expect_same(
      "func f(X: int64[4, 3] input, Y: int64[4, 3] output) {"
      "  for i in 4 { for j in 3 unrolled { Y[i, j] = X[i, 2 - j] + j } } }");
}

TEST(Loops, AllocationsOfEveryScopeHoldTheirValues) {
  for (std::string scope : {"workspace", "stack", "register"})
    expect_same(
        "func f(X: float32[4, 8] input, Y: float32[4, 8] output) {"
        "  for i in 4 {"
        "    alloc row: float32[8] " +
            scope +
            " {"
            "      for j in 8 { row[j] = X[i, j] * 2.0f }"
            "      alloc sum: float32[] " +
            scope +
            "      sum[] = 0.0f"
            "      for k in 8 { sum[] = sum[] + row[k] }"
            "      for l in 8 { Y[i, l] = row[l] / sum[] }"
            "    } } }",
        1e-6);
}

TEST(Loops, BoolsAreBytesInMemory) {
  expect_same(
      "func f(A: bool[9] input, X: float32[9] input, Y: bool[9] output, Z: uint8[9] output) {"
      "  for i in 9 { Y[i] = A[i] and X[i] > 0.0f or not A[i] Z[i] = uint8(Y[i]) + 1u8 } }");
}

TEST(Loops, GathersFollowIndicesFromMemory) {
  expect_same(
      "func f(T: float32[8, 3] input, I: int64[5] input, Y: float32[5, 3] output) {"
      "  for i in 5 { for j in 3 { Y[i, j] = T[I[i], j] } } }");
}

// A kernel may be called like a function of the C library that it calls.
TEST(Loops, NamesOfKernelsDoNotCollideWithTheCLibrary) {
  expect_same(
      "func sin(X: float64[3] input, Y: float64[3] output) { for i in 3 { Y[i] = sin(X[i]) } }");
  expect_same(
      "func kernel(X: float64[3] input, Y: float64[3] output) { for i in 3 parallel { Y[i] = "
      "sin(X[i]) } }");
}

TEST(Loops, WorkspaceIsCountedInAlignedPieces) {
  loop::Func func = parse_func(
      "func f(Y: float32[1] output) { alloc a: float32[5] workspace alloc b: uint8[65] workspace"
      "  a[0] = 1.0f b[0] = 1u8 Y[0] = a[0] }");
  EXPECT_EQ(compile_func(func)->workspace().bytes({}).value(), 64 + 128);
}

// Two kernels compiled at the same time from several threads.
TEST(Loops, KernelsCompileConcurrently) {
  std::vector<std::shared_ptr<const codegen::CompiledKernel>> kernels(4);
  std::vector<loop::Func> funcs;
  for (int k = 0; k < 4; ++k)
    funcs.push_back(
        parse_func("func f(X: float32[8] input, Y: float32[8] output) {"
                   "  for i in 8 { Y[i] = X[i] + " +
                   std::to_string(k) + ".0f } }"));
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < 4; ++k)
      threads.emplace_back([&, k] { kernels[k] = compile_func(funcs[k]); });
  }
  for (std::size_t k = 0; k < 4; ++k) {
    Arguments arguments = random_arguments(funcs[k]);
    auto results = run_kernel(*kernels[k], funcs[k], arguments);
    EXPECT_EQ(results[1].as<float>()[3],
              arguments.tensors[0].as<float>()[3] + static_cast<float>(k));
  }
}

}  // namespace
}  // namespace loopglass
