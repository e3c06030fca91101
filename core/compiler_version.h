// Which compiler this is: what another one was measured to take says nothing of this one.
#pragma once

#include <string_view>

namespace loopglass {

// A digest of the sources of core and passes, made by the build.
extern const std::string_view compiler_version;

}  // namespace loopglass
