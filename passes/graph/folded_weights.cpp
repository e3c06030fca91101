#include "passes/graph/folded_weights.h"

#include "core/ops/support.h"
#include "core/support/check.h"

#include <cmath>
#include <limits>

namespace loopglass::passes {

namespace {

bool all(std::span<const double> numbers, double wanted) {
  return std::ranges::all_of(numbers, [&](double number) { return number == wanted; });
}

// The smallest magnitude with all its digits.
template <class T>
constexpr double smallest_normal() {
  return std::is_same_v<T, Float16> ? 0x1p-14 : static_cast<double>(std::numeric_limits<T>::min());
}

// Weights that lie one after the other and join the same channels.
struct Run {
  std::size_t begin, count, in, out;
};

template <class Visit>
void for_each_run(const Weights& of, const Visit& visit) {
  const ops::WeightedSum& sum = of.sum;
  const std::int64_t pairs = sum.first * sum.second,
                     rest = pairs > 0 ? of.weights.elements() / pairs : 0;
  Run run{0, static_cast<std::size_t>(rest), 0, 0};
  for (std::int64_t a = 0; a < sum.first; ++a) {
    // The channel of [a, b] along the second axis is that of [a, 0] and b more.
    const std::int64_t group =
        sum.output_first ? sum.input_channel(a, 0) : sum.output_channel(a, 0);
    for (std::int64_t b = 0; b < sum.second; ++b, run.begin += run.count) {
      const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(group + b);
      run.in = sum.output_first ? second : first;
      run.out = sum.output_first ? first : second;
      visit(run);
    }
  }
}

// The same for whoever does not ask for the input channel: where output channels lie first, longer.
template <class Visit>
void for_each_run_of_output(const Weights& of, const Visit& visit) {
  if (!of.sum.output_first) return for_each_run(of, visit);
  const auto rows = static_cast<std::size_t>(of.sum.first);
  const std::size_t count = rows > 0 ? static_cast<std::size_t>(of.weights.elements()) / rows : 0;
  for (std::size_t out = 0; out < rows; ++out) visit(Run{out * count, count, 0, out});
}

template <class T>
std::expected<Tensor, MissedRewrite> scaled_weights(const Weights& of,
                                                    std::span<const double> factors,
                                                    bool by_output) {
  Tensor scaled(of.weights.type());
  const auto from = of.weights.as<T>();
  const auto to = scaled.as<T>();
  // The greatest magnitudes of each output channel, before and after.
  std::vector<double> before(static_cast<std::size_t>(of.sum.output_channels())), after = before;
  bool finite = true;
  const auto scale = [&](const Run& run) {
    const double factor = factors[by_output ? run.out : run.in];
    double most_before = before[run.out], most_after = after[run.out];
    for (std::size_t i = run.begin; i < run.begin + run.count; ++i) {
      const auto weight = static_cast<double>(from[i]);
      to[i] = static_cast<T>(weight * factor);
      const auto scaled_weight = static_cast<double>(to[i]);
      most_before = std::max(most_before, std::abs(weight));
      most_after = std::max(most_after, std::abs(scaled_weight));
      finite = finite && std::isfinite(scaled_weight);
    }
    before[run.out] = most_before;
    after[run.out] = most_after;
  };
  if (by_output) for_each_run_of_output(of, scale);
  else for_each_run(of, scale);
  if (!finite)
    return std::unexpected(
        MissedRewrite{"NOT_FINITE", "the scaled weights are too large for their type"});
  // Single weights may vanish beside greater ones, but not a whole channel that a factor other than
  // zero scales.
  constexpr double least = smallest_normal<T>();
  const bool zeroed = std::ranges::any_of(factors, [](double factor) { return factor == 0; });
  for (std::size_t channel = 0; channel < before.size(); ++channel)
    if (!zeroed && before[channel] >= least && after[channel] < least)
      return std::unexpected(
          MissedRewrite{"UNDERFLOW", "the scaled weights are too small for their type"});
  return scaled;
}

// bias_factor * bias in double precision, every channel of its own: the last axis counts them.
struct Bias {
  Shape shape;
  std::vector<double> numbers;
};

Bias bias_of(const Weights& of) {
  const std::int64_t channels = of.sum.output_channels();
  if (!of.bias.defined() || of.sum.bias_factor == 0)
    return {{channels}, std::vector<double>(static_cast<std::size_t>(channels))};
  auto shape = ops::broadcast(of.bias.shape(), {channels});
  CHECK(shape.has_value());
  Bias bias{*std::move(shape), {}};
  const Shape& from = of.bias.shape();
  const bool a_row_each = from.size() == 2 && from[0] != 1,
             each_channel = !from.empty() && from.back() != 1;
  const std::int64_t rows = element_count(bias.shape) / std::max<std::int64_t>(channels, 1);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t k = 0; k < channels; ++k) {
      const std::int64_t at = (a_row_each ? row * from.back() : 0) + (each_channel ? k : 0);
      bias.numbers.push_back(of.sum.bias_factor * of.bias.double_at(at));
    }
  return bias;
}

template <class T>
std::expected<Tensor, MissedRewrite> rounded(const Bias& bias) {
  Tensor tensor({data_type_of<T>(), bias.shape});
  const auto to = tensor.as<T>();
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<T>(bias.numbers[i]);
    if (!std::isfinite(static_cast<double>(to[i])))
      return std::unexpected(MissedRewrite{"NOT_FINITE", "the new bias is too large for its type"});
  }
  return tensor;
}

// data . weights for data that is `offsets` everywhere.
template <class T>
std::vector<double> summed(const Weights& of, std::span<const double> offsets) {
  std::vector<double> sums(static_cast<std::size_t>(of.sum.output_channels()));
  const auto weights = of.weights.as<T>();
  for_each_run(of, [&](const Run& run) {
    for (std::size_t i = run.begin; i < run.begin + run.count; ++i)
      sums[run.out] += static_cast<double>(weights[i]) * offsets[run.in];
  });
  return sums;
}

template <class T>
std::expected<FoldedWeights, MissedRewrite> fold(const Weights& of, std::span<const double> factors,
                                                 std::span<const double> offsets, bool of_result) {
  const auto finite = [](double number) { return std::isfinite(number); };
  if (!std::ranges::all_of(factors, finite) || !std::ranges::all_of(offsets, finite))
    return std::unexpected(
        MissedRewrite{"NOT_FINITE", "a factor or an offset is infinite or not a number"});
  FoldedWeights folded;
  if (!all(factors, 1)) {
    auto weights = scaled_weights<T>(of, factors, of_result);
    if (!weights) return std::unexpected(std::move(weights).error());
    folded.weights = *std::move(weights);
  }
  const bool scales_bias = of_result && of.bias.defined() && !all(factors, 1);
  if (all(offsets, 0) && !scales_bias) return folded;
  Bias bias = bias_of(of);
  const std::size_t channels = static_cast<std::size_t>(of.sum.output_channels());
  const std::vector<double> sums = of_result ? std::vector<double>{} : summed<T>(of, offsets);
  for (std::size_t i = 0; i < bias.numbers.size(); ++i) {
    double& number = bias.numbers[i];
    const std::size_t k = i % channels;
    number =
        of_result ? number * factors[k] + offsets[k] : number + of.sum.product_factor * sums[k];
  }
  auto tensor = rounded<T>(bias);
  if (!tensor) return std::unexpected(std::move(tensor).error());
  folded.bias = *std::move(tensor);
  return folded;
}

std::expected<FoldedWeights, MissedRewrite> fold(const Weights& of, std::span<const double> factors,
                                                 std::span<const double> offsets, bool of_result) {
  switch (of.weights.data_type()) {
    case DataType::Float16: return fold<Float16>(of, factors, offsets, of_result);
    case DataType::Float32: return fold<float>(of, factors, offsets, of_result);
    default: return fold<double>(of, factors, offsets, of_result);
  }
}

}  // namespace

std::expected<FoldedWeights, MissedRewrite> scale_result(const Weights& of,
                                                         std::span<const double> factors,
                                                         std::span<const double> offsets) {
  return fold(of, factors, offsets, true);
}

std::expected<FoldedWeights, MissedRewrite> scale_data(const Weights& of,
                                                       std::span<const double> factors,
                                                       std::span<const double> offsets) {
  return fold(of, factors, offsets, false);
}

}  // namespace loopglass::passes
