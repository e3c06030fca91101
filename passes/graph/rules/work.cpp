#include "passes/graph/rules/work.h"

#include <string_view>
#include <unordered_map>

namespace loopglass::passes::rules {

double work_of(const ops::OpDef& op, std::span<const TensorType* const> operands,
               const TensorType& result) {
  const auto elements = static_cast<double>(element_count(result.shape));
  if (op.name == "MatMul" && !operands.front()->shape.empty())
    return 2 * elements * static_cast<double>(operands.front()->shape.back());
  // What a processor has no instruction for, or a slow one; everything else counts 1.
  static const std::unordered_map<std::string_view, double> costly{
      {"Div", 4},   {"Mod", 8},      {"Reciprocal", 4}, {"Sqrt", 4},   {"Pow", 24},
      {"Exp", 8},   {"Log", 8},      {"Erf", 12},       {"Tanh", 12},  {"Sin", 12},
      {"Cos", 12},  {"Tan", 16},     {"Asin", 16},      {"Acos", 16},  {"Atan", 16},
      {"Sinh", 12}, {"Cosh", 12},    {"Asinh", 16},     {"Acosh", 16}, {"Atanh", 16},
      {"Gelu", 16}, {"Sigmoid", 12}, {"Softplus", 16},  {"Mish", 28},  {"Softsign", 6}};
  const auto found = costly.find(op.name);
  return elements * (found == costly.end() ? 1 : found->second);
}

}  // namespace loopglass::passes::rules
