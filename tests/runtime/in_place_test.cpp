// When a result may be written over an operand: by the scheduled nest, and by what running it twice
// over, apart and in place, gives.
#include "core/dependence/in_place.h"

#include "core/codegen/kernel_listings.h"
#include "core/codegen/object_code.h"
#include "core/loop/text.h"
#include "core/runtime/executor.h"

#include <gtest/gtest.h>

namespace loopglass::schedule {
namespace {

loop::Func parsed(const std::string& text) {
  auto func = loop::parse(text);
  if (!func) throw std::invalid_argument(to_string(func.error()) + "\n" + text);
  return *std::move(func);
}

std::string pairs_text(const loop::Func& func) {
  std::string text;
  for (const InPlace& pair : in_place_pairs(func))
    text += (text.empty() ? "" : ", ") + func.parameters[pair.written].name + " over " +
            func.parameters[pair.read].name;
  return text;
}

struct Case {
  const char* name;
  const char* text;
  const char* pairs;
};

class InPlacePairs : public ::testing::TestWithParam<Case> {};

TEST_P(InPlacePairs, AreExactlyThese) {
  EXPECT_EQ(pairs_text(parsed(GetParam().text)), GetParam().pairs);
}

INSTANTIATE_TEST_SUITE_P(
    All, InPlacePairs,
    ::testing::Values(
        Case{"ElementByElement", R"(func f(A: float32[8] input, Y: float32[8] output) {
               for i in 8 { Y[i] = A[i] + 1.0f } })",
             "Y over A"},
        Case{"EitherOperandOfASum",
             R"(func f(A: float32[8] input, B: float32[8] input, Y: float32[8] output) {
               for i in 8 { Y[i] = A[i] + B[i] } })",
             "Y over A, Y over B"},
        Case{"AnotherShapeOfTheSamePlaces",
             R"(func f(A: float32[2, 6] input, Y: float32[12] output) {
               for i in 2 { for j in 6 { Y[i * 6 + j] = A[i, j] } } })",
             "Y over A"},
        Case{"AnotherTypeOfTheSameSize", R"(func f(A: int32[8] input, Y: float32[8] output) {
               for i in 8 { Y[i] = float32(A[i]) } })",
             "Y over A"},
        Case{"ATileWithARemainder", R"(func f(A: float32[10] input, Y: float32[10] output) {
               for o in 3 parallel { for i in 4 vectorized { if o * 4 + i < 10 { Y[o * 4 + i] = -A[o * 4 + i] } } } })",
             "Y over A"},
        Case{"ASmallerOperandIsReadAgainAndAgain",
             R"(func f(A: float32[1] input, Y: float32[8] output) {
               for i in 8 { Y[i] = A[0] } })",
             ""},
        Case{"ElementsChangePlaces", R"(func f(A: float32[8] input, Y: float32[8] output) {
               for i in 8 { Y[i] = A[7 - i] } })",
             ""},
        Case{"ATransposition", R"(func f(A: float32[4, 4] input, Y: float32[4, 4] output) {
               for i in 4 { for j in 4 { Y[i, j] = A[j, i] } } })",
             ""},
        Case{"ANeighbourIsReadToo", R"(func f(A: float32[8] input, Y: float32[8] output) {
               for i in 8 { Y[i] = A[i] + A[max(i - 1, 0)] } })",
             ""},
        Case{"AnEarlierNestReadsAnywhere", R"(func f(A: float32[8] input, Y: float32[8] output) {
               alloc S: float32[8] workspace {
                 for i in 8 { S[i] = exp(A[7 - i]) }
                 for i in 8 { Y[i] = A[i] + S[7 - i] } } })",
             "Y over A"},
        Case{"AnEarlierNestOfTheSameIteration",
             R"(func f(A: float32[2, 4] input, Y: float32[2, 4] output) {
               alloc S: float32[1] workspace {
                 for o in 2 {
                   for i in 4 { S[0] = A[1 - o, i] }
                   for i in 4 { Y[o, i] = A[o, i] + S[0] } } } })",
             ""},
        Case{"ALaterNestReadsAgain",
             R"(func f(A: float32[8] input, Y: float32[8] output, Z: float32[8] output) {
               for i in 8 { Y[i] = exp(A[i]) }
               for i in 8 { Z[i] = A[i] } })",
             "Z over A"},
        Case{"ALaterNestReadsTheResult",
             R"(func f(A: float32[8] input, Y: float32[8] output, Z: float32[8] output) {
               for i in 8 { Y[i] = exp(A[i]) }
               for i in 8 { Z[i] = Y[7 - i] } })",
             "Y over A"},
        Case{"AnEarlierNestReadsTheResult",
             R"(func f(A: float32[8] input, Y: float32[8] output, Z: float32[8] output) {
               for i in 8 { Z[i] = Y[i] }
               for i in 8 { Y[i] = exp(A[i]) } })",
             ""},
        Case{"StoredTwice", R"(func f(A: float32[8] input, Y: float32[8] output) {
               for k in 2 { for i in 8 { Y[i] = A[i] * 2.0f } } })",
             ""},
        Case{"StoredByTwoStatements", R"(func f(A: float32[8] input, Y: float32[8] output) {
               for i in 8 { Y[i] = 0.0f }
               for i in 8 { Y[i] = A[i] } })",
             ""},
        Case{"TilesThatOverlap", R"(func f(A: float32[10] input, Y: float32[10] output) {
               for o in 3 { for i in 4 { Y[o * 3 + i] = A[o * 3 + i] + 1.0f } } })",
             ""},
        Case{"ASumIsReadBack", R"(func f(A: float32[8] input, Y: float32[8] output) {
               for i in 8 { Y[i] = Y[i] + A[i] } })",
             ""},
        Case{"AnotherSizeOfElement", R"(func f(A: float64[8] input, Y: float32[8] output) {
               for i in 8 { Y[i] = float32(A[i]) } })",
             ""},
        Case{"AConstantIsNoOnesToOverwrite",
             R"(func f(A: float32[8] constant, Y: float32[8] output) {
               for i in 8 { Y[i] = A[i] } })",
             ""},
        Case{"AConditionReads", R"(func f(A: float32[8] input, Y: float32[8] output) {
               for i in 8 { if A[7 - i] > 0.0f { Y[i] = A[i] } } })",
             ""},
        Case{"AnIndexIsRead",
             R"(func f(A: int64[8] input, B: float32[8] input, Y: float32[8] output) {
               for i in 8 { Y[i] = B[A[i]] } })",
             ""}),
    [](const auto& info) { return info.param.name; });

// The machine code of what is allowed gives, in place, what it gives apart: vectors, threads,
// remainders.
TEST(InPlace, MachineCodeAgreesWithItself) {
  for (const char* body :
       {"for i in 67 { Y[i] = exp(A[i]) + B[i] * A[i] }",
        "alloc S: float32[1] workspace { S[0] = 0.0f for i in 67 { S[0] = S[0] + "
        "A[i] } for o in 67 parallel { Y[o] = A[o] / S[0] + B[66 - o] } }",
        "for o in 5 parallel { for i in 16 vectorized { if o * 16 + i < 67 { "
        "Y[o * 16 + i] = A[o * 16 + i] * B[66 - (o * 16 + i)] } } }",
        "for o in 17 { for i in 4 unrolled { if o * 4 + i < 67 { Y[o * 4 + i] = "
        "select(A[o * 4 + i] > 0.0f, A[o * 4 + i], B[0]) } } }"}) {
    const loop::Func func =
        parsed(std::string(
                   "func f(A: float32[67] input, B: float32[67] input, Y: float32[67] output) { ") +
               body + " }");
    codegen::CompileOptions options;
    options.in_place = in_place_pairs(func);
    ASSERT_FALSE(options.in_place.empty()) << body;
    EXPECT_EQ(options.in_place.front(), (InPlace{0, 2}));
    const auto kernel = codegen::compile(func, options);
    ASSERT_TRUE(kernel) << to_string(kernel.error());
    const TensorType type{DataType::Float32, {67}};
    Tensor a = runtime::random_tensor(type, 1), b = runtime::random_tensor(type, 2), apart(type);
    Tensor workspace(TensorType{
        DataType::UInt8, {std::max((*kernel)->workspace().bytes({}).value(), std::int64_t{1})}});
    runtime::ThreadPool pool(2);
    void* separate[] = {a.data(), b.data(), apart.data()};
    (*kernel)->entry()(separate, nullptr, workspace.data(), pool.parallel_runtime());
    void* together[] = {a.data(), b.data(), a.data()};
    (*kernel)->entry()(together, nullptr, workspace.data(), pool.parallel_runtime());
    EXPECT_TRUE(a.same_content(apart)) << body;
  }
}

// Without the promise that parameters are distinct, the code is another.
TEST(InPlace, IsPartOfWhatIsCompiled) {
  const loop::Func func =
      parsed("func f(A: float32[8] input, Y: float32[8] output) { for i in 8 { Y[i] = -A[i] } }");
  codegen::CompileOptions options;
  options.in_place = in_place_pairs(func);
  EXPECT_NE(codegen::code_key(func), codegen::code_key(func, options));
  const auto count_promises = [&](const codegen::CompileOptions& with) {
    std::size_t count = 0;
    const auto emitted = codegen::list(func, with).value()->llvm(0).value();
    for (const codegen::SourceLine& line : *emitted)
      if (line.text.starts_with("define") && line.text.find(".body") != std::string::npos)
        for (std::size_t at = line.text.find("noalias"); at != std::string::npos;
             at = line.text.find("noalias", at + 1))
          ++count;
    return count;
  };
  EXPECT_EQ(count_promises({}), 2u);
  EXPECT_EQ(count_promises(options), 0u);
}

}  // namespace
}  // namespace loopglass::schedule
