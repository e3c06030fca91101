// What kernels read, kept from one request to the next: schedules of one nest are timed on the same
// numbers, and making those takes longer than most kernels.
#pragma once

#include "core/loop/func.h"
#include "core/measure/guarded_memory.h"
#include "core/tensor/tensor.h"

#include <map>
#include <memory>
#include <string>

namespace loopglass::measure {

class KernelInputs {
 public:
  // `limit`: bytes that are kept.
  explicit KernelInputs(std::size_t limit = std::size_t{256} << 20) : limit_(limit) {}

  // For a parameter of this shape; packed where it asks for that. Nobody may write there.
  Result<std::shared_ptr<const GuardedMemory>> random(const loop::Buffer& parameter,
                                                      const Shape& shape, std::uint64_t seed);
  // A caller's tensor in the same way. InputMismatch.
  static Result<std::shared_ptr<const GuardedMemory>> given(const loop::Buffer& parameter,
                                                            const Shape& shape,
                                                            const Tensor& tensor);

 private:
  std::map<std::string, std::shared_ptr<const GuardedMemory>> kept_;
  std::size_t bytes_ = 0;
  const std::size_t limit_;
};

}  // namespace loopglass::measure
