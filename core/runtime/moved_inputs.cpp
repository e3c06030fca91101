#include "core/runtime/moved_inputs.h"

#include <algorithm>
#include <random>

namespace loopglass::runtime {

Tensor moved_by_a_millionth(const Tensor& input, std::uint64_t seed) {
  Tensor moved(input.type());
  std::copy_n(input.data(), input.bytes(), moved.data());
  const auto move = [&]<class T>(std::span<T> elements) {
    std::mt19937_64 random(seed);
    for (T& element : elements) element *= static_cast<T>(random() % 2 == 0 ? 1 + 1e-6 : 1 - 1e-6);
  };
  if (input.data_type() == DataType::Float32) move(moved.as<float>());
  if (input.data_type() == DataType::Float64) move(moved.as<double>());
  return moved;
}

}  // namespace loopglass::runtime
