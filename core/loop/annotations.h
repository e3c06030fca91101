// The annotations that code generation goes by. Loop passes write them, each with its reason.
#pragma once

#include <string_view>

namespace loopglass::loop {

// Of a statement outside all loops: it and those behind it are a function of their own, up to the
// next one that is.
inline constexpr std::string_view function_annotation = "function";
// Of a Func: a product of floating-point numbers may round together with the sum that takes it.
inline constexpr std::string_view contract_annotation = "contract";

}  // namespace loopglass::loop
