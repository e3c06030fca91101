#include "core/measure/guarded_memory.h"

#include "core/support/readable_bytes.h"
#include "core/tensor/tensor.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

namespace loopglass::measure {
namespace {

std::size_t page() {
  static const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Result<GuardedMemory> GuardedMemory::allocate(std::size_t bytes) {
  // The end, with what vectors may read behind it, lies at the end of a page.
  const std::size_t wanted = rounded_up(bytes, Tensor::alignment) + Tensor::alignment;
  const std::size_t usable = rounded_up(wanted, page());
  GuardedMemory memory;
  memory.mapped_ = usable + 2 * page();
  void* mapping = ::mmap(nullptr, memory.mapped_, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED)
    return fail(Code::OutOfMemory,
                fmt::format("no memory for {} of a kernel's", readable_bytes(bytes)));
  memory.mapping_ = static_cast<std::byte*>(mapping);
  if (::mprotect(memory.mapping_ + page(), usable, PROT_READ | PROT_WRITE) != 0)
    return fail(Code::OutOfMemory,
                fmt::format("no memory for {} of a kernel's", readable_bytes(bytes)));
  memory.data_ = memory.mapping_ + page() + (usable - wanted);
  memory.bytes_ = bytes;
  return memory;
}

GuardedMemory::~GuardedMemory() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(other.mapped_),
      data_(other.data_),
      bytes_(other.bytes_) {}

GuardedMemory& GuardedMemory::operator=(GuardedMemory&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void GuardedMemory::protect() {
  // Where the system does not, the kernel is only trusted more than it should be.
  static_cast<void>(::mprotect(mapping_ + page(), mapped_ - 2 * page(), PROT_READ));
}

}  // namespace loopglass::measure
