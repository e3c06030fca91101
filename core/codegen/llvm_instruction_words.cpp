#include "core/codegen/llvm_instruction_words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace loopglass::codegen {

std::string_view llvm_instruction_sentence(std::string_view opcode) {
  using Row = std::pair<std::string_view, std::string_view>;
  static constexpr std::array rows{
      Row{"phi",
          "Takes the value of the block that control came from: how a loop's counter is written."},
      Row{"getelementptr", "Computes an address from a base and indices; loads nothing."},
      Row{"load", "Reads a value, or a whole vector, from memory."},
      Row{"store", "Writes a value, or a whole vector, to memory."},
      Row{"alloca", "Takes memory on the stack."},
      Row{"br", "Goes to another block, on a condition or always."},
      Row{"ret", "Returns from the function."},
      Row{"switch", "Goes to the block that belongs to a value."},
      Row{"unreachable", "A place that is never reached."},
      Row{"call", "Calls a function; of llvm.* mostly an instruction of the processor."},
      Row{"icmp", "Compares integers or addresses."},
      Row{"fcmp", "Compares floating-point numbers."},
      Row{"select", "Takes one of two values by a condition, without a branch."},
      Row{"add", "Adds integers."},
      Row{"sub", "Subtracts integers."},
      Row{"mul", "Multiplies integers."},
      Row{"sdiv", "Divides signed integers, rounding towards zero."},
      Row{"udiv", "Divides unsigned integers."},
      Row{"srem", "What is left of a signed division."},
      Row{"urem", "What is left of an unsigned division."},
      Row{"shl", "Shifts bits left."},
      Row{"lshr", "Shifts bits right, with zeros from the left."},
      Row{"ashr", "Shifts bits right, keeping the sign."},
      Row{"and", "Bitwise and."},
      Row{"or", "Bitwise or; disjoint: of bits that do not meet, so an addition."},
      Row{"xor", "Bitwise exclusive or."},
      Row{"fadd",
          "Adds floating-point numbers; contract: may become one instruction with a "
          "multiplication."},
      Row{"fsub", "Subtracts floating-point numbers."},
      Row{"fmul",
          "Multiplies floating-point numbers; contract: may become one instruction with an "
          "addition."},
      Row{"fdiv", "Divides floating-point numbers."},
      Row{"fneg", "Changes the sign of a floating-point number."},
      Row{"insertelement", "Puts a number into one lane of a vector."},
      Row{"extractelement", "Takes a number out of one lane of a vector."},
      Row{"shufflevector",
          "Picks lanes out of two vectors; with a mask of zeros it copies the first into every "
          "lane."},
      Row{"sext", "Widens an integer, keeping its sign."},
      Row{"zext", "Widens an integer, with zeros above it."},
      Row{"trunc", "Narrows an integer, dropping the upper bits."},
      Row{"fpext", "Widens a floating-point number."},
      Row{"fptrunc", "Narrows a floating-point number, rounding."},
      Row{"sitofp", "Converts a signed integer to floating point."},
      Row{"uitofp", "Converts an unsigned integer to floating point."},
      Row{"fptosi", "Converts floating point to a signed integer, cutting off."},
      Row{"fptoui", "Converts floating point to an unsigned integer, cutting off."},
      Row{"bitcast", "Takes the same bits for another type."},
      Row{"freeze", "Makes an undefined value some fixed one."}};
  const auto found = std::ranges::find(rows, opcode, &Row::first);
  return found == rows.end() ? std::string_view() : found->second;
}

}  // namespace loopglass::codegen
