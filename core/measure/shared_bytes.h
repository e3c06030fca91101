// Bytes that another process of ours can read: an anonymous file in memory, which goes with the
// last who has it.
#pragma once

#include "core/support/result.h"

#include <cstddef>
#include <string>

namespace loopglass::measure {

class SharedBytes {
 public:
  // Zeros. SystemRefused, OutOfMemory, OpenFilesExhausted.
  static Result<SharedBytes> create(std::size_t bytes);
  // What another process has under this path, to be read.
  static Result<SharedBytes> open(const std::string& path, std::size_t bytes);
  ~SharedBytes();
  SharedBytes(SharedBytes&& other) noexcept;
  SharedBytes& operator=(SharedBytes&& other) noexcept;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  // For another process, as long as this one has it: "/proc/17/fd/5".
  std::string path() const;

 private:
  SharedBytes() = default;
  int file_ = -1;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace loopglass::measure
