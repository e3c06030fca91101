#include "core/support/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace loopglass {

Result<FileLock> FileLock::take(const std::filesystem::path& guarded) {
  std::error_code error;
  std::filesystem::create_directories(guarded.parent_path(), error);
  const std::string path = guarded.string() + ".lock";
  const auto refuse = [&](int reason) {
    return fail(Code::FileUnwritable,
                fmt::format("the file cannot be locked: {}", std::strerror(reason)), path);
  };
  if (error) return refuse(error.value());
  FileLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (lock.descriptor_ < 0) return refuse(errno);
  while (::flock(lock.descriptor_, LOCK_EX) != 0)
    if (errno != EINTR) return refuse(errno);
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace loopglass
