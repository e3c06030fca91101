#include "passes/graph/fold_scale_and_bias.h"

#include "passes/graph/affine_folding.h"

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

struct Form {
  std::string_view op;
  std::size_t data;  // which operand is scaled; the other one is the constant
  double (*factor)(double);
  double (*offset)(double);
};

constexpr auto one = [](double) { return 1.0; };
constexpr auto none = [](double) { return 0.0; };
constexpr auto itself = [](double c) { return c; };
constexpr Form forms[] = {
    {"Mul", 0, itself, none},
    {"Mul", 1, itself, none},
    {"Div", 0, [](double c) { return 1 / c; }, none},
    {"Add", 0, one, itself},
    {"Add", 1, one, itself},
    {"Sub", 0, one, [](double c) { return -c; }},
    {"Sub", 1, [](double) { return -1.0; }, itself},
};

std::optional<Affine> match(const graph::GraphBuilder& graph, const graph::Node& node,
                            pass::Report&) {
  if (node.op->family != ops::Family::Elementwise || node.inputs.size() != 2) return std::nullopt;
  for (const Form& form : forms) {
    if (node.op->name != form.op) continue;
    const graph::Value &data = graph.value(node.inputs[form.data]),
                       &constant = graph.value(node.inputs[1 - form.data]);
    if (!constant.is_constant() || data.is_constant() || !is_float(data.type.type)) continue;
    const auto numbers = numbers_along_axis(constant.constant, data.type.shape);
    if (!numbers) continue;
    Affine affine{form.data, numbers->axis, {}, {}};
    for (const double number : numbers->values) {
      affine.factors.push_back(form.factor(number));
      affine.offsets.push_back(form.offset(number));
    }
    return affine;
  }
  return std::nullopt;
}

}  // namespace

Result<graph::Graph> fold_scale_and_bias(const graph::Graph& graph, pass::Report& report) {
  return fold_affine(
      graph, report,
      {match, "scale-and-bias-into-weights", "scale-and-bias-into-next-weights", false});
}

}  // namespace loopglass::passes
