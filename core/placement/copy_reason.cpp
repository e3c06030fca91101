#include "core/placement/copy_reason.h"

namespace loopglass::placement {

std::string_view name(CopyReason reason) {
  switch (reason) {
    case CopyReason::OperandIsInput: return "OPERAND_IS_INPUT";
    case CopyReason::OperandIsConstant: return "OPERAND_IS_CONSTANT";
    case CopyReason::OperandIsOutput: return "OPERAND_IS_OUTPUT";
    case CopyReason::ResultIsOutput: return "RESULT_IS_OUTPUT";
    case CopyReason::PlacedElsewhere: return "PLACED_ELSEWHERE";
    case CopyReason::PartOfOperand: return "PART_OF_OPERAND";
    case CopyReason::NotRows: return "NOT_ROWS";
    case CopyReason::Misaligned: return "MISALIGNED";
    case CopyReason::ShortRows: return "SHORT_ROWS";
    case CopyReason::RowsForCaller: return "ROWS_FOR_CALLER";
    case CopyReason::KeepsLargeBuffer: return "KEEPS_LARGE_BUFFER";
    case CopyReason::BesideOpaque: return "BESIDE_OPAQUE";
  }
  __builtin_unreachable();
}

std::string_view explanation(CopyReason reason) {
  switch (reason) {
    case CopyReason::OperandIsInput:
      return "The operand is an input of the network: the caller's memory, which cannot be part of "
             "another tensor's.";
    case CopyReason::OperandIsConstant:
      return "The operand is a constant: written once, long before the result's memory is.";
    case CopyReason::OperandIsOutput:
      return "The operand is also an output of the network, which the caller gets in memory of its "
             "own.";
    case CopyReason::ResultIsOutput:
      return "The result is an output of the network, which the caller gets in memory of its own.";
    case CopyReason::PlacedElsewhere:
      return "The operand lies in memory of another tensor already, or here for the second time.";
    case CopyReason::PartOfOperand:
      return "Only some elements of the operand go into the result, beside others.";
    case CopyReason::NotRows:
      return "The elements would not lie in rows of one pitch: they change their order, or leave "
             "some out between two.";
    case CopyReason::Misaligned:
      return "It, or another part of the result, would not begin at a multiple of 64 bytes, where "
             "vector loads and stores expect a tensor.";
    case CopyReason::ShortRows:
      return "It would lie in rows of less than 64 bytes with gaps between, slower to write and to "
             "read than one run.";
    case CopyReason::RowsForCaller:
      return "It would lie in rows with gaps in memory of the caller, beyond whose end nothing may "
             "be touched.";
    case CopyReason::KeepsLargeBuffer:
      return "It would keep alive a buffer of more than four times its size that nothing else "
             "needs any more.";
    case CopyReason::BesideOpaque:
      return "An operator that is not known makes it or reads it, and finds it in memory of its "
             "own.";
  }
  __builtin_unreachable();
}

}  // namespace loopglass::placement
