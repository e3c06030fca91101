#include "passes/graph/affine.h"

#include "core/ops/affine.h"
#include "core/ops/image_axes.h"
#include "core/ops/stored_statistics.h"

#include <algorithm>
#include <cmath>

namespace loopglass::passes {

namespace {

struct Numbers {
  std::optional<std::size_t> axis;
  std::vector<double> values;
};

// The constant's numbers along the one axis of `data` they differ along; nothing where it is more
// than one, or where the constant broadcasts the data.
std::optional<Numbers> numbers_along_axis(const Tensor& constant, const Shape& data) {
  const Shape& shape = constant.shape();
  if (shape.size() > data.size() || constant.elements() == 0) return std::nullopt;
  Numbers numbers;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t axis = d + data.size() - shape.size();
    if (shape[d] == 1) continue;
    if (shape[d] != data[axis] || numbers.axis) return std::nullopt;
    numbers.axis = axis;
  }
  for (std::int64_t i = 0; i < constant.elements(); ++i)
    numbers.values.push_back(constant.double_at(i));
  return numbers;
}

double at(const std::vector<double>& numbers, std::size_t index) {
  return numbers.size() == 1 ? numbers.front() : numbers[index];
}

}  // namespace

bool Affine::only_shifts() const {
  return std::ranges::all_of(factors, [](double factor) { return factor == 1; });
}

bool Affine::only_scales() const {
  return std::ranges::all_of(offsets, [](double offset) { return offset == 0; });
}

std::optional<Affine> elementwise_affine(const graph::GraphBuilder& graph,
                                         const graph::Node& node) {
  if (node.op->family != ops::Family::Elementwise || node.inputs.size() != 2) return std::nullopt;
  for (const std::size_t operand : {0, 1}) {
    const graph::Value &data = graph.value(node.inputs[operand]),
                       &constant = graph.value(node.inputs[1 - operand]);
    if (!constant.is_constant() || data.is_constant() || !is_float(data.type.type)) continue;
    if (!ops::affine_in(*node.op, operand, 1)) continue;
    const auto numbers = numbers_along_axis(constant.constant, data.type.shape);
    if (!numbers) continue;
    Affine affine{operand, numbers->axis, {}, {}};
    for (const double number : numbers->values) {
      const auto step = ops::affine_in(*node.op, operand, number);
      affine.factors.push_back(step->factor);
      affine.offsets.push_back(step->offset);
    }
    return affine;
  }
  return std::nullopt;
}

std::optional<Affine> normalising_affine(const graph::GraphBuilder& graph,
                                         const graph::Node& node) {
  using ops::StoredStatistics;
  const auto statistics = ops::stored_statistics_of(*node.op, node.attributes);
  if (!statistics || statistics->of_the_batch) return std::nullopt;
  const auto parameter = [&](std::size_t operand) {
    return graph.value(node.inputs[operand]).constant;
  };
  const Tensor scale = parameter(StoredStatistics::scale),
               shift = parameter(StoredStatistics::shift), mean = parameter(StoredStatistics::mean),
               variance = parameter(StoredStatistics::variance);
  if (!scale.defined() || !shift.defined() || !mean.defined() || !variance.defined())
    return std::nullopt;
  Affine affine{StoredStatistics::data, ops::channel_axis, {}, {}};
  for (std::int64_t k = 0; k < scale.elements(); ++k) {
    const double factor =
        scale.double_at(k) / std::sqrt(variance.double_at(k) + statistics->epsilon);
    affine.factors.push_back(factor);
    affine.offsets.push_back(shift.double_at(k) - mean.double_at(k) * factor);
  }
  return affine;
}

std::optional<Affine> composed(const Affine& outer, const Affine& inner) {
  if (outer.axis && inner.axis && outer.axis != inner.axis) return std::nullopt;
  Affine both{inner.operand, outer.axis ? outer.axis : inner.axis, {}, {}};
  for (std::size_t k = 0; k < std::max(outer.factors.size(), inner.factors.size()); ++k) {
    both.factors.push_back(at(outer.factors, k) * at(inner.factors, k));
    both.offsets.push_back(at(outer.factors, k) * at(inner.offsets, k) + at(outer.offsets, k));
  }
  return both;
}

}  // namespace loopglass::passes
