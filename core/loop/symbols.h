// The symbols of a nest, and the numbers that they stand for.
#pragma once

#include "core/loop/func.h"

#include <map>
#include <span>

namespace loopglass::loop {

// Of a symbol, or of a loop: index arithmetic over such numbers can be shown not to wrap.
inline constexpr std::int64_t greatest_extent = (std::int64_t{1} << 31) - 1;

// Whether a number, or each extent of a buffer, is known once these symbols are: before the nest
// runs.
bool follows_from(const Expr& e, std::span<const std::string> symbols);
bool follows_from(const Buffer& buffer, std::span<const std::string> symbols);

// What each symbol of the nest stands for: extents in the order of its symbols, perhaps of the
// first of them alone.
std::map<std::string, std::int64_t> symbol_values(const Func& func,
                                                  std::span<const std::int64_t> extents);

// The nest for just these extents, of all its symbols.
Func with_extents(const Func& func, const std::map<std::string, std::int64_t>& symbols);

}  // namespace loopglass::loop
