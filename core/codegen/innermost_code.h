// The loops of machine code, from a label to the jump back to it, and what the innermost ones are
// made of: those that no other one is in.
#pragma once

#include "core/codegen/kernel_listings.h"

#include <optional>
#include <string_view>
#include <vector>

namespace loopglass::codegen {

// Of the assembly's lines, from its label to the jump back, both among them.
struct LoopSpan {
  std::size_t first = 0, last = 0;
  friend bool operator==(const LoopSpan&, const LoopSpan&) = default;
};
// Whether it is another loop, within that one.
bool is_within(const LoopSpan& loop, const LoopSpan& other);
// All of them, outer ones too, in the order of the text.
std::vector<LoopSpan> all_loops(const SourceLines& assembly);
// Loops that no other one is in, in the order of the text.
std::vector<LoopSpan> innermost_loops(const SourceLines& assembly);
// That with the most multiply-adds, else the most instructions; nullopt: there is none.
std::optional<LoopSpan> main_loop(const SourceLines& assembly);
// An instruction's first word; empty for labels, notes and directives.
std::string_view instruction_of(std::string_view line);
// Instructions of it that multiply and add vectors, of x86.
int multiply_adds(const SourceLines& assembly, const LoopSpan& loop);
// Whether other instructions of it add, multiply or divide floats.
bool has_other_arithmetic(const SourceLines& assembly, const LoopSpan& loop);
// Operations of these together: two a lane of floats, four where pairs of int16 are multiplied and
// added to an int32, eight where four bytes are.
int multiply_add_operations(const SourceLines& assembly, const LoopSpan& loop);

// Instructions that store a vector register to the stack since there are no more, and that load it
// again or use it there; by what LLVM notes beside them.
struct Spills {
  int stores = 0, loads = 0;
  friend bool operator==(const Spills&, const Spills&) = default;
};
Spills vector_spills(const SourceLines& assembly);

// How many instructions there are, and how many of them do nothing but move lanes, of x86.
struct InnermostInstructions {
  int all = 0, moving_lanes = 0;
  int converting = 0;  // into another type, or shifted and masked to get at parts of a number
  int gathering = 0;   // each lane from a place of its own
  int on_vectors = 0;
  friend bool operator==(const InnermostInstructions&, const InnermostInstructions&) = default;
};
InnermostInstructions innermost_instructions(const SourceLines& assembly);

}  // namespace loopglass::codegen
