#include "app/window/environment.h"

#include <QByteArray>
#include <QtGlobal>

#ifdef Q_OS_UNIX
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <filesystem>
#include <string>

namespace loopglass::app {

void prepare_environment() {
#ifdef Q_OS_UNIX
  if (qEnvironmentVariableIsSet("XDG_RUNTIME_DIR")) return;
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  if (error) return;
  const std::string folder =
      (temporary / ("loopglass-runtime-" + std::to_string(getuid()))).string();
  mkdir(folder.c_str(), S_IRWXU);
  struct stat about {};
  // Somebody else's folder of that name is not ours to use.
  const bool ours = lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
                    about.st_uid == getuid() && (about.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  if (ours) qputenv("XDG_RUNTIME_DIR", folder.c_str());
#endif
}

}  // namespace loopglass::app
