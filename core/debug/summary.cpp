// Tensors in numbers: one alone, and one against another.
#include "core/debug/lens.h"

#include <fmt/format.h>
#include <cmath>
#include <cstring>
#include <limits>

namespace loopglass::debug {

namespace {

// Sums and differences of extreme float64 must not overflow.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, long double, double>;

template <class T>
bool is_finite(T value) {
  if constexpr (std::is_integral_v<T>) return true;
  else return std::isfinite(static_cast<double>(value));
}

template <class T>
void fill(Summary& summary, std::span<const T> elements, int bins) {
  using W = Wide<T>;
  W sum = 0, low = std::numeric_limits<W>::infinity(), high = -low;
  for (const T element : elements) {
    const W value = static_cast<W>(element);
    if (!is_finite(element)) {
      ++(std::isnan(value) ? summary.nan : summary.infinite);
      continue;
    }
    sum += value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  summary.histogram.assign(static_cast<std::size_t>(std::max(bins, 0)), 0);
  if (summary.finite() == 0) return;
  const W count = static_cast<W>(summary.finite()), mean = sum / count;
  const W scale = high > low ? static_cast<W>(bins) / (high - low) : 0;
  W squares = 0;
  for (const T element : elements) {
    if (!is_finite(element)) continue;
    const W value = static_cast<W>(element);
    squares += (value - mean) * (value - mean);
    if (bins > 0)
      ++summary.histogram[std::min<std::size_t>(static_cast<std::size_t>((value - low) * scale),
                                                summary.histogram.size() - 1)];
  }
  summary.minimum = static_cast<double>(low);
  summary.maximum = static_cast<double>(high);
  summary.mean = static_cast<double>(mean);
  summary.standard_deviation = static_cast<double>(std::sqrt(squares / count));
}

// |a - b|: 0 for two that count as equal, infinite against what is not finite.
template <class T>
Wide<T> distance(T a, T b) {
  using W = Wide<T>;
  if (a == b) return 0;
  if constexpr (std::is_same_v<T, bool>) {
    return 1;
  } else if constexpr (std::is_integral_v<T>) {
    // Exact, where double would round both sides first.
    return static_cast<W>(static_cast<std::uint64_t>(std::max(a, b)) -
                          static_cast<std::uint64_t>(std::min(a, b)));
  } else {
    const bool nan_a = std::isnan(static_cast<W>(a)), nan_b = std::isnan(static_cast<W>(b));
    if (nan_a && nan_b) return 0;
    if (!is_finite(a) || !is_finite(b)) return std::numeric_limits<W>::infinity();
    return std::fabs(static_cast<W>(a) - static_cast<W>(b));
  }
}

template <class T>
Wide<T> root_mean_square(std::span<const T> elements) {
  Wide<T> squares = 0;
  std::int64_t count = 0;
  for (const T element : elements)
    if (is_finite(element)) {
      squares += static_cast<Wide<T>>(element) * static_cast<Wide<T>>(element);
      ++count;
    }
  return count == 0 ? 0 : std::sqrt(squares / static_cast<Wide<T>>(count));
}

template <class T>
void fill(Difference& difference, std::span<const T> before, std::span<const T> after,
          const Tolerance& tolerance) {
  using W = Wide<T>;
  const bool exact = std::is_integral_v<T>;
  const W relative = std::is_same_v<T, Float16> ? tolerance.relative_float16 : tolerance.relative;
  const W magnitude = root_mean_square(before);
  difference.magnitude = static_cast<double>(magnitude);
  W worst_distance = 0, worst_relative = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (std::memcmp(&before[i], &after[i], sizeof(T)) == 0) continue;
    ++difference.bitwise_different;
    const W apart = distance(after[i], before[i]);
    if (apart == 0) continue;
    const W size =
        is_finite(before[i]) ? std::fabs(static_cast<W>(before[i])) + magnitude : magnitude;
    const W error = size > 0 ? apart / size : std::numeric_limits<W>::infinity();
    if (exact || apart > static_cast<W>(tolerance.absolute) + relative * size) ++difference.outside;
    worst_distance = std::max(worst_distance, apart);
    if (difference.worst < 0 || error > worst_relative) {
      worst_relative = error;
      difference.worst = static_cast<std::int64_t>(i);
    }
  }
  difference.absolute_error = static_cast<double>(worst_distance);
  difference.relative_error = static_cast<double>(worst_relative);
  if (difference.worst < 0) return;
  difference.worst_before = static_cast<double>(before[static_cast<std::size_t>(difference.worst)]);
  difference.worst_after = static_cast<double>(after[static_cast<std::size_t>(difference.worst)]);
}

Tensor first_elements(const Tensor& tensor, int count) {
  const std::int64_t taken = std::min<std::int64_t>(std::max(count, 0), tensor.elements());
  Tensor first(TensorType{tensor.data_type(), {taken}});
  std::memcpy(first.data(), tensor.data(), first.bytes());
  return first;
}

}  // namespace

Summary summarise(const graph::Value& value, const Tensor& tensor, const SummaryOptions& options) {
  Summary summary;
  summary.value = value.id;
  summary.name = value.name;
  summary.type = tensor.type();
  summary.producer = value.producer;
  summary.is_constant = value.is_constant();
  summary.is_unknown = !value.type.is_known();
  if (summary.is_unknown) {
    summary.type = value.type;
    return summary;
  }
  summary.elements = tensor.elements();
  visit_type(tensor.data_type(),
             [&](auto element) { fill(summary, tensor.as<decltype(element)>(), options.bins); });
  summary.first = first_elements(tensor, options.first);
  return summary;
}

std::string element_text(const Tensor& tensor, std::int64_t index) {
  return visit_type(tensor.data_type(), [&](auto element) -> std::string {
    using T = decltype(element);
    const T value = tensor.as<T>()[static_cast<std::size_t>(index)];
    if constexpr (std::is_same_v<T, Float16>) return fmt::format("{}", static_cast<float>(value));
    else if constexpr (std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>)
      return fmt::format("{}", static_cast<int>(value));
    else return fmt::format("{}", value);
  });
}

Difference difference(const Tensor& before, const Tensor& after, const Tolerance& tolerance) {
  Difference difference;
  difference.type_before = before.type();
  difference.type_after = after.type();
  difference.elements = after.elements();
  difference.comparable = before.type() == after.type();
  if (!difference.comparable) return difference;
  visit_type(before.data_type(), [&](auto element) {
    using T = decltype(element);
    fill(difference, before.as<T>(), after.as<T>(), tolerance);
  });
  difference.diverges = difference.outside > 0;
  return difference;
}

}  // namespace loopglass::debug
