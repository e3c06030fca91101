// What is shown of the way to machine code: LLVM IR step by step and assembly, each line with the
// line of the loop nest it came from.
#include "tests/codegen/run_both.h"

#include <gmock/gmock.h>

#include <thread>

namespace loopglass {
namespace {

using codegen::SourceLine;
using testing::HasSubstr;

// The register tile of a matrix product: 14 rows by 32 columns.
constexpr std::string_view tile = R"(
func tile(A: float32[14, 512] input, B: float32[512, 32] constant, C: float32[14, 32] output) {
  alloc acc: float32[14, 32] register
  for i in 14 unrolled { for l in 32 vectorized { acc[i, l] = 0.0f } }
  for k in 512 {
    for r in 14 unrolled { for m in 32 vectorized { acc[r, m] = acc[r, m] + A[r, k] * B[k, m] } }
  }
  for s in 14 unrolled { for n in 32 vectorized { C[s, n] = acc[s, n] } }
})";

std::string text_of(const std::vector<SourceLine>& lines) {
  std::string text;
  for (const SourceLine& line : lines) text += line.text + '\n';
  return text;
}

int line_of(const codegen::CompiledKernel& kernel, std::string_view text) {
  const auto& lines = kernel.loop_listing().lines;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (lines[i].text.find(text) != std::string::npos) return static_cast<int>(i) + 1;
  throw std::runtime_error("no such line");
}

TEST(Listings, AccumulatorsOfATileStayInRegisters) {
  auto kernel = compile_func(parse_func(tile));
  int inner = line_of(*kernel, "A[r, k]");
  int multiply_adds = 0;
  for (const SourceLine& line : kernel->assembly()) {
    if (line.loop_line != inner) continue;
    if (line.text.find("vfmadd") != std::string::npos) ++multiply_adds;
    EXPECT_THAT(line.text, testing::Not(HasSubstr("[rsp"))) << "the stack is touched in the inner loop";
  }
  // At least one per row and vector, of whatever width.
  EXPECT_GE(multiply_adds, 28) << text_of(kernel->assembly());
}

TEST(Listings, LlvmBeginsAsEmittedAndEndsOptimised) {
  auto kernel = compile_func(parse_func(tile));
  const auto& steps = kernel->llvm();
  ASSERT_GE(steps.size(), 3u);
  EXPECT_EQ(steps.front().pass, "emitted");
  EXPECT_EQ(steps.back().pass, "optimised");
  EXPECT_THAT(text_of(steps.front().lines), HasSubstr("%acc = alloca"));
  EXPECT_THAT(text_of(steps.back().lines), testing::Not(HasSubstr("alloca")));
  EXPECT_THAT(text_of(steps.back().lines), HasSubstr("<32 x float>"));
  for (std::size_t i = 1; i + 1 < steps.size(); ++i)
    EXPECT_TRUE(text_of(steps[i].lines) != text_of(steps[i - 1].lines)) << steps[i].pass << " changed nothing";
}

TEST(Listings, InstructionsNameTheirLoopLine) {
  auto kernel = compile_func(parse_func("func f(X: float32[64] input, Y: float32[64] output) {\n"
                                        "  for i in 4 { for l in 16 vectorized { Y[i * 16 + l] = sqrt(X[i * 16 + l]) } } }"));
  int store = line_of(*kernel, "Y[i * 16 + l] =");
  bool in_llvm = false, in_assembly = false;
  for (const SourceLine& line : kernel->llvm().back().lines)
    if (line.text.find("@llvm.sqrt") != std::string::npos && line.text.find("declare") == std::string::npos)
      in_llvm |= line.loop_line == store;
  for (const SourceLine& line : kernel->assembly())
    if (line.text.find("sqrt") != std::string::npos) in_assembly |= line.loop_line == store;
  EXPECT_TRUE(in_llvm) << text_of(kernel->llvm().back().lines);
  EXPECT_TRUE(in_assembly) << text_of(kernel->assembly());
}

TEST(Listings, NeitherMetadataNorDirectivesAreShown) {
  auto kernel = compile_func(parse_func(tile));
  std::string ir = text_of(kernel->llvm().back().lines), assembly = text_of(kernel->assembly());
  EXPECT_THAT(ir, testing::Not(HasSubstr("!dbg")));
  EXPECT_THAT(ir, testing::Not(HasSubstr("!DILocation")));
  EXPECT_THAT(assembly, testing::Not(HasSubstr(".loc")));
  EXPECT_THAT(assembly, testing::Not(HasSubstr(".cfi")));
  EXPECT_THAT(assembly, testing::Not(HasSubstr(".debug")));
  EXPECT_THAT(assembly, HasSubstr("kernel:"));
}

// Every label that is jumped to is shown, and no other local one.
TEST(Listings, LabelsAreThoseJumpedTo) {
  auto kernel = compile_func(parse_func(tile));
  std::string assembly = text_of(kernel->assembly());
  for (const SourceLine& line : kernel->assembly()) {
    if (!line.text.starts_with(".L")) continue;
    std::string label = line.text.substr(0, line.text.find(':'));
    EXPECT_NE(assembly.find(' ' + label), std::string::npos) << label;
  }
}

TEST(Listings, AskedForFromSeveralThreadsTheyAreMadeOnce) {
  auto kernel = compile_func(parse_func(tile));
  const std::vector<SourceLine>* seen[2];
  {
    std::jthread other([&] { seen[0] = &kernel->assembly(); kernel->llvm(); });
    seen[1] = &kernel->assembly();
    kernel->llvm();
  }
  EXPECT_EQ(seen[0], seen[1]);
}

}  // namespace
}  // namespace loopglass
