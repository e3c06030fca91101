#include "passes/loop/trim_loops.h"

#include "core/expr/condition.h"
#include "core/expr/linear.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"
#include "core/support/ceil_div.h"
#include "passes/loop/simplify_loops.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::passes {

using namespace loop;

namespace {

// How many first values of the variable meet the condition, where no others do.
std::optional<std::int64_t> first_values(const Expr& condition, const std::string& variable) {
  const auto* test = condition.as<expr::Binary>();
  if (!test || test->left.type() != DataType::Int64) return std::nullopt;
  const bool or_equal = test->op == expr::BinaryOperator::LessEqual;
  if (test->op != expr::BinaryOperator::Less && !or_equal) return std::nullopt;
  // step * variable + constant < 0
  const expr::Linear form = expr::linear(test->left - test->right - Expr(or_equal ? 1 : 0));
  if (form.terms.size() != 1 || form.terms[0].second <= 0) return std::nullopt;
  const auto* lone = form.terms[0].first.as<expr::Variable>();
  if (!lone || lone->name != variable) return std::nullopt;
  return std::max<std::int64_t>(0, ceil_div(-form.constant, form.terms[0].second));
}

// The same of all that a statement does: loops do only what their bodies do, as often as it may be.
std::optional<std::int64_t> first_values(const Stmt& stmt, const std::string& variable) {
  if (const For* node = as<For>(stmt)) return first_values(node->body, variable);
  const auto* node = as<loop::If>(stmt);
  if (!node || node->else_body) return std::nullopt;
  std::optional<std::int64_t> fewest = first_values(node->then_body, variable);
  for (const Expr& part : expr::conjuncts(node->condition))
    if (const auto values = first_values(part, variable))
      fewest = std::min(fewest.value_or(*values), *values);
  return fewest;
}

class Trimming {
 public:
  explicit Trimming(pass::Report& report) : report_(report) {}

  Stmt run(const Stmt& stmt) {
    const For* node = as<For>(stmt);
    if (!node) return map_children(stmt, [&](const Stmt& child) { return run(child); });
    const auto extent = expr::as_integer(node->extent);
    const std::int64_t all = extent.value_or(0);
    const std::int64_t values =
        extent ? first_values(node->body, node->variable).value_or(all) : all;
    For trimmed = *node;
    if (values < all) {
      report_.rewrite({"trim", {}, {}, fmt::format("{} to {}", node->variable, values)});
      trimmed.extent = Expr(values);
      changed_ = true;
    }
    trimmed.body = run(node->body);
    return with_annotations(loop::over(trimmed, trimmed.body), stmt->annotations);
  }

  bool changed() const { return changed_; }

 private:
  pass::Report& report_;
  bool changed_ = false;
};

}  // namespace

Result<loop::Func> trim_loops(const loop::Func& func, pass::Report& report) {
  Trimming trimming(report);
  const Stmt trimmed = trimming.run(func.body);
  if (!trimming.changed()) return func;
  // What a shorter loop no longer asks, and loops of one iteration or none.
  const Stmt simple = simplified(trimmed, {});
  return with_body(func, simple ? simple : loop::sequence({}));
}

pass::Words trim_loops_words() {
  return {{pass::Word::Kind::Rule, "trim",
           "A loop ends where the condition on all that it does ends."}};
}

}  // namespace loopglass::passes
