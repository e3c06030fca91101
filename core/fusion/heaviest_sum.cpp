#include "core/fusion/heaviest_sum.h"

#include "core/expr/rewrite.h"
#include "core/te/flops.h"

#include <algorithm>

namespace loopglass::fusion {
namespace {

double operations_of(const te::Stage& stage) {
  double count = static_cast<double>(te::operations(stage.body)) + (stage.reducer ? 1 : 0);
  for (const std::vector<te::Axis>* axes : {&stage.axes, &stage.reduce_axes})
    for (const te::Axis& axis : *axes)
      count *= static_cast<double>(expr::as_integer(axis.extent).value_or(1));
  return count;
}

// Whether an index goes along an element and along terms at once.
bool is_window(const expr::Expr& index, const te::Stage& stage) {
  const auto uses_any = [&](const std::vector<te::Axis>& axes) {
    return std::ranges::any_of(
        axes, [&](const te::Axis& axis) { return expr::uses_variable(index, axis.name); });
  };
  return uses_any(stage.axes) && uses_any(stage.reduce_axes);
}

HeaviestSum kind_of(const te::Stage& stage) {
  const auto* product = stage.body.as<expr::Binary>();
  if (stage.reducer != te::Reducer::Sum || !product || product->op != expr::BinaryOperator::Mul)
    return HeaviestSum::Other;
  bool has_window = false;
  for (const expr::Expr& factor : {product->left, product->right}) {
    if (!expr::has_load(factor)) return HeaviestSum::Other;
    expr::visit(factor, [&](const expr::Expr& e) {
      if (const auto* load = e.as<expr::Load>())
        has_window = has_window || std::ranges::any_of(load->indices, [&](const auto& index) {
                       return is_window(index, stage);
                     });
    });
  }
  return has_window ? HeaviestSum::WindowProducts : HeaviestSum::Products;
}

}  // namespace

HeaviestSum heaviest_sum(const te::Program& program) {
  const auto heaviest = std::ranges::max_element(program.stages, {}, operations_of);
  return heaviest == program.stages.end() ? HeaviestSum::Other : kind_of(*heaviest);
}

}  // namespace loopglass::fusion
