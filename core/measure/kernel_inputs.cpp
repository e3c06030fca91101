#include "core/measure/kernel_inputs.h"

#include "core/runtime/executor.h"
#include "core/runtime/packing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace loopglass::measure {
namespace {

// Of what a caller hands over: constants are packed afterwards.
TensorType given_type(const loop::Buffer& parameter, const Shape& shape) {
  return {parameter.type, parameter.packing ? parameter.packing->original_shape : shape};
}

std::string key_of(const loop::Buffer& parameter, const Shape& shape, std::uint64_t seed) {
  std::string key = fmt::format("{} {}", seed, to_string(given_type(parameter, shape)));
  if (!parameter.packing) return key;
  key += fmt::format(" packed {}", to_string(shape));
  for (const expr::Expr& source : parameter.packing->source) key += ", " + to_string(source);
  return key;
}

Result<std::shared_ptr<const GuardedMemory>> guarded(const loop::Buffer& parameter,
                                                     const Tensor& tensor) {
  const Tensor packed = parameter.packing ? runtime::pack_constant(parameter, tensor) : tensor;
  auto memory = std::make_shared<GuardedMemory>(TRY(GuardedMemory::allocate(packed.bytes())));
  std::copy_n(packed.data(), packed.bytes(), memory->data());
  memory->protect();
  return memory;
}

}  // namespace

Result<std::shared_ptr<const GuardedMemory>> KernelInputs::random(const loop::Buffer& parameter,
                                                                  const Shape& shape,
                                                                  std::uint64_t seed) {
  const std::string key = key_of(parameter, shape, seed);
  if (const auto known = kept_.find(key); known != kept_.end()) return known->second;
  auto made = TRY(guarded(parameter, runtime::random_tensor(given_type(parameter, shape), seed)));
  if (bytes_ + made->bytes() > limit_) {
    kept_.clear();
    bytes_ = 0;
  }
  if (made->bytes() <= limit_) {
    kept_.emplace(key, made);
    bytes_ += made->bytes();
  }
  return made;
}

Result<std::shared_ptr<const GuardedMemory>> KernelInputs::given(const loop::Buffer& parameter,
                                                                 const Shape& shape,
                                                                 const Tensor& tensor) {
  const TensorType wanted = given_type(parameter, shape);
  // Lowering flattens what is not packed.
  const bool fits = parameter.packing ? tensor.type() == wanted
                                      : tensor.data_type() == wanted.type &&
                                            tensor.elements() == element_count(wanted.shape);
  if (!fits)
    return fail(Code::InputMismatch, fmt::format("'{}' is {} and was given {}", parameter.name,
                                                 to_string(wanted), to_string(tensor.type())));
  return guarded(parameter, tensor);
}

}  // namespace loopglass::measure
