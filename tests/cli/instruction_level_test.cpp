// Kernels held to fewer instructions than the processor has compute the same.
#include "core/machine/instruction_level.h"
#include "tests/cli/command_line.h"

#include <fmt/format.h>

namespace loopglass::app {
namespace {

class InstructionLevels : public CommandLine {};

// A vector wider than a register, of which elements are inside by a row's condition and by one of
// which a whole part is false: LLVM 19 reads that part with no mask under AVX2.
TEST_F(InstructionLevels, PartsOfVectorsThatAreOutsideAreNotRead) {
  const std::string schedule = write("padded.schedule",
                                     "x_c = fuse([x, c])\n"
                                     "x_c_o, x_c_i = split(x_c, [-1, 16])\n"
                                     "vectorize(x_c_i)\n"
                                     "y_o, y_i = split(y, [-1, 2])\n");
  for (const std::string type : {"float32", "float64", "int32", "int64", "float16", "uint8"})
    for (const int channels : {18, 20}) {
      const std::string kernel = write(
          fmt::format("{}_{}.te", type, channels),
          fmt::format("input X: {0}[1, 8, 1, {1}]\n"
                      "padded[n < 1, y < 12, x < 3, c < {1}] = "
                      "select(y >= 2 and y < 10 and x >= 1 and x < 2, X[n, y - 2, x - 1, c], 0)\n"
                      "Y[y, x, c] = padded[0, y, x, c] * 2\n",
                      type, channels));
      const std::string expected = kernel + ".expected";
      ASSERT_EQ(run("run " + kernel + " --interpreted --save " + expected).exit_code, 0);
      for (const InstructionLevel& level : instruction_levels()) {
        const Said said = run(fmt::format("run {} --schedule {} --expect {} --target {}", kernel,
                                          schedule, expected, level.name));
        EXPECT_EQ(said.exit_code, 0) << kernel << ' ' << level.name << '\n' << said.error;
      }
    }
}

// AVX-512's way to scale by a power of two is known where the level says no more than its parts.
TEST_F(InstructionLevels, WhatALevelImpliesIsUsed) {
  const std::string kernel = write("exponential.te",
                                   "input X: float32[1024]\n"
                                   "Y[i < 1024] = exp(X[i])\n");
  for (const InstructionLevel& level : instruction_levels()) {
    const Said assembly = run(fmt::format("emit asm {} --target {}", kernel, level.name));
    EXPECT_EQ(assembly.out.find("vscalefps") != std::string::npos, level.vector_bytes == 64)
        << level.name;
  }
}

}  // namespace
}  // namespace loopglass::app
