// Memory for a kernel that may be wrong: before and behind it lies a page that nobody may touch, so
// that most of what misses it ends the process instead of spoiling the next answer.
#pragma once

#include "core/support/result.h"

#include <cstddef>
#include <span>

namespace loopglass::measure {

class GuardedMemory {
 public:
  // Zeros, aligned as a Tensor's storage and readable as far behind their end. OutOfMemory.
  static Result<GuardedMemory> allocate(std::size_t bytes);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory& operator=(GuardedMemory&& other) noexcept;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  std::span<const std::byte> content() const { return {data_, bytes_}; }
  // From here on whoever writes to it is ended.
  void protect();

 private:
  GuardedMemory() = default;
  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace loopglass::measure
