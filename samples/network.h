// A few verbs to write down published architectures with: layers append operators to a graph and
// draw their weights from a seeded generator, scaled by fan-in so that activations stay of order one.
//
// Samples are ours: an ill-formed one is a defect, so mistakes CHECK.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::samples {

class Network {
 public:
  using Value = graph::ValueId;

  Network(std::string name, std::uint64_t seed);

  Value input(std::string name, Shape shape);
  // Uniform in [-limit, limit] around `centre`.
  Value parameter(const std::string& name, Shape shape, double limit, double centre = 0);
  Value scalar(const std::string& name, float value);

  // Any operator with one result; attributes left out take their defaults.
  Value add(const std::string& op, std::vector<Value> inputs, ops::Attributes attributes = {},
            std::string name = {});

  struct Convolution {
    std::int64_t channels;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t groups = 1;
    bool bias = false;
  };
  // Padded by kernel / 2 on every side.
  Value convolution(Value x, const Convolution& convolution, const std::string& name);
  // `gain` centres the scale; below one it keeps sums of residuals tame.
  Value batch_normalisation(Value x, const std::string& name, double gain = 1);
  Value dense(Value x, std::int64_t features, const std::string& name);  // Gemm with bias
  Value max_pool(Value x, std::int64_t kernel, std::int64_t stride, std::int64_t pad = 0);

  const Shape& shape(Value x) const { return builder_.value(x).type.shape; }
  graph::Graph finish(std::vector<Value> outputs) &&;

 private:
  graph::GraphBuilder builder_;
  std::uint64_t state_;
};

}  // namespace loopglass::samples
