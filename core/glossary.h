// What a word means that the compiler shows somebody: a pass, a primitive, a reason, an operator, a
// pass of LLVM, an instruction. Every sentence stands in the row of the thing itself.
#pragma once

#include "core/session.h"

namespace loopglass {

// Kinds that have words in common.
inline constexpr std::string_view llvm_instruction = "instruction of LLVM",
                                  x86_instruction = "x86 instruction";

struct Explanation {
  std::string kind;  // "graph pass"
  std::string name;
  std::string sentence;
};

// All that go by the word, case counting; those of one kind once.
std::vector<Explanation> explain(const Toolchain& toolchain, std::string_view word);

// Words that explain() knows, but for instructions, in the order of kinds.
std::vector<std::string> explained_words(const Toolchain& toolchain);

}  // namespace loopglass
