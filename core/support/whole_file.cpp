#include "core/support/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>

namespace loopglass {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".partial";

// FILE.NUMBER.partial, NUMBER being a process, or a process and a count.
bool is_partial_of(const std::string& name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(ending)) return false;
  const std::size_t end = name.size() - ending.size();
  const std::size_t dot = name.rfind('.', end == 0 ? 0 : end - 1);
  if (dot == std::string::npos || dot + 1 >= end) return false;
  return std::all_of(name.begin() + static_cast<std::ptrdiff_t>(dot) + 1,
                     name.begin() + static_cast<std::ptrdiff_t>(end),
                     [](unsigned char c) { return std::isdigit(c) != 0 || c == '-'; });
}

// Two threads of a process write at once under two names, as do processes whose numbers are the
// same because they live in different containers: the name must be new.
fs::path partial_name(const fs::path& path) {
  static std::atomic<unsigned> count = 0;
  return fmt::format("{}.{}-{}{}", path.string(), ::getpid(), count++, ending);
}

// Devices and pipes, which nothing may take the place of.
bool is_stream(const struct stat& status) {
  return S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
}

}  // namespace

Result<WholeFile> WholeFile::create(const fs::path& named, const FileKind& kind) {
  // A link stays one: what it leads to is written.
  std::error_code no_link;
  const fs::path target = fs::is_symlink(named, no_link) ? fs::canonical(named, no_link) : named;
  const fs::path& path = no_link ? named : target;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (struct stat status{}; ::stat(path.c_str(), &status) == 0 && is_stream(status)) {
    WholeFile stream(path, kind);
    stream.is_stream_ = true;
    stream.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (stream.descriptor_ < 0) return stream.refusal(errno);
    return stream;
  }
  remove_abandoned(folder, path.filename().string() + ".");
  WholeFile file(path, kind);
  // Not every file system has files without names, and they get theirs by way of /proc.
  if (::access("/proc/self/fd", X_OK) == 0)
    file.descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file.descriptor_ >= 0) return file;
  for (int attempt = 0; attempt < 100; ++attempt) {
    file.partial_ = partial_name(path);
    file.descriptor_ = ::open(file.partial_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file.descriptor_ < 0 && errno == EEXIST) continue;
    if (file.descriptor_ < 0) break;
    struct stat status {};
    // Whoever tidied up before it was locked took it for abandoned.
    if (::flock(file.descriptor_, LOCK_EX) != 0 || ::fstat(file.descriptor_, &status) != 0 ||
        status.st_nlink > 0)
      return file;
    ::close(file.descriptor_);
  }
  const int reason = errno;
  file.partial_.clear();
  std::error_code unknown;
  if (reason == ENOENT && !fs::exists(folder, unknown))
    return fail(
        kind.unreachable,
        fmt::format("{} cannot be written: there is no folder '{}'", kind.noun, folder.string()),
        path.string(), "make the folder first, or choose another");
  return file.refusal(reason);
}

WholeFile::WholeFile(WholeFile&& other) noexcept
    : path_(std::move(other.path_)),
      partial_(std::exchange(other.partial_, {})),
      kind_(other.kind_),
      is_stream_(other.is_stream_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

WholeFile::~WholeFile() {
  if (!partial_.empty()) ::unlink(partial_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::unexpected<Diagnostic> WholeFile::refusal(int reason) const {
  return refuse_file(kind_, "written", reason, path_);
}

Result<void> WholeFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refusal(errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Result<void> WholeFile::put_in_place() {
  // Some file systems say at the first close that the disk is full. The lock stays: the other
  // descriptor holds it.
  if (const int copy = ::dup(descriptor_); copy < 0 || ::close(copy) != 0) return refusal(errno);
  if (is_stream_) return {};
  if (partial_.empty()) {
    const std::string nameless = fmt::format("/proc/self/fd/{}", descriptor_);
    const auto link_to = [&](const fs::path& name) {
      return ::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link_to(path_)) return {};
    // A link takes nothing's place; a file with a name of its own can.
    const int reason = errno;
    ::flock(descriptor_, LOCK_EX);
    errno = reason;
    fs::path name;
    do {
      if (errno != EEXIST) return refusal(errno);
      name = partial_name(path_);
    } while (!link_to(name));
    partial_ = name;
  }
  if (::rename(partial_.c_str(), path_.c_str()) != 0) return refusal(errno);
  partial_.clear();
  return {};
}

Result<void> make_folder_of(const fs::path& file, const FileKind& kind) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  if (error) return refuse_file(kind, "written", error.value(), file);
  return {};
}

Result<void> write_file(const fs::path& file, std::string_view text, const FileKind& kind) {
  WholeFile whole = TRY(WholeFile::create(file, kind));
  TRY_VOID(whole.write(text));
  return whole.put_in_place();
}

void remove_abandoned(const fs::path& folder, std::string_view prefix) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!is_partial_of(entry->path().filename().string(), prefix)) continue;
    const int file = ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
    ::close(file);
  }
}

}  // namespace loopglass
