#include "core/te/flops.h"

#include "core/expr/operators.h"
#include "core/expr/rewrite.h"

#include <algorithm>

namespace loopglass::te {
namespace {

using expr::BinaryOperator;
using expr::UnaryOperator;

std::int64_t operations_of(UnaryOperator op) {
  return op != UnaryOperator::Not && op != UnaryOperator::IsNan && op != UnaryOperator::IsInf;
}
std::int64_t operations_of(BinaryOperator op) {
  if (op == BinaryOperator::DotPairs) return 3;  // two products and their sum
  if (op == BinaryOperator::DotQuads) return 7;
  return op <= BinaryOperator::Max;
}

std::int64_t iterations(const std::vector<Axis>& axes) {
  std::int64_t count = 1;
  for (const Axis& axis : axes) count *= expr::as_integer(axis.extent).value_or(1);
  return count;
}

// Of loops' places alone, whatever becomes of it.
bool is_index_arithmetic(const Expr& e) {
  return e.type() == DataType::Int64 && !expr::has_load(e);
}

// Sums up what each operator of an expression counts for; of a select the branch that counts more.
template <class Counts>
std::int64_t sum_of(const Expr& e, const Counts& counts) {
  struct Sum {
    const Counts& counts;
    std::int64_t operator()(const expr::IntConstant&) const { return 0; }
    std::int64_t operator()(const expr::FloatConstant&) const { return 0; }
    std::int64_t operator()(const expr::Variable&) const { return 0; }
    std::int64_t operator()(const expr::Load&) const { return 0; }
    std::int64_t operator()(const expr::Unary& unary) const {
      return counts(unary.op) + sum_of(unary.operand, counts);
    }
    std::int64_t operator()(const expr::Binary& binary) const {
      return counts(binary.op) + sum_of(binary.left, counts) + sum_of(binary.right, counts);
    }
    std::int64_t operator()(const expr::Select& select) const {
      return std::max(sum_of(select.when_true, counts), sum_of(select.when_false, counts));
    }
    std::int64_t operator()(const expr::Cast& cast) const { return sum_of(cast.operand, counts); }
  };
  return is_index_arithmetic(e) ? 0 : std::visit(Sum{counts}, e.node().value);
}

template <class Of>
std::int64_t sum_over(const Program& program, const Of& of_element) {
  std::int64_t total = 0;
  for (const Stage& stage : program.stages)
    total += of_element(stage) * iterations(stage.axes) * iterations(stage.reduce_axes);
  return total;
}

}  // namespace

std::int64_t operations(const Expr& element) {
  return sum_of(element, [](auto op) { return operations_of(op); });
}

std::map<DataType, std::int64_t> operations_by_type(const Expr& element) {
  std::map<DataType, std::int64_t> counts;
  const auto count = [&](const auto& self, const Expr& e) -> void {
    if (is_index_arithmetic(e)) return;
    if (const auto* binary = e.as<expr::Binary>()) {
      counts[e.type()] += operations_of(binary->op);
      self(self, binary->left);
      self(self, binary->right);
    } else if (const auto* unary = e.as<expr::Unary>()) {
      counts[e.type()] += operations_of(unary->op);
      self(self, unary->operand);
    } else if (const auto* select = e.as<expr::Select>()) {
      const bool first = operations(select->when_true) >= operations(select->when_false);
      self(self, first ? select->when_true : select->when_false);
    } else if (const auto* cast = e.as<expr::Cast>()) {
      self(self, cast->operand);
    }
  };
  count(count, element);
  return counts;
}

std::int64_t flops(const Program& program) {
  return sum_over(
      program, [](const Stage& stage) { return operations(stage.body) + (stage.reducer ? 1 : 0); });
}

std::int64_t functions(const Expr& element) {
  return sum_of(element, [](auto op) -> std::int64_t {
    return operations_of(op) > 0 && expr::work(op) != expr::Work::Simple;
  });
}

std::int64_t functions(const Program& program) {
  return sum_over(program, [](const Stage& stage) { return functions(stage.body); });
}

}  // namespace loopglass::te
