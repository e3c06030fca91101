#include "core/support/state_folder.h"

#include <cstdlib>

namespace loopglass {

namespace fs = std::filesystem;

Result<fs::path> state_folder() {
  if (const char* own = std::getenv("LOOPGLASS_STATE"); own != nullptr && *own != '\0')
    return fs::path(own);
  if (const char* shared = std::getenv("XDG_STATE_HOME"); shared != nullptr && *shared != '\0')
    return fs::path(shared) / "loopglass";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".local" / "state" / "loopglass";
  return fail(Code::SessionUnwritable, "there is no folder to keep sessions in", {},
              "set LOOPGLASS_STATE to a folder");
}

}  // namespace loopglass
