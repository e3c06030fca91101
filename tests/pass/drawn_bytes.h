// Bytes, scales and extents by chance, for tests of what is quantised.
#pragma once

#include "core/tensor/tensor.h"

#include <random>

namespace loopglass::test {

class Drawn {
 public:
  explicit Drawn(std::uint32_t seed) : random_(seed) {}

  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution(least, most)(random_);
  }
  bool coin() { return between(0, 1) == 1; }
  DataType byte_type() { return coin() ? DataType::Int8 : DataType::UInt8; }
  // Ends of the range more often than their share.
  Tensor bytes(DataType type, const Shape& shape) {
    Tensor result(TensorType{type, shape});
    visit_type(type, [&](auto element) {
      using T = decltype(element);
      if constexpr (sizeof(T) == 1 && !std::is_same_v<T, bool>)
        for (T& each : result.as<T>())
          each = static_cast<T>(between(0, 3) == 0 ? (coin() ? 255 : 128) : between(0, 255));
    });
    return result;
  }
  Tensor scales(const Shape& shape) {
    Tensor result(TensorType{DataType::Float32, shape});
    for (float& each : result.as<float>()) each = static_cast<float>(between(1, 40)) / 400;
    return result;
  }

 private:
  std::mt19937 random_;
};

}  // namespace loopglass::test
