// What innermost loops are made of, read from the text of machine code.
#include "core/codegen/innermost_code.h"

#include "tests/codegen/listing_text.h"

#include <gtest/gtest.h>

namespace loopglass::codegen {
namespace {

Spills of(const std::string& text) { return vector_spills(lines_of(text)); }

TEST(Spills, AreThoseOfVectorsInInnermostLoops) {
  EXPECT_EQ(of("vmovups zmmword ptr [rsp], zmm1 # 64-byte Spill\n"
               ".LBB0_1: # outer\n"
               "  vmovups zmmword ptr [rsp], zmm1 # 64-byte Spill\n"
               ".LBB0_2:\n"
               "  vmovups zmmword ptr [rsp + 64], zmm2 # 64-byte Spill\n"
               "  vaddps zmm1, zmm1, zmmword ptr [rsp] # 64-byte Folded Reload\n"
               "  vmovups ymm3, ymmword ptr [rsp + 128] # 32-byte Reload\n"
               "  mov rax, qword ptr [rsp - 8] # 8-byte Reload\n"
               "  jne .LBB0_2\n"
               "  vmovups zmm1, zmmword ptr [rsp] # 64-byte Reload\n"
               "  jb .LBB0_1\n"),
            (Spills{1, 2}));
  EXPECT_EQ(of("  vmovups zmm1, zmmword ptr [rsp] # 64-byte Reload\n  jmp .LBB0_9\n.LBB0_9:\n"),
            Spills{});
  EXPECT_EQ(of(""), Spills{});
}

TEST(InnermostInstructions, AreCountedWithoutLabelsAndNotes) {
  EXPECT_EQ(innermost_instructions(lines_of("  vpermps zmm1, zmm2, zmm3\n"
                                            ".LBB0_1: # inner\n"
                                            "  # a note\n"
                                            "  .p2align 4\n"
                                            "  vpermps zmm1, zmm2, zmm3 # moves\n"
                                            "\tvunpcklps xmm1, xmm2, xmm3\n"
                                            "  vfmadd231ps zmm1, zmm2, zmm3\n"
                                            "  jne .LBB0_1\n")),
            (InnermostInstructions{.all = 4, .moving_lanes = 2, .on_vectors = 3}));
  EXPECT_EQ(innermost_instructions(lines_of("  vpermps zmm1, zmm2, zmm3\n")),
            InnermostInstructions{});
}

// Weights of four bits, unpacked and converted.
TEST(InnermostInstructions, ThatConvertAreCounted) {
  const SourceLines lines = lines_of(
      ".LBB0_1: # inner\n"
      "  vpmovzxbd ymm6, qword ptr [r14]\n"
      "  vpand ymm14, ymm6, ymm0\n"
      "  vpsrld ymm6, ymm6, 4\n"
      "  vcvtdq2ps ymm7, ymm14\n"
      "  vfmadd231ps ymm1, ymm7, ymm3\n"
      "  jne .LBB0_1\n");
  EXPECT_EQ(innermost_instructions(lines),
            (InnermostInstructions{.all = 6, .converting = 4, .on_vectors = 5}));
}

// One lane is no vector.
TEST(InnermostInstructions, ThatGatherAreCounted) {
  const SourceLines lines = lines_of(
      ".LBB0_1: # inner\n"
      "  vgatherqps ymm2 {k1}, zmmword ptr [rdi + 4*zmm3]\n"
      "  vpgatherdd xmm2, dword ptr [rdi + 4*xmm3], xmm4\n"
      "  vmovss xmm1, dword ptr [rdi]\n"
      "  vaddss xmm1, xmm1, xmm2\n"
      "  jne .LBB0_1\n");
  EXPECT_EQ(innermost_instructions(lines),
            (InnermostInstructions{.all = 5, .gathering = 2, .on_vectors = 2}));
}

// Half a vector is half the work.
TEST(MultiplyAdds, AreAsWideAsTheirRegisters) {
  const SourceLines lines = lines_of(
      ".LBB0_1: # inner\n"
      "  vfmadd231ps zmm1, zmm2, zmm3\n"
      "  vfmadd231ps ymm4, ymm5, ymmword ptr [rax]{1to8}\n"
      "  vfmadd213ss xmm1, xmm2, dword ptr [rsp]\n"
      "  vaddps zmm1, zmm2, zmm3\n"
      "  jne .LBB0_1\n");
  const auto loop = main_loop(lines);
  ASSERT_TRUE(loop);
  EXPECT_EQ(multiply_adds(lines, *loop), 3);
  EXPECT_EQ(multiply_add_operations(lines, *loop), 2 * (16 + 8 + 1));
  EXPECT_TRUE(has_other_arithmetic(lines, *loop));
}

// A lane of int32 sums two products of int16, or four of bytes.
TEST(MultiplyAdds, OfWordsAreSeveralALane) {
  const SourceLines lines = lines_of(
      ".LBB0_1: # inner\n"
      "  vpdpbusd zmm1, zmm2, zmm3\n"
      "  vpdpwssd ymm1, ymm2, ymm3\n"
      "  vpmaddwd xmm1, xmm2, xmm3\n"
      "  jne .LBB0_1\n");
  const auto loop = main_loop(lines);
  ASSERT_TRUE(loop);
  EXPECT_EQ(multiply_add_operations(lines, *loop), 16 * 8 + 8 * 4 + 4 * 4);
}

// Conversions and moves of lanes are no arithmetic, nor is what whole numbers of addresses add.
TEST(MultiplyAdds, AreAllThatThereIs) {
  const SourceLines lines = lines_of(
      ".LBB0_1: # inner\n"
      "  vcvtdq2ps ymm1, ymm1\n"
      "  vfmsub231ps ymm1, ymm2, ymm3\n"
      "  vbroadcastss ymm2, dword ptr [rax]\n"
      "  add rax, 4\n"
      "  jne .LBB0_1\n");
  const auto loop = main_loop(lines);
  ASSERT_TRUE(loop);
  EXPECT_EQ(multiply_adds(lines, *loop), 1);
  EXPECT_FALSE(has_other_arithmetic(lines, *loop));
}

}  // namespace
}  // namespace loopglass::codegen
