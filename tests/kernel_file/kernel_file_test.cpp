// Kernels as text, opened like a model.
#include "core/kernel_file/kernel_file.h"

#include "core/import_model.h"
#include "core/loop/text.h"
#include "samples/kernel_samples.h"
#include "tests/kernel_file/opened.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace loopglass::kernel_file {

namespace {

using ::testing::HasSubstr;

class Samples : public ::testing::TestWithParam<std::string> {};

TEST_P(Samples, ComputeWhatTheySay) {
  const samples::KernelSample& sample = *samples::find_kernel_sample(GetParam());
  EXPECT_NE(sample.title, sample.doc) << "the first line is '// Title: sentence.'";
  std::map<std::string, std::int64_t> small;
  const auto signatures = kernel_file::read_inputs(samples::kernel_sample_source(sample));
  ASSERT_TRUE(signatures) << to_string(signatures.error());
  for (const onnx::Signature& input : *signatures)
    for (const onnx::Dimension& dimension : input.shape)
      if (!dimension.symbol.empty()) small[dimension.symbol] = 37;
  compare_with_interpreter(*opened(samples::kernel_sample_source(sample), small));
}

std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  for (const samples::KernelSample& sample : samples::all_kernel_samples())
    names.push_back(sample.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, Samples, ::testing::ValuesIn(sample_names()),
                         [](const auto& info) { return info.param; });

// One machine code serves every extent, 0 among them.
TEST(KernelFile, ASymbolIsNotCompiledFor) {
  const onnx::Source source =
      samples::kernel_sample_source(*samples::find_kernel_sample("vector_add"));
  std::optional<codegen::CodeKey> key;
  for (const std::int64_t n : {0, 1, 7, 16, 17, 1000}) {
    const auto session = opened(source, {{"n", n}});
    compare_with_interpreter(*session);
    const auto kernel = session->kernel(fusion::GroupId{0});
    ASSERT_TRUE(kernel) << to_string(kernel.error());
    EXPECT_EQ((*kernel)->flops, n);
    const codegen::CodeKey own =
        codegen::code_key((*kernel)->lowered(), (*kernel)->compile_options());
    if (key) {
      EXPECT_EQ(own, *key);
    }
    key = own;
  }
}

// What the default schedule makes of symbols in each place, whether or not its tiles divide them.
TEST(KernelFile, DefaultSchedulesAreRightForEveryExtent) {
  const std::vector<std::string> texts{
      "input A: float32[n, 20]\nconstant B: float32[20, 40]\n"
      "C[i, j] = sum over k of A[i, k] * B[k, j]",
      "input A: float32[20, 24]\ninput B: float32[24, n]\n"
      "C[i, j] = sum over k of A[i, k] * B[k, j]",
      "input A: float32[14, n]\ninput B: float32[n, 33]\n"
      "C[i, j] = sum over k of A[i, k] * B[k, j]",
      "input A: float32[n, n]\ninput B: float32[n, n]\n"
      "C[i, j] = sum over k of A[i, k] * B[k, j]",
      "input X: float32[n, 3, 9, 9]\nconstant W: float32[16, 3, 3, 3]\n"
      "Y[b, c, y < 7, x < 7] = sum over ic, p, q of X[b, ic, y + p, x + q] * W[c, ic, p, q]",
      "input X: float32[n, 40]\nY[i] = max over k of X[i, k]",
      "input X: float32[40, n]\nY[i] = sum over k of X[i, k]",
      "input X: float32[7, n]\nY[j, i] = X[i, j] * 2 + 1",
      "input X: float32[n, 5, n]\nY[i, k, j] = X[i, j, k] - 1",
      // Groups, whose channels are summed apart.
      "input X: float32[n, 16, 7, 7]\nconstant W: float32[32, 8, 3, 3]\n"
      "Y[b, c, y < 5, x < 5] = sum over ic, p, q of "
      "X[b, c / 16 * 8 + ic, y + p, x + q] * W[c, ic, p, q]",
      // Of few columns, whose tiles are wider than they are.
      "input A: float32[n, n]\ninput B: float32[n, 2]\n"
      "C[i, j] = sum over k of A[i, k] * B[k, j]",
      "input A: float32[3, n, n]\ninput B: float32[3, n, 7]\n"
      "C[b, i, j] = sum over k of A[b, i, k] * B[b, k, j]",
      // An extent that follows from a symbol.
      "input X: float32[3, n + 6]\nconstant W: float32[8, 3, 5]\n"
      "Y[o, x < (n + 1) floordiv 2 + 1] = sum over c, k of X[c, 2 * x + k] * W[o, c, k]",
      // Intermediate tensors whose sizes are symbols'.
      "input X: float32[5, n]\ngreatest[i] = max over k of X[i, k]\n"
      "raised[i, j] = exp(X[i, j] - greatest[i])\ntotal[i] = sum over k of raised[i, k]\n"
      "Y[i, j] = raised[i, j] / total[i]",
      "input X: float32[n, 6]\nadded[i] = sum over k of X[i, k]\n"
      "off[i, j] = X[i, j] - added[i] / 6\nsquares[i] = sum over k of off[i, k] * off[i, k]\n"
      "Y[i, j] = off[i, j] * (1 / sqrt(squares[i] / 6 + 0.001))",
      "input Q: float32[n, 8]\ninput K: float32[n, 8]\ninput V: float32[n, 8]\n"
      "scores[i, j] = sum over k of Q[i, k] * K[j, k]\n"
      "raised[i, j] = exp(scores[i, j] * 0.1)\ntotal[i] = sum over j of raised[i, j]\n"
      "mixed[i, d] = sum over j of raised[i, j] * V[j, d]\n"
      "Y[i, d] = mixed[i, d] / max(total[i], 0.5)",
      "input A: float32[n, n]\ninput B: float32[n, 9]\nT[i, j] = sum over k of A[i, k] * B[k, j]\n"
      "U[i, j] = max(T[i, j], 0)\nC[i, j] = sum over k of A[k, i] * U[k, j]",
      "input X: float32[n]\nT[i] = X[i] * X[i]\n"
      "Y[i < n] = select(i > 0, T[max(i - 1, 0)], 0) + T[i]"};
  for (const std::string& text : texts) {
    std::optional<codegen::CodeKey> key;
    for (const std::int64_t n : {0, 1, 2, 7, 11, 12, 13, 31, 32, 33, 48, 65}) {
      SCOPED_TRACE(fmt::format("n = {}\n{}", n, text));
      const auto session = opened(source_of("k.te", "symbols n\n" + text), {{"n", n}});
      ASSERT_NO_FATAL_FAILURE(compare_with_interpreter(*session));
      const auto kernel = session->kernel(fusion::GroupId{0});
      ASSERT_TRUE(kernel) << to_string(kernel.error());
      const auto own = codegen::code_key((*kernel)->lowered(), (*kernel)->compile_options());
      if (key) {
        EXPECT_EQ(own, *key);
      }
      key = own;
    }
  }
}

// As those of a symbol are.
TEST(KernelFile, ExtentsThatFollowFromSymbolsAreTiled) {
  const auto session =
      opened(source_of("k.te",
                       "symbols n\ninput X: float32[16, n]\ninput W: float32[8, 16, 5]\n"
                       "Y[o, x < (n - 5) floordiv 2 + 1] = sum over c, k of X[c, 2 * x + k] * "
                       "W[o, c, k]"),
             {{"n", 205}});
  const auto kernel = session->kernel(fusion::GroupId{0});
  ASSERT_TRUE(kernel) << to_string(kernel.error());
  EXPECT_THAT(schedule::to_script((*kernel)->trace), HasSubstr("cache_write(Y, \"register\")"));
  compare_with_interpreter(*session);
}

// Conditions on one symbol in loops whose extents are another's, of which no part is seen to be
// without them.
TEST(KernelFile, LoopsAreCutOverSeveralSymbols) {
  const std::string text = R"(
    func f[n, m](A: float32[m] input, Y: float32[n] output) {
      alloc T: float32[n] workspace
      alloc U: float32[n] workspace
      for i in n {
        T[i] = select(m + 3 > 3, A[max(min(i, (m + 3) floordiv 4 - 1), 0)], 2.0f)
      }
      for j in n {
        block u(v = j) { U[v] = -3.0f }
      }
      for l in min(max(m, 0), n) {
        block w(v = l) {
          U[v] = select(v != 4, select(v + 2 < n, T[v + 2], -1.0f), 2.0f) +
                 select(v + 1 < 1 and v * 2 < m, A[max(min(v, (m + 3) floordiv 4 - 1), 0)], -3.0f)
        }
      }
      for o in n {
        for k in max(m, 1) {
          block Y(v = o, reduce r = k) by sum {
            init { Y[v] = 0.0f }
            Y[v] = Y[v] + (U[v] + select(v + 1 + m < 7 or v * 2 >= m, U[v], 3.0f) + float32(r))
          }
        }
      }
    })";
  for (const std::int64_t n : {0, 1, 5, 40})
    for (const std::int64_t m : {1, 3, 16, 70}) {
      SCOPED_TRACE(fmt::format("n = {}, m = {}", n, m));
      ASSERT_NO_FATAL_FAILURE(
          compare_with_interpreter(*opened(source_of("k.loops", text), {{"n", n}, {"m", m}})));
    }
}

// Memory whose size is a symbol's: of the kernel, and of each iteration of a loop.
TEST(KernelFile, LoopsKeepBuffersOfSymbolicSize) {
  const std::string text = R"(
    func f[m, n](X: float32[m, n] input, Y: float32[m, n] output) {
      alloc all: float32[m, n + 1] workspace
      for i in m {
        for j in n {
          block all(i0 = i, i1 = j) {
            all[i0, i1 + 1] = X[i0, i1] * 2.0f
          }
        }
      }
      for i_1 in m {
        alloc row: float32[2 * n] workspace
        for j_1 in n {
          block row(i0 = i_1, i1 = j_1) {
            row[2 * i1] = all[i0, i1 + 1] + 1.0f
          }
        }
        for j_2 in n {
          block Y(i0 = i_1, i1 = j_2) {
            Y[i0, i1] = row[2 * (n - 1 - i1)]
          }
        }
      }
    })";
  std::optional<codegen::CodeKey> key;
  for (const std::int64_t n : {0, 1, 5, 64})
    for (const std::int64_t m : {0, 1, 9}) {
      SCOPED_TRACE(fmt::format("m = {}, n = {}", m, n));
      const auto session = opened(source_of("k.loops", text), {{"m", m}, {"n", n}});
      ASSERT_NO_FATAL_FAILURE(compare_with_interpreter(*session));
      const auto kernel = session->kernel(fusion::GroupId{0});
      ASSERT_TRUE(kernel) << to_string(kernel.error());
      EXPECT_GE((*kernel)->use.workspace_bytes, 4 * m * n);
      const auto own = codegen::code_key((*kernel)->lowered(), (*kernel)->compile_options());
      EXPECT_EQ(own, key.value_or(own));
      key = own;
    }
}

// Memory that no machine has is refused before anything runs, whatever wraps on the way.
TEST(KernelFile, BuffersBeyondAllMemoryAreRefused) {
  const std::string text =
      "symbols n\ninput X: float32[n]\nT[i < n, j < n] = X[i] * X[j]\n"
      "S[i] = sum over j of T[i, j]\nY[i] = S[i] + T[i, i]";
  EXPECT_THAT(refusal("k.te", text, {.symbols = {{"n", 1 << 20}}}), HasSubstr("64 GiB"));
}

TEST(KernelFile, SymbolsAreSetOrFollowFromShapesOrFromTheFile) {
  const std::string text = "symbols n = 5\ninput A: float32[n]\nC[i] = A[i] + 1";
  const auto extent = [&](const onnx::ImportOptions& options) {
    const auto model = import_model(source_of("k.te", text), options);
    EXPECT_TRUE(model) << to_string(model.error());
    return model ? model->graph.value(model->graph.outputs()[0]).type.shape.at(0) : -1;
  };
  EXPECT_EQ(extent({}), 5);
  EXPECT_EQ(extent({.symbols = {{"n", 6}}}), 6);
  EXPECT_EQ(extent({.shapes = {{"A", {7}}}}), 7);
  EXPECT_THAT(refusal("k.te", text, {.shapes = {{"A", {7}}}, .symbols = {{"n", 6}}}),
              HasSubstr("'n' would be both 6 and 7"));
  EXPECT_THAT(refusal("k.te", text, {.symbols = {{"m", 6}}}), HasSubstr("no symbol 'm'"));
  EXPECT_THAT(refusal("k.te", text, {.shapes = {{"B", {6}}}}), HasSubstr("no input 'B'"));
  EXPECT_THAT(refusal("k.te", text, {.shapes = {{"A", {6, 6}}}}), HasSubstr("2 dimensions"));
}

TEST(KernelFile, AnnotationsOfATextStay) {
  const auto session = opened(
      source_of("f.loops",
                "@mark func f[n](X: float32[n] input, Y: float32[n] output) { @mine for i in n { "
                "alloc T: float32[n] workspace @why=\"so\" T[i] = X[i] @last Y[i] = T[i] } }"),
      {{"n", 4}});
  const auto kernel = session->kernel(fusion::GroupId{0});
  ASSERT_TRUE(kernel) << to_string(kernel.error());
  const std::string text = loop::to_text((*kernel)->initial);
  for (const char* word : {"@mark", "@mine", "@why=\"so\"", "@last", "T: float32[n]"})
    EXPECT_THAT(text, HasSubstr(word));
}

// Guards that ask about data, and an independent loop around them.
TEST(KernelFile, GuardsMayAskAboutData) {
  compare_with_interpreter(*opened(
      source_of("f.loops",
                "func f(X: float32[8] input, Y: float32[8] output) { for i in 8 parallel { Y[i] = "
                "0.0f if X[i] > 0 { Y[i] = X[i] } Y[i] = Y[i] + 1 } }"),
      {}));
  compare_with_interpreter(*opened(
      source_of("f.loops",
                "func f(X: float32[8] input, Y: float32[8] output) { alloc T: float32[1] workspace "
                "T[0] = 0.0f for i in 8 { if X[i] > 0 { T[0] = X[i] } Y[i] = T[0] } }"),
      {}));
}

TEST(KernelFile, WhatIsWrongIsSaidWithTheFile) {
  EXPECT_THAT(refusal("k.te", "input A: float32[4]\nC[i] = A[j]"), HasSubstr("k.te"));
  EXPECT_THAT(refusal("f.loops", "func f(X: float32[4] input) { }"), HasSubstr("no output"));
  EXPECT_THAT(refusal("k.te", "input A: float32[2000000000, 2000000000]\nC[i, j] = A[i, j]"),
              HasSubstr("tensor 'A'"));
  EXPECT_FALSE(import_model(std::filesystem::path("/nowhere/k.te"), {}));
}

TEST(KernelFile, WhatIsWrongIsSaidWithTheLine) {
  EXPECT_THAT(refusal("k.te",
                      "input A: float32[4]\n"
                      "B[i] = A[i] * 2\n"
                      "C[i < 4] = B[i + 1]"),
              HasSubstr("k.te: line 3, buffer 'B'"));
  EXPECT_THAT(refusal("k.te",
                      "symbols n\n"
                      "input A: float32[n]\n"
                      "input B: float32[n, n - 2000]\n"
                      "C[i] = A[i] + 1"),
              HasSubstr("k.te: line 3, "));
  const std::string head =
      "func f(\n"
      "    X: float32[8] input,\n"
      "    Y: float32[8] output) {\n";
  EXPECT_THAT(refusal("f.loops", head + "  // one too far\n\n  for i in 8 {\n"
                                        "    Y[i] =\n        X[i + 1]\n  }\n}"),
              HasSubstr("f.loops: line 7, buffer 'X'"));
  EXPECT_THAT(refusal("f.loops", head + "  Y[0] = X[0]\n  for i in 7 parallel {\n"
                                        "    Y[i + 1] = Y[i]\n  }\n}"),
              HasSubstr("f.loops: line 5, "));
  EXPECT_THAT(refusal("f.loops", head + "  for i in 8 {\n    if X[i] > 0 {\n"
                                        "      Y[i] = X[i, i]\n    }\n  }\n}"),
              HasSubstr("f.loops: line 6, loop i"));
  EXPECT_THAT(
      refusal("f.loops", head + "  for i in 3000000000 {\n    Y[i floormod 8] = X[0]\n  }\n}"),
      HasSubstr("f.loops: line 4, loop 'i'"));
  // Of parameters, too.
  EXPECT_THAT(
      refusal("f.loops", "func f(\n    X: float32[8] input,\n    Y: float32[m] output) {\n}"),
      HasSubstr("f.loops: line 3, func f"));
  EXPECT_THAT(refusal("f.loops", "func f(\n    X: float32[8] input) {\n}"),
              HasSubstr("f.loops: line 2, func f"));
}

}  // namespace

}  // namespace loopglass::kernel_file
