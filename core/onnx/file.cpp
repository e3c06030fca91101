#include "core/onnx/file.h"

#include "core/support/file_refusal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace loopglass::onnx {

struct File::Descriptor {
  int number = -1;

  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

Result<File> File::open(const std::filesystem::path& path, Code failure) {
  const auto refuse = [&](std::string_view why) {
    return fail(failure, fmt::format("the file cannot be read: {}", why), path.string());
  };
  File file;
  file.descriptor_ = std::make_shared<Descriptor>();
  file.path_ = path;
  file.failure_ = failure;
  // Non-blocking, so that opening a pipe without a writer does not wait.
  file.descriptor_->number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.descriptor_->number < 0 && is_out_of_files(errno))
    return refuse_file({failure, "the file"}, "read", errno, path);
  if (file.descriptor_->number < 0) return refuse(std::strerror(errno));
  struct stat status {};
  if (::fstat(file.descriptor_->number, &status) != 0) return refuse(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return refuse("it is not a regular file");
  file.bytes_ = status.st_size;
  return file;
}

int File::descriptor() const { return descriptor_->number; }

Result<void> File::read(std::int64_t offset, std::span<std::byte> target) const {
  while (!target.empty()) {
    const ssize_t count = ::pread(descriptor_->number, target.data(), target.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      return fail(failure_,
                  fmt::format("the file ends or fails before byte {}", offset + std::ssize(target)),
                  path_.string());
    target = target.subspan(static_cast<std::size_t>(count));
    offset += count;
  }
  return {};
}

}  // namespace loopglass::onnx
