#include "core/support/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace loopglass {

namespace {

std::filesystem::path lock_of(const std::filesystem::path& guarded) {
  return guarded.string() + ".lock";
}

std::unexpected<Diagnostic> refusal(const FileKind& kind, const std::filesystem::path& guarded,
                                    int reason) {
  return refuse_file(kind, "locked", reason, lock_of(guarded));
}

// The lock's file, open; or why not.
Result<int> opened(const std::filesystem::path& guarded, const FileKind& kind) {
  std::error_code error;
  std::filesystem::create_directories(guarded.parent_path(), error);
  if (error) return refusal(kind, guarded, error.value());
  const int descriptor = ::open(lock_of(guarded).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return refusal(kind, guarded, errno);
  return descriptor;
}

}  // namespace

Result<FileLock> FileLock::take(const std::filesystem::path& guarded, const FileKind& kind) {
  FileLock lock(TRY(opened(guarded, kind)));
  while (::flock(lock.descriptor_, LOCK_EX) != 0)
    if (errno != EINTR) return refusal(kind, guarded, errno);
  return lock;
}

Result<std::optional<FileLock>> FileLock::try_take(const std::filesystem::path& guarded,
                                                   const FileKind& kind) {
  FileLock lock(TRY(opened(guarded, kind)));
  while (::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::nullopt;
    if (errno != EINTR) return refusal(kind, guarded, errno);
  }
  return std::optional(std::move(lock));
}

bool FileLock::is_taken(const std::filesystem::path& guarded) {
  const int file = ::open(lock_of(guarded).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool taken = ::flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(file);
  return taken;
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace loopglass
