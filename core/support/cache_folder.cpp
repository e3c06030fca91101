#include "core/support/cache_folder.h"

#include <cstdlib>

namespace loopglass {

namespace fs = std::filesystem;

Result<fs::path> cache_folder() {
  if (const char* own = std::getenv("LOOPGLASS_CACHE"); own != nullptr && *own != '\0')
    return fs::path(own);
  if (const char* shared = std::getenv("XDG_CACHE_HOME"); shared != nullptr && *shared != '\0')
    return fs::path(shared) / "loopglass";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "loopglass";
  return fail(Code::FileUnwritable, "there is no folder to keep files in", {},
              "set LOOPGLASS_CACHE to a folder");
}

}  // namespace loopglass
