#include "samples/network.h"

#include "core/ops/registry.h"
#include "core/support/hash.h"

#include <fmt/format.h>
#include <cmath>

namespace loopglass::samples {

namespace {

// SplitMix64 (Steele, Lea and Flood: "Fast Splittable Pseudorandom Number Generators", 2014) as a
// function of a counter: element i needs no elements before it.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed + (counter + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

Integers both(std::int64_t extent) { return {extent, extent}; }

// Half the width of a uniform distribution of this variance.
float spread_of(float variance) { return std::sqrt(3 * variance); }

}  // namespace

ValueId Network::weights(const std::string& name, Shape shape, float spread, float centre) {
  Tensor tensor(TensorType{DataType::Float32, std::move(shape)});
  const std::uint64_t seed = Hasher().text(name).digest();
  const std::span<float> elements = tensor.as<float>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto unit = static_cast<float>(random_bits(seed, i) >> 40) * 0x1p-23f - 1;  // [-1, 1)
    elements[i] = centre + spread * unit;
  }
  return builder_.add_constant(name, std::move(tensor));
}

const Shape& Network::shape(ValueId id) const {
  static const Shape none;
  return id ? builder_.value(id).type.shape : none;
}

ValueId Network::apply(const std::string& name, std::string_view op, std::vector<ValueId> inputs,
                       ops::Attributes attributes) {
  if (mistake_) return {};
  const ops::OpDef* definition = ops::find_operator(op);
  if (definition == nullptr) {
    mistake_ = Diagnostic{
        Code::OperatorUnsupported, fmt::format("operator '{}' is not supported", op), name, {}};
    return {};
  }
  auto node = builder_.add_node(name, *definition, std::move(inputs), std::move(attributes));
  if (node) return builder_.output(*node);
  mistake_ = std::move(node).error();
  return {};
}

ValueId Network::convolution(const std::string& name, ValueId x, const Convolution& what) {
  if (mistake_) return {};
  const std::int64_t inputs = shape(x)[1] / what.groups;
  const float variance = what.gain / static_cast<float>(inputs * what.kernel * what.kernel);
  std::vector<ValueId> operands{
      x, weights(name + ".weight", {what.channels, inputs, what.kernel, what.kernel},
                 spread_of(variance))};
  if (what.bias) operands.push_back(weights(name + ".bias", {what.channels}, 0.05f));
  const std::int64_t pad = what.padded ? what.kernel / 2 : 0;
  return apply(name, "Conv", std::move(operands),
               {{"kernel_shape", both(what.kernel)},
                {"strides", both(what.stride)},
                {"dilations", both(1)},
                {"pads", Integers{pad, pad, pad, pad}},
                {"group", what.groups}});
}

ValueId Network::batch_normalisation(const std::string& name, ValueId x, float scale) {
  if (mistake_) return {};
  const Shape channels{shape(x)[1]};
  return apply(
      name, "BatchNormalization",
      {x, weights(name + ".weight", channels, 0.1f * scale, scale),
       weights(name + ".bias", channels, 0.05f), weights(name + ".running_mean", channels, 0.05f),
       weights(name + ".running_var", channels, 0.2f, 1)},
      {{"epsilon", 1e-5}});
}

ValueId Network::dense(const std::string& name, ValueId x, std::int64_t features, float gain) {
  if (mistake_) return {};
  const std::int64_t inputs = shape(x)[1];
  return apply(
      name, "Gemm",
      {x,
       weights(name + ".weight", {features, inputs}, spread_of(gain / static_cast<float>(inputs))),
       weights(name + ".bias", {features}, 0.05f)},
      {{"transB", std::int64_t{1}}});
}

ValueId Network::max_pool(const std::string& name, ValueId x, std::int64_t kernel,
                          std::int64_t stride, std::int64_t pad) {
  return apply(name, "MaxPool", {x},
               {{"kernel_shape", both(kernel)},
                {"strides", both(stride)},
                {"pads", Integers{pad, pad, pad, pad}}});
}

ValueId Network::pooled_features(const std::string& name, ValueId x) {
  return apply(name + ".flatten", "Flatten", {apply(name, "GlobalAveragePool", {x})},
               {{"axis", std::int64_t{1}}});
}

Result<graph::Graph> Network::finish(std::vector<ValueId> outputs) && {
  if (mistake_) return std::unexpected(std::move(*mistake_));
  builder_.set_outputs(std::move(outputs));
  return std::move(builder_).finish();
}

}  // namespace loopglass::samples
