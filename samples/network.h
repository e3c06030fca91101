// What the sample networks are written in: a GraphBuilder that makes layers with seeded weights.
// The first mistake is kept and handed out by finish, so architectures read without error handling.
#pragma once

#include "core/graph/graph.h"

#include <initializer_list>
#include <span>

namespace loopglass::samples {

using graph::ValueId;
using Integers = std::vector<std::int64_t>;

class Network {
 public:
  explicit Network(std::string name) : builder_(std::move(name)) {}

  ValueId input(std::string name, Shape shape) {
    return builder_.add_input(std::move(name), {DataType::Float32, std::move(shape)});
  }
  ValueId scalar(const std::string& name, float value) {
    return builder_.add_constant(name, Tensor::of<float>({}, {value}));
  }
  // Uniform in [centre - spread, centre + spread), the same for the same name in every build.
  ValueId weights(const std::string& name, Shape shape, float spread, float centre = 0);

  // One operator; an invalid id once something went wrong.
  ValueId apply(const std::string& name, std::string_view op, std::vector<ValueId> inputs,
                ops::Attributes attributes = {});

  struct Convolution {
    std::int64_t channels, kernel, stride = 1, groups = 1;
    bool bias = false;
    bool padded = true;  // by half the kernel: a stride of 1 keeps the size
    // Variance of the outputs per mean square of the inputs: 2 keeps it through a ReLU (He et al.,
    // 2015).
    float gain = 2;
  };
  ValueId convolution(const std::string& name, ValueId x, const Convolution& what);
  // Inference form, with statistics near mean 0 and variance 1 and scales near `scale`.
  ValueId batch_normalisation(const std::string& name, ValueId x, float scale = 1);
  ValueId relu(const std::string& name, ValueId x) { return apply(name, "Relu", {x}); }
  // x W^T + b, with the weights as frameworks keep them.
  ValueId dense(const std::string& name, ValueId x, std::int64_t features, float gain = 2);
  ValueId max_pool(const std::string& name, ValueId x, std::int64_t kernel, std::int64_t stride,
                   std::int64_t pad = 0);
  // Global average pooling, then Flatten: N x C.
  ValueId pooled_features(const std::string& name, ValueId x);

  const Shape& shape(ValueId id) const;
  Result<graph::Graph> finish(std::vector<ValueId> outputs) &&;

 private:
  graph::GraphBuilder builder_;
  std::optional<Diagnostic> mistake_;
};

}  // namespace loopglass::samples
