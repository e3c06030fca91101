#include "core/measure/shared_bytes.h"

#include "core/support/file_refusal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace loopglass::measure {
namespace {

std::unexpected<Diagnostic> mapping_refused(int error) {
  constexpr FileKind kind{Code::SystemRefused, "memory for the measuring process"};
  if (is_out_of_files(error)) return refuse_file(kind, "made", error, {});
  return fail(
      error == ENOMEM || error == ENOSPC ? Code::OutOfMemory : Code::SystemRefused,
      fmt::format("there is no memory for the measuring process: {}", std::strerror(error)));
}

}  // namespace

Result<SharedBytes> SharedBytes::create(std::size_t bytes) {
  SharedBytes shared;
  shared.file_ = ::memfd_create("loopglass", MFD_CLOEXEC);
  if (shared.file_ < 0) return mapping_refused(errno);
  shared.bytes_ = bytes;
  if (bytes == 0) return shared;
  // Taken now: what is not there later would be a signal.
  if (const int error = ::posix_fallocate(shared.file_, 0, static_cast<off_t>(bytes)); error != 0)
    return mapping_refused(error);
  void* mapping = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared.file_, 0);
  if (mapping == MAP_FAILED) return mapping_refused(errno);
  shared.data_ = static_cast<std::byte*>(mapping);
  return shared;
}

Result<SharedBytes> SharedBytes::open(const std::string& path, std::size_t bytes) {
  SharedBytes shared;
  shared.file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (shared.file_ < 0) return mapping_refused(errno);
  struct stat state {};
  if (::fstat(shared.file_, &state) != 0) return mapping_refused(errno);
  // What lies behind the end of a file is a signal.
  if (static_cast<std::size_t>(state.st_size) < bytes)
    return fail(Code::UsageInvalid, "there are fewer bytes than the text says", path);
  shared.bytes_ = bytes;
  if (bytes == 0) return shared;
  void* mapping = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, shared.file_, 0);
  if (mapping == MAP_FAILED) return mapping_refused(errno);
  shared.data_ = static_cast<std::byte*>(mapping);
  return shared;
}

SharedBytes::~SharedBytes() {
  if (data_) ::munmap(data_, bytes_);
  if (file_ >= 0) ::close(file_);
}

SharedBytes::SharedBytes(SharedBytes&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

SharedBytes& SharedBytes::operator=(SharedBytes&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

std::string SharedBytes::path() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), file_); }

}  // namespace loopglass::measure
