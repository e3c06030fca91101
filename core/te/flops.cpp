#include "core/te/flops.h"

#include "core/expr/rewrite.h"

namespace loopglass::te {

namespace {

std::int64_t operations_per_iteration(const Expr& body) {
  std::int64_t count = 0;
  // Not expr::visit: what computes an index or decides a select is no arithmetic of the network.
  const std::function<void(const Expr&)> walk = [&](const Expr& e) {
    if (const auto* unary = e.as<expr::Unary>()) {
      count += unary->op != expr::UnaryOperator::Not;
      walk(unary->operand);
    } else if (const auto* binary = e.as<expr::Binary>()) {
      count += e.type() != DataType::Bool;
      walk(binary->left);
      walk(binary->right);
    } else if (const auto* select = e.as<expr::Select>()) {
      walk(select->when_true);
      walk(select->when_false);
    } else if (const auto* cast = e.as<expr::Cast>()) {
      walk(cast->operand);
    }
  };
  walk(body);
  return count;
}

std::int64_t iterations(const std::vector<Axis>& axes) {
  std::int64_t count = 1;
  for (const Axis& axis : axes) count *= expr::as_integer(axis.extent).value_or(1);
  return count;
}

}  // namespace

std::int64_t flops(const Program& program) {
  std::int64_t total = 0;
  for (const Stage& stage : program.stages)
    total += iterations(stage.axes) * iterations(stage.reduce_axes) *
             (operations_per_iteration(stage.body) + (stage.reducer ? 1 : 0));
  return total;
}

}  // namespace loopglass::te
