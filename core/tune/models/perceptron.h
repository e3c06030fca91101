// A small feed-forward net: dense layers with rectifiers between them, trained by Adam (Kingma and
// Ba, 2015). Deterministic by its seed.
#pragma once

#include "core/tune/random.h"

#include <span>
#include <vector>

namespace loopglass::tune {

class Perceptron {
 public:
  // Widths of the layers, that of the input first.
  Perceptron(std::vector<std::size_t> widths, Random& random);

  std::vector<double> operator()(std::span<const double> input) const;

  // Adds the gradients of a loss of which this is the derivative by the outputs for that input.
  void accumulate(std::span<const double> input, std::span<const double> output_gradient);
  // Goes a step along what was accumulated, which is forgotten.
  void step(double rate);

 private:
  struct Layer {
    std::size_t inputs = 0, outputs = 0;
    std::vector<double> weights;  // outputs x inputs, then a bias for each output
    std::vector<double> gradients, momentum, speed;
  };
  // Outputs of each layer, the input first.
  std::vector<std::vector<double>> run(std::span<const double> input) const;

  std::vector<Layer> layers_;
  int steps_ = 0;
};

}  // namespace loopglass::tune
