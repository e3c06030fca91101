// The annotations that code generation goes by.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace loopglass::loop {

// Loop passes write these, each with its reason.
//
// Of a statement outside all loops: it and those behind it are a function of their own, up to the
// next one that is.
inline constexpr std::string_view function_annotation = "function";
// Of a Func: a product of floating-point numbers may round together with the sum that takes it.
inline constexpr std::string_view contract_annotation = "contract";

// Experiments write this, and people who want to know what a part of a kernel takes.
//
// Of a Func: what it takes is looked at, not what it computes; so it may read what nothing wrote,
// and leave parts of its outputs out.
inline constexpr std::string_view time_only_annotation = "time_only";

// Primitives write these.
//
// Of a loop: the nest from it inwards is what the intrinsic of this name computes (intrinsics.h).
inline constexpr std::string_view intrinsic_annotation = "intrinsic";
// Of a serial loop: LLVM makes so many copies of its body; 1 says none.
inline constexpr std::string_view unroll_annotation = "unroll_count";
inline constexpr int most_unrolled_copies = 64;
// As the annotation has it; nullopt: no count from 1 to the most.
inline std::optional<int> unrolled_copies(std::string_view text) {
  int count = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, count);
  const bool is_count =
      error == std::errc() && end == last && count >= 1 && count <= most_unrolled_copies;
  return is_count ? std::optional(count) : std::nullopt;
}

}  // namespace loopglass::loop
