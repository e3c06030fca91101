#include "core/support/cache_folder.h"

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace loopglass {

namespace fs = std::filesystem;

Result<fs::path> cache_folder() {
  if (const char* own = std::getenv("LOOPGLASS_CACHE"); own != nullptr && *own != '\0') return fs::path(own);
  if (const char* shared = std::getenv("XDG_CACHE_HOME"); shared != nullptr && *shared != '\0')
    return fs::path(shared) / "loopglass";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "loopglass";
  return fail(Code::FileUnwritable, "there is no folder to keep files in", {}, "set LOOPGLASS_CACHE to a folder");
}

Result<void> write_file(const fs::path& file, std::string_view text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  const fs::path unfinished = fmt::format("{}.{}", file.string(), getpid());
  if (!error) {
    std::ofstream stream(unfinished, std::ios::binary);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.close();
    if (!stream) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) fs::rename(unfinished, file, error);
  if (!error) return {};
  std::error_code ignored;
  fs::remove(unfinished, ignored);
  return fail(Code::FileUnwritable, fmt::format("the file cannot be written: {}", error.message()), file.string());
}

}  // namespace loopglass
