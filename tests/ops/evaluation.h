// Running one operator in a test: on tensors, or on types alone.
#pragma once

#include "core/loop/interpreter.h"
#include "core/ops/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace loopglass::ops {

using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

inline Tensor f32(Shape shape, std::initializer_list<float> values) {
  return Tensor::of<float>(std::move(shape), values);
}
inline Tensor i64(Shape shape, std::initializer_list<std::int64_t> values) {
  return Tensor::of<std::int64_t>(std::move(shape), values);
}
inline Tensor boolean(Shape shape, std::initializer_list<bool> values) {
  return Tensor::of<bool>(std::move(shape), values);
}
// 0, 1, 2, ... in float32.
Tensor counting(Shape shape);

// The outputs; a failed expectation and undefined tensors when the operator refuses.
std::vector<Tensor> run_all(const std::string& op, const std::vector<Tensor>& inputs,
                            const Attributes& attributes = {}, std::size_t output_count = 1);
Tensor run(const std::string& op, const std::vector<Tensor>& inputs,
           const Attributes& attributes = {});
// The elements of the only output.
Reals elements(const Tensor& tensor);
Reals computed(const std::string& op, const std::vector<Tensor>& inputs,
               const Attributes& attributes = {});

Result<std::vector<TensorType>> inferred(const std::string& op,
                                         const std::vector<TensorType>& inputs,
                                         Attributes attributes = {}, std::size_t output_count = 1);
// The shape of the only output.
Shape inferred_shape(const std::string& op, const std::vector<TensorType>& inputs,
                     Attributes attributes = {});
// Why infer refuses, as "OperatorMisused: ..."; a failed expectation when it accepts.
std::string refusal(const std::string& op, const std::vector<TensorType>& inputs,
                    Attributes attributes = {}, std::size_t output_count = 1);

// Elements one by one, to `tolerance` absolutely and relatively; NaN equals NaN.
testing::Matcher<Reals> Near(const Reals& expected, double tolerance = 1e-5);

}  // namespace loopglass::ops
