#include "tests/library/plain_library.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace loopglass::library {

namespace {

// Axes of one element are repeated.
float element(const float* data, const Storage& storage, Shape indices) {
  for (std::size_t axis = 0; axis < indices.size(); ++axis)
    if (storage.extents[axis] == 1) indices[axis] = 0;
  return data[offset_of(storage, std::move(indices))];
}

void each_index(const Shape& extents, const std::function<void(const Shape&)>& visit) {
  Shape indices(extents.size(), 0);
  for (std::int64_t i = 0; i < element_count(extents); ++i) {
    std::int64_t rest = i;
    for (std::size_t axis = extents.size(); axis-- > 0; rest /= extents[axis])
      indices[axis] = rest % extents[axis];
    visit(indices);
  }
}

double activated(const Activation& activation, double x) {
  switch (activation.function) {
    case Function::Relu: return std::max(x, 0.0);
    case Function::LeakyRelu: return x < 0 ? activation.alpha * x : x;
    case Function::Elu: return x < 0 ? activation.alpha * std::expm1(x) : x;
    case Function::Clip:
      return std::min<double>(std::max<double>(x, activation.alpha), activation.beta);
    case Function::Linear: return activation.alpha * x + activation.beta;
    case Function::Sigmoid: return 1 / (1 + std::exp(-x));
    case Function::Tanh: return std::tanh(x);
    case Function::Swish: return x / (1 + std::exp(-x));
    case Function::HardSwish: return x * std::min(std::max(x + 3, 0.0), 6.0) / 6;
    case Function::Gelu: return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case Function::Mish: return x * std::tanh(std::log1p(std::exp(x)));
  }
  return std::nan("");
}

class PlainPrimitive : public Primitive {
 public:
  PlainPrimitive(Computation computation, const Arguments& constants, float factor, bool is_hasty,
                 bool has_nan)
      : asked_(std::move(computation)), factor_(factor), is_hasty_(is_hasty), has_nan_(has_nan) {
    const Shape& result = asked_.result.extents;
    const std::int64_t columns =
        std::holds_alternative<Product>(asked_.anchor) ? result.back() : result[1];
    if (asked_.constant_weights)
      weights_.assign(constants.weights, constants.weights + element_count(asked_.weights.extents));
    if (asked_.has_bias) bias_.assign(constants.bias, constants.bias + columns);
  }

  std::string implementation() const override { return "plain"; }
  std::string layouts() const override { return "as given"; }
  bool is_reference() const override { return false; }
  Result<void> take(const Arguments& arguments) override {
    now_ = arguments;
    // Like many a library's: what is added lies in the result's memory before.
    if (const auto step = accumulated()) {
      const auto& combination = std::get<Combination>(asked_.steps[*step]);
      each_index(asked_.result.extents, [&](const Shape& at) {
        now_.result[offset_of(asked_.result, at)] =
            element(now_.operands[operand_of(*step)], combination.operand, at);
      });
    }
    return {};
  }
  Result<void> give() override { return {}; }
  Result<void> compute() override {
    if (is_hasty_ && !accumulated())
      each_index(asked_.result.extents, [&](const Shape& at) {
        now_.result[offset_of(asked_.result, at)] = std::nanf("");
      });
    each_index(asked_.result.extents, [&](const Shape& at) {
      double value = std::visit([&](const auto& anchor) { return sum(anchor, at); }, asked_.anchor);
      if (asked_.has_bias)
        value += bias_[static_cast<std::size_t>(
            std::holds_alternative<Product>(asked_.anchor) ? at.back() : at[1])];
      for (std::size_t step = 0; step < asked_.steps.size(); ++step)
        if (const auto* activation = std::get_if<Activation>(&asked_.steps[step])) {
          value = std::isnan(value) && !has_nan_ ? 0 : activated(*activation, value);
        } else {
          const auto& combination = std::get<Combination>(asked_.steps[step]);
          const double other = step == accumulated() ? now_.result[offset_of(asked_.result, at)]
                                                     : element(now_.operands[operand_of(step)],
                                                               combination.operand, at);
          value = combination.op == Combination::Operator::Add ? value + other : value * other;
        }
      now_.result[offset_of(asked_.result, at)] = static_cast<float>(value) * factor_;
    });
    return {};
  }

 private:
  // The first step that adds a tensor as large as the result.
  std::optional<std::size_t> accumulated() const {
    for (std::size_t step = 0; step < asked_.steps.size(); ++step)
      if (const auto* combination = std::get_if<Combination>(&asked_.steps[step]);
          combination && combination->op == Combination::Operator::Add &&
          combination->operand.extents == asked_.result.extents)
        return step;
    return std::nullopt;
  }
  std::size_t operand_of(std::size_t step) const {
    return static_cast<std::size_t>(std::count_if(
        asked_.steps.begin(), asked_.steps.begin() + static_cast<std::ptrdiff_t>(step),
        [](const Step& s) { return std::holds_alternative<Combination>(s); }));
  }

  const float* weights() const { return asked_.constant_weights ? weights_.data() : now_.weights; }

  double sum(const Convolution& convolution, const Shape& at) const {
    Shape kernel(asked_.weights.extents.begin() + 1, asked_.weights.extents.end());
    const std::int64_t of_group = asked_.weights.extents[0] / convolution.groups;
    double total = 0;
    each_index(kernel, [&](const Shape& tap) {
      Shape source{at[0], at[1] / of_group * kernel[0] + tap[0]}, weight{at[1]};
      weight.insert(weight.end(), tap.begin(), tap.end());
      for (std::size_t axis = 0; axis + 1 < kernel.size(); ++axis) {
        source.push_back(at[2 + axis] * convolution.strides[axis] +
                         tap[1 + axis] * convolution.dilations[axis] -
                         convolution.pads_begin[axis]);
        if (source.back() < 0 || source.back() >= asked_.source.extents[2 + axis]) return;
      }
      total += static_cast<double>(now_.source[offset_of(asked_.source, source)]) *
               weights()[offset_of(asked_.weights, weight)];
    });
    return total;
  }

  double sum(const Product&, const Shape& at) const {
    double total = 0;
    for (std::int64_t k = 0; k < asked_.source.extents.back(); ++k) {
      Shape left = at, right = at;
      left.back() = k;
      right[right.size() - 2] = k;
      // An axis of one term is no axis that is repeated.
      total += static_cast<double>(element(now_.source, asked_.source, left)) *
               element(weights(), asked_.weights, right);
    }
    return total;
  }

  Computation asked_;
  std::vector<float> weights_, bias_;  // that are constant
  Arguments now_;
  float factor_;
  bool is_hasty_, has_nan_;
};

}  // namespace

Result<std::unique_ptr<Primitive>> PlainLibrary::prepare(const Computation& computation, Layouts,
                                                         const Arguments& constants) {
  return std::make_unique<PlainPrimitive>(computation, constants, factor_, is_hasty_, has_nan_);
}

}  // namespace loopglass::library
