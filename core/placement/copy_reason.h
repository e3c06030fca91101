// Why a value that could have lain in another's memory is copied all the same, by code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace loopglass::placement {

enum class CopyReason : std::uint8_t {
  OperandIsInput,
  OperandIsConstant,
  OperandIsOutput,
  ResultIsOutput,
  PlacedElsewhere,
  PartOfOperand,
  NotRows,
  Misaligned,
  ShortRows,
  RowsForCaller,
  KeepsLargeBuffer,
  BesideOpaque,
};
inline constexpr std::size_t copy_reason_count =
    static_cast<std::size_t>(CopyReason::BesideOpaque) + 1;
std::string_view name(CopyReason reason);         // "PLACED_ELSEWHERE"
std::string_view explanation(CopyReason reason);  // what the code means, a sentence

}  // namespace loopglass::placement
