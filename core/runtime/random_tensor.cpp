// Inputs for benchmarks and tests, and comparing what comes out.
#include "core/runtime/executor.h"
#include "core/support/split_mix.h"

#include <fmt/format.h>

#include <cmath>

namespace loopglass::runtime {
namespace {

// In [-1, 1), a multiple of 2^-23 so that float32 holds it exactly.
double uniform(SplitMix64& random) {
  return static_cast<double>(random.next() >> 40) * 0x1p-23 - 1.0;
}

}  // namespace

Tensor random_tensor(const TensorType& type, std::uint64_t seed) {
  Tensor tensor(type);
  SplitMix64 random(seed);
  visit_type(type.type, [&](auto element) {
    using T = decltype(element);
    for (T& value : tensor.as<T>()) {
      if constexpr (std::is_same_v<T, bool>) value = (random.next() >> 63) != 0;
      else if constexpr (std::is_integral_v<T>)
        value = static_cast<T>(random.next() >> 62);  // 0 to 3
      else value = static_cast<T>(uniform(random));
    }
  });
  return tensor;
}

Tensor stand_in_for(const graph::Value& value) {
  return random_tensor(value.type, value.id.value + 1);
}

Result<void> compare(const Tensor& actual, const Tensor& expected, double absolute,
                     double relative) {
  if (actual.type() != expected.type())
    return fail(Code::ResultMismatch,
                fmt::format("the result is {} where {} is expected", to_string(actual.type()),
                            to_string(expected.type())));
  std::int64_t first = -1, wrong = 0;
  for (std::int64_t i = 0; i < actual.elements(); ++i) {
    bool close;
    if (is_integer(actual.data_type())) {
      // The difference is taken exactly, where double would round both sides first.
      std::int64_t a = actual.integer_at(i), b = expected.integer_at(i);
      std::uint64_t difference =
          static_cast<std::uint64_t>(std::max(a, b)) - static_cast<std::uint64_t>(std::min(a, b));
      close = static_cast<double>(difference) <=
              absolute + relative * std::fabs(static_cast<double>(b));
    } else {
      double a = actual.double_at(i), b = expected.double_at(i);
      bool both_nan = std::isnan(a) && std::isnan(b);
      close = both_nan || a == b || std::fabs(a - b) <= absolute + relative * std::fabs(b);
      if (std::isinf(b) || std::isinf(a)) close = a == b;
    }
    if (close) continue;
    if (first < 0) first = i;
    ++wrong;
  }
  if (wrong == 0) return {};
  std::vector<std::int64_t> strides = row_major_strides(actual.shape());
  std::string place;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    std::int64_t index = first / strides[d] % actual.shape()[d];
    place += (d ? ", " : "") + std::to_string(index);
  }
  return fail(
      Code::ResultMismatch,
      fmt::format("{} of {} elements differ; the first at [{}]: {} where {} is expected", wrong,
                  actual.elements(), place, actual.double_at(first), expected.double_at(first)));
}

}  // namespace loopglass::runtime
