#include "app/common/text_file.h"

#include "core/support/byte_order_mark.h"

#include <fmt/format.h>
#include <filesystem>
#include <fstream>

namespace loopglass::app {

Result<std::string> read_text(const std::string& path, const std::string& subject,
                              const std::string& option, const std::string& hint) {
  constexpr std::size_t most = 16 << 20;  // a pipe may have no end
  std::ifstream file(path);
  std::string text(most + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  // A folder opens, and gives nothing.
  std::error_code error;
  if (file.bad() || !file.eof() || std::filesystem::is_directory(path, error))
    return fail(Code::FileUnreadable,
                fmt::format("{} in '{}' cannot be read{}", subject, path,
                            text.size() > most ? ": more than 16 MiB" : ""),
                option, hint);
  return without_byte_order_mark(std::move(text));
}

}  // namespace loopglass::app
