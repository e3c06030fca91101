// Where machine code may round otherwise than the loop nest says, and that it does nowhere else.
#include "core/codegen/llvm_pass_words.h"
#include "core/loop/annotations.h"
#include "core/loop/reference_interpreter.h"
#include "tests/codegen/run_both.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace loopglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

bool has_fused_multiply_add() {
  std::ifstream file("/proc/cpuinfo");
  std::stringstream text;
  text << file.rdbuf();
  return text.str().find(" fma ") != std::string::npos;
}

// The results of machine code and of the definition, of a nest X, W, Z -> Y over 64 elements.
std::pair<std::vector<Tensor>, std::vector<Tensor>> both(const std::string& value) {
  const loop::Func func = parse_func(
      "func f(X: float32[64] input, W: float32[64] input, Z: float32[64] input, Y: float32[64] "
      "output) { for i in 64 vectorized { Y[i] = " +
      value + " } }");
  Arguments arguments = random_arguments(func);
  for (std::size_t p = 0; p < 3; ++p) {
    std::size_t k = p;
    for (float& x : arguments.tensors[p].as<float>())
      x = 1.0f + std::ldexp(static_cast<float>(++k * 7919 % 8191), -13);
  }
  std::vector<Tensor> machine = run_kernel(*compile_func(func), func, arguments);
  loop::interpret_plainly(func, arguments.tensors);
  return {machine, arguments.tensors};
}

TEST(Contraction, AProductMayRoundWithTheSumThatTakesItAndNotOtherwise) {
  const auto [machine, defined] = both("X[i] * W[i] + Z[i]");
  for (std::size_t i = 0; i < 64; ++i) {
    const float x = defined[0].as<float>()[i], w = defined[1].as<float>()[i],
                z = defined[2].as<float>()[i], y = machine[3].as<float>()[i];
    EXPECT_TRUE(y == defined[3].as<float>()[i] || y == std::fma(x, w, z)) << i;
  }
}

// As without the loop pass that allows it: products and sums too are what the interpreters say, bit
// for bit, wherever they meet.
TEST(Contraction, WhereItIsNotAllowedProductsRoundByThemselves) {
  int contractions = 0;
  for (const char* kind : {"", " vectorized", " unrolled", " parallel"})
    for (const char* value : {"X[i] * W[i] + Z[i]", "Z[i] - X[i] * W[i]",
                              "X[i] * W[i] - Z[i] * X[i]", "(X[i] * W[i] + Z[i]) * X[i] + W[i]"}) {
      const loop::Func func = parse_func(fmt::format(
          "func f(X: float32[64] input, W: float32[64] input, Z: float32[64] input, Y: float32[64] "
          "output, S: float32[1] output) {{ S[0] = 0.0f for i in 64{} {{ Y[i] = {} }} "
          "for k in 64 {{ S[0] = S[0] + X[k] * W[k] }} }}",
          kind, value));
      loop::Func plain = settled(func);
      ASSERT_TRUE(loop::find_annotation(plain.annotations, loop::contract_annotation));
      const auto contracted = codegen::compile(plain).value();
      plain.annotations = {};
      const auto kernel = codegen::compile(plain).value();
      Arguments arguments = random_arguments(func);
      for (std::size_t p = 0; p < 3; ++p) {
        std::size_t k = p;
        for (float& x : arguments.tensors[p].as<float>())
          x = 1.0f + std::ldexp(static_cast<float>(++k * 7919 % 8191), -13);
      }
      const auto machine = run_kernel(*kernel, func, arguments),
                 with_it = run_kernel(*contracted, func, arguments);
      loop::interpret_plainly(func, arguments.tensors);
      for (const std::size_t output : {3u, 4u}) {
        EXPECT_TRUE(machine[output].same_content(arguments.tensors[output])) << kind << value;
        contractions += !with_it[output].same_content(machine[output]);
      }
    }
  if (has_fused_multiply_add()) {
    EXPECT_GT(contractions, 0) << "the numbers do not show the difference";
  }
}

TEST(Contraction, EveryOtherOperationRoundsByItself) {
  for (const std::string value :
       {"X[i] + W[i] + Z[i]", "X[i] * W[i] * Z[i]", "(X[i] + W[i]) * Z[i]", "X[i] / W[i] - Z[i]",
        "X[i] + W[i] - X[i]", "1.0f / X[i] * W[i]", "max(X[i] - W[i], Z[i] / 3.0f) + sqrt(X[i])",
        "X[i] * 0.1f / W[i]"}) {
    const auto [machine, defined] = both(value);
    for (std::size_t i = 0; i < 64; ++i)
      ASSERT_EQ(machine[3].as<float>()[i], defined[3].as<float>()[i]) << value << " at " << i;
  }
}

TEST(Contraction, IsSaidWhereItIsAllowed) {
  const auto kernel = list_func(parse_func(
      "func f(X: float32[64] input, Y: float32[64] output) { for i in 64 { Y[i] = X[i] * 0.1f + "
      "X[i] / 3.0f - 1.0f } }"));
  std::string emitted;
  for (const codegen::SourceLine& line : *kernel->llvm(0).value()) emitted += line.text + "\n";
  EXPECT_THAT(emitted, HasSubstr("fmul contract"));
  for (const char* other : {"fast", "reassoc", "arcp", "afn", "nsz", "nnan", "ninf"})
    EXPECT_THAT(emitted, Not(HasSubstr(std::string(" ") + other + " "))) << other;
  EXPECT_THAT(std::string(codegen::llvm_pass_sentence("emitted")), HasSubstr("rounds once"));
}

}  // namespace
}  // namespace loopglass
