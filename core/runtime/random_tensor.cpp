// Inputs for benchmarks and tests, and comparing what comes out.
#include "core/runtime/executor.h"
#include "core/support/split_mix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

namespace {

template <class T>
bool is_close(T actual, T expected, double absolute, double relative) {
  if constexpr (std::is_integral_v<T>) {
    // The difference is taken exactly, where double would round both sides first.
    const auto a = static_cast<std::int64_t>(actual), b = static_cast<std::int64_t>(expected);
    const std::uint64_t difference =
        static_cast<std::uint64_t>(std::max(a, b)) - static_cast<std::uint64_t>(std::min(a, b));
    return static_cast<double>(difference) <=
           absolute + relative * std::fabs(static_cast<double>(b));
  } else {
    const auto a = static_cast<double>(actual), b = static_cast<double>(expected);
    const double difference = std::fabs(a - b);
    // Of an infinity everything is as far away as the tolerance that follows from it.
    const bool is_near = difference <= absolute + relative * std::fabs(b) &&
                         difference < std::numeric_limits<double>::infinity();
    return a == b || is_near || (std::isnan(a) && std::isnan(b));
  }
}

struct Differences {
  std::int64_t count = 0, first = -1;
};
// A tuner compares hundreds of megabytes: nothing is asked for each element that is not its own.
template <class T>
Differences differences(std::span<const T> actual, std::span<const T> expected, double absolute,
                        double relative) {
  Differences found;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (is_close(actual[i], expected[i], absolute, relative)) continue;
    if (found.first < 0) found.first = static_cast<std::int64_t>(i);
    ++found.count;
  }
  return found;
}

}  // namespace

Result<void> compare(const Tensor& actual, const Tensor& expected, double absolute,
                     double relative) {
  if (actual.type() != expected.type())
    return fail(Code::ResultMismatch,
                fmt::format("the result is {} where {} is expected", to_string(actual.type()),
                            to_string(expected.type())));
  const auto [wrong, first] = visit_type(actual.data_type(), [&](auto element) {
    using T = decltype(element);
    return differences<T>(actual.as<T>(), expected.as<T>(), absolute, relative);
  });
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
