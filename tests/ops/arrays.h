// Tensors to feed operators in tests, and what to expect of results.
#pragma once

#include "tests/ops/evaluation.h"

#include <random>

namespace loopglass::ops {

// As attributes want their numbers: a bare 1 is an int.
inline constexpr std::int64_t one = 1;

inline Attributes axis(std::int64_t value) { return {{"axis", value}}; }
inline Attributes with(Attributes attributes, const std::string& name, AttributeValue value) {
  attributes.set(name, std::move(value));
  return attributes;
}

inline TensorType f32_type(Shape shape) { return {DataType::Float32, std::move(shape)}; }

inline Tensor i32(Shape shape, std::initializer_list<std::int32_t> values) {
  return Tensor::of<std::int32_t>(std::move(shape), values);
}

// Seeded values in [-1, 1).
inline Tensor random_floats(Shape shape, unsigned seed) {
  Tensor tensor({DataType::Float32, std::move(shape)});
  std::mt19937 generator(seed);
  for (float& value : tensor.as<float>())
    value = std::uniform_real_distribution<float>(-1, 1)(generator);
  return tensor;
}

inline Tensor to_half(const Tensor& x) {
  Tensor half({DataType::Float16, x.shape()});
  for (std::int64_t i = 0; i < x.elements(); ++i)
    half.as<Float16>()[static_cast<std::size_t>(i)] = static_cast<Float16>(x.double_at(i));
  return half;
}

inline void expect_tensor(const Tensor& actual, const Shape& shape, const Reals& values,
                          double tolerance = 1e-5) {
  ASSERT_TRUE(actual.defined());
  EXPECT_EQ(actual.shape(), shape);
  EXPECT_THAT(elements(actual), Near(values, tolerance));
}

}  // namespace loopglass::ops
