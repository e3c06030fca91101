// Padding between the rows of a buffer that a kernel allocates, so that rows do not meet in the
// same sets of a cache. The extents of an allocation are settled late, when only what is touched of
// it is kept: what is wanted is noted on it until then (@stride="0 16 4").
#pragma once

#include "core/loop/func.h"

#include <optional>
#include <string>

namespace loopglass::loop {

inline constexpr std::string_view stride_annotation = "stride";

// From one index of a dimension to the next there are `offset` elements more than a multiple of
// `factor`. The dimension is not the last: behind that there is nothing to pad.
struct StrideRule {
  std::size_t dimension = 0;
  std::int64_t factor = 1, offset = 0;  // factor >= 1, 0 <= offset < factor
};
std::string to_text(const StrideRule& rule);
// On its allocation, in the place of another; nullopt: none is noted.
Func with_stride_rule(const Func& func, const std::string& buffer,
                      const std::optional<StrideRule>& rule);
std::optional<StrideRule> parse_stride_rule(const std::string& text);  // nullopt: it is none

// The buffer with the dimension behind the rule's made longer, by as little as will do. nullopt:
// its extents are not constant, or no length will do.
std::optional<Buffer> with_stride(Buffer buffer, const StrideRule& rule);

}  // namespace loopglass::loop
