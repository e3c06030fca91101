// Which code generator this is: object code that another one made is not taken for its own.
#pragma once

#include <string_view>

namespace loopglass::codegen {

// A digest of the sources that machine code follows from, made by the build
// (core/support/version.cmake).
extern const std::string_view generator_version;

}  // namespace loopglass::codegen
