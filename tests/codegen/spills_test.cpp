// What machine code puts on the stack, read from its text.
#include "core/codegen/spills.h"

#include <gtest/gtest.h>

#include <sstream>

namespace loopglass::codegen {
namespace {

Spills of(const std::string& text) {
  SourceLines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back({line, 0});
  return vector_spills(lines);
}

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

}  // namespace
}  // namespace loopglass::codegen
