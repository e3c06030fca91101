#include "core/tune/models/perceptron.h"

#include <algorithm>
#include <cmath>

namespace loopglass::tune {

Perceptron::Perceptron(std::vector<std::size_t> widths, Random& random) {
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    Layer layer{widths[l], widths[l + 1]};
    const std::size_t count = layer.outputs * (layer.inputs + 1);
    layer.weights.assign(count, 0);
    // He et al. (2015): outputs as wide as inputs, behind a rectifier.
    const double width = std::sqrt(2.0 / static_cast<double>(layer.inputs));
    for (std::size_t w = 0; w < layer.outputs * layer.inputs; ++w)
      layer.weights[w] = width * random.normal();
    layer.gradients = layer.momentum = layer.speed = std::vector<double>(count, 0);
    layers_.push_back(std::move(layer));
  }
}

std::vector<std::vector<double>> Perceptron::run(std::span<const double> input) const {
  std::vector<std::vector<double>> values{{input.begin(), input.end()}};
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    std::vector<double> next(layer.outputs);
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      double sum = layer.weights[layer.outputs * layer.inputs + o];
      for (std::size_t i = 0; i < layer.inputs; ++i)
        sum += layer.weights[o * layer.inputs + i] * values.back()[i];
      next[o] = l + 1 < layers_.size() ? std::max(0.0, sum) : sum;
    }
    values.push_back(std::move(next));
  }
  return values;
}

std::vector<double> Perceptron::operator()(std::span<const double> input) const {
  return run(input).back();
}

void Perceptron::accumulate(std::span<const double> input,
                            std::span<const double> output_gradient) {
  const auto values = run(input);
  std::vector<double> gradient(output_gradient.begin(), output_gradient.end());
  for (std::size_t l = layers_.size(); l-- > 0;) {
    Layer& layer = layers_[l];
    std::vector<double> below(layer.inputs, 0);
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      if (l + 1 < layers_.size() && values[l + 1][o] <= 0) continue;
      layer.gradients[layer.outputs * layer.inputs + o] += gradient[o];
      for (std::size_t i = 0; i < layer.inputs; ++i) {
        layer.gradients[o * layer.inputs + i] += gradient[o] * values[l][i];
        below[i] += gradient[o] * layer.weights[o * layer.inputs + i];
      }
    }
    gradient = std::move(below);
  }
}

void Perceptron::step(double rate) {
  constexpr double momentum = 0.9, speed = 0.999;
  ++steps_;
  const double first = 1 - std::pow(momentum, steps_), second = 1 - std::pow(speed, steps_);
  for (Layer& layer : layers_)
    for (std::size_t w = 0; w < layer.weights.size(); ++w) {
      double& g = layer.gradients[w];
      layer.momentum[w] = momentum * layer.momentum[w] + (1 - momentum) * g;
      layer.speed[w] = speed * layer.speed[w] + (1 - speed) * g * g;
      layer.weights[w] -=
          rate * layer.momentum[w] / first / (std::sqrt(layer.speed[w] / second) + 1e-8);
      g = 0;
    }
}

}  // namespace loopglass::tune
