#include "core/te/flops.h"

#include <algorithm>

namespace loopglass::te {
namespace {

using expr::BinaryOperator;
using expr::UnaryOperator;

bool is_arithmetic(UnaryOperator op) {
  return op != UnaryOperator::Not && op != UnaryOperator::IsNan && op != UnaryOperator::IsInf;
}
bool is_arithmetic(BinaryOperator op) { return op <= BinaryOperator::Max; }

std::int64_t iterations(const std::vector<Axis>& axes) {
  std::int64_t count = 1;
  for (const Axis& axis : axes) count *= expr::as_integer(axis.extent).value_or(1);
  return count;
}

}  // namespace

std::int64_t operations(const Expr& e) {
  struct Count {
    std::int64_t operator()(const expr::IntConstant&) const { return 0; }
    std::int64_t operator()(const expr::FloatConstant&) const { return 0; }
    std::int64_t operator()(const expr::Variable&) const { return 0; }
    std::int64_t operator()(const expr::Load&) const { return 0; }
    std::int64_t operator()(const expr::Unary& unary) const {
      return is_arithmetic(unary.op) + operations(unary.operand);
    }
    std::int64_t operator()(const expr::Binary& binary) const {
      return is_arithmetic(binary.op) + operations(binary.left) + operations(binary.right);
    }
    std::int64_t operator()(const expr::Select& select) const {
      return std::max(operations(select.when_true), operations(select.when_false));
    }
    std::int64_t operator()(const expr::Cast& cast) const { return operations(cast.operand); }
  };
  return std::visit(Count{}, e.node().value);
}

std::int64_t flops(const Program& program) {
  std::int64_t total = 0;
  for (const Stage& stage : program.stages) {
    std::int64_t each = operations(stage.body) + (stage.reducer ? 1 : 0);
    total += each * iterations(stage.axes) * iterations(stage.reduce_axes);
  }
  return total;
}

}  // namespace loopglass::te
