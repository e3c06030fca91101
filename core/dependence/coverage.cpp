#include "core/dependence/coverage.h"

#include "core/dependence/independence.h"
#include "core/expr/condition.h"
#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

using expr::BinaryOperator;
using expr::Linear;

// The loops around a block taken together again as they were before they were split. A predicate
// a * f + b < n, where b runs over all below f and a far enough, is one loop of n iterations.
class Unsplit {
 public:
  Unsplit(expr::Ranges ranges, std::vector<Expr> expressions, std::vector<Expr> conditions)
      : ranges_(std::move(ranges)),
        expressions_(std::move(expressions)),
        conditions_(std::move(conditions)) {}

  // False where a condition stays.
  bool run() {
    while (!conditions_.empty()) {
      const auto joined = std::find_if(conditions_.begin(), conditions_.end(),
                                       [&](const Expr& condition) { return join(condition); });
      if (joined == conditions_.end()) return false;
      conditions_.erase(joined);
      for (Expr& e : expressions_) e = replaced(e);
      for (Expr& e : conditions_) e = replaced(e);
      for (const auto& [atom, coefficient] : parts_.terms)
        if (!gone(atom.as<expr::Variable>()->name)) return false;
    }
    return true;
  }

  const expr::Ranges& ranges() const { return ranges_; }
  const std::vector<Expr>& expressions() const { return expressions_; }

 private:
  // Whether the condition is e < n with e running over all of 0, 1, ... past n - 1.
  bool join(const Expr& condition) {
    const auto* node = condition.as<expr::Binary>();
    const auto limit = node ? expr::as_integer(node->right) : std::nullopt;
    if (!limit || *limit < 1 || node->op != BinaryOperator::Less) return false;
    Linear form = expr::linear(node->left);
    if (form.constant != 0 || form.terms.empty()) return false;
    std::sort(form.terms.begin(), form.terms.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    std::int64_t expected = 1;
    for (const auto& [atom, coefficient] : form.terms) {
      const auto* variable = atom.as<expr::Variable>();
      const auto range = variable ? ranges_.find(variable->name) : ranges_.end();
      if (range == ranges_.end() || coefficient != expected) return false;
      expected *= range->second.max + 1;
    }
    if (expected < *limit) return false;
    parts_ = form;
    whole_ = fmt::format("joined{}", count_++);
    ranges_[whole_] = {0, *limit - 1};
    return true;
  }

  // The parts as a multiple of the whole, wherever they stand together.
  Expr replaced(const Expr& e) const {
    if (e.type() != DataType::Int64) {
      const auto* node = e.as<expr::Binary>();
      return node ? expr::binary(node->op, replaced(node->left), replaced(node->right)) : e;
    }
    Linear form;
    const Linear before = expr::linear(e);
    form.constant = before.constant;
    for (const auto& [atom, coefficient] : before.terms) add_replaced(form, atom, coefficient);
    const auto factor = factor_in(form);
    if (!factor) return expr::to_expr(form);
    for (const auto& [atom, coefficient] : parts_.terms) form.add(atom, -*factor * coefficient);
    form.add(expr::variable(whole_), *factor);
    return expr::to_expr(form);
  }

  // How many times all parts are in the form.
  std::optional<std::int64_t> factor_in(const Linear& form) const {
    std::optional<std::int64_t> factor;
    for (const auto& [atom, coefficient] : parts_.terms) {
      const std::int64_t found = coefficient_in(form, atom);
      if (found == 0 || found % coefficient != 0 || (factor && *factor != found / coefficient))
        return std::nullopt;
      factor = found / coefficient;
    }
    return factor;
  }

  static std::int64_t coefficient_in(const Linear& form, const Expr& atom) {
    for (const auto& [known, coefficient] : form.terms)
      if (expr::same(known, atom)) return coefficient;
    return 0;
  }

  // Quotients and remainders were simplified when the loop was split: (8 a + b) // 4 stands as
  // 2 a + b // 4, and (8 a + b) % 4 as b % 4. The parts are put back before they are looked for.
  void add_replaced(Linear& form, const Expr& atom, std::int64_t times) const {
    const auto* node = atom.as<expr::Binary>();
    if (!node) return form.add(atom, times);
    const auto divisor = expr::as_integer(node->right);
    const bool quotient = node->op == BinaryOperator::FloorDiv;
    Linear inner = expr::linear(node->left);
    if (divisor && *divisor > 0 && (quotient || node->op == BinaryOperator::FloorMod)) {
      std::optional<std::int64_t> factor;
      for (const auto& [part, coefficient] : parts_.terms)
        if (const std::int64_t found = coefficient_in(inner, part); found % coefficient == 0)
          if (found != 0) factor = found / coefficient;
      for (const auto& [part, coefficient] : parts_.terms) {
        if (!factor || coefficient_in(inner, part) != 0 || *factor * coefficient % *divisor != 0)
          continue;
        inner.add(part, *factor * coefficient);
        if (quotient) form.add(part, -times * (*factor * coefficient / *divisor));
      }
    }
    form.add(expr::binary(node->op, replaced(expr::to_expr(inner)), replaced(node->right)), times);
  }

  bool gone(const std::string& variable) const {
    const auto uses = [&](const Expr& e) { return expr::uses_variable(e, variable); };
    return std::none_of(expressions_.begin(), expressions_.end(), uses) &&
           std::none_of(conditions_.begin(), conditions_.end(), uses);
  }

  expr::Ranges ranges_;
  std::vector<Expr> expressions_, conditions_;
  Linear parts_;       // of the loop last joined
  std::string whole_;  // its name
  int count_ = 0;
};

// As many values of the variables as tuples, no tuple twice, all inside: then each tuple is there.
bool one_to_one(const std::vector<Expr>& tuple, const std::vector<Expr>& extents,
                const expr::Ranges& ranges) {
  double values = 1, tuples = 1;
  std::set<std::string> used;
  for (std::size_t k = 0; k < tuple.size(); ++k) {
    const Expr index = expr::simplify(tuple[k], ranges);
    const std::int64_t extent = *expr::as_integer(extents[k]);
    const auto bounds = expr::bounds(index, ranges);
    if (!bounds || bounds->min < 0 || bounds->max >= extent) return false;
    tuples *= static_cast<double>(extent);
    used.merge(expr::variables_of(index));
  }
  for (const std::string& name : used) {
    const auto range = ranges.find(name);
    if (range == ranges.end()) return false;
    values *= static_cast<double>(range->second.max + 1);
  }
  return values == tuples && values < 1e15 && not_told_apart(tuple, extents, ranges, {}).empty();
}

// Each iteration a loop of its own and the same extent, whatever that is.
bool plain(const Path& path) {
  const std::vector<const For*> loops = path.loops();
  std::set<std::string> used;
  for (const loop::IterVar& iter : path.block().iters) {
    if (expr::as_integer(iter.extent) == 1 && expr::as_integer(iter.binding) == 0) continue;
    const auto* variable = iter.binding.as<expr::Variable>();
    const auto loop = std::find_if(loops.begin(), loops.end(), [&](const For* node) {
      return variable && node->variable == variable->name;
    });
    if (loop == loops.end() || !used.insert(variable->name).second ||
        !expr::same((*loop)->extent, iter.extent))
      return false;
    for (const std::string& name : expr::variables_of(iter.extent))
      if (std::any_of(loops.begin(), loops.end(),
                      [&](const For* node) { return node->variable == name; }))
        return false;
  }
  return !path.block().predicate.defined();
}

// The variables of loops of a single iteration, which are 0: i + 0 is a loop of its own.
Bindings loops_run_once(const Path& path) {
  Bindings once;
  for (const For* node : path.loops())
    if (expr::as_integer(node->extent) == 1) once.emplace(node->variable, Expr(0));
  return once;
}

// Iterations whose extents are symbols', and the loops that run just them: a loop of that extent,
// or the parts of one that was split by a number, whose predicate leaves out what lies beyond.
class SymbolicIterations {
 public:
  SymbolicIterations(const Path& path, const expr::Ranges& ranges) : ranges_(ranges) {
    for (const For* node : path.loops()) {
      loops_.insert(node->variable);
      if (!expr::as_integer(node->extent)) extents_.emplace(node->variable, node->extent);
    }
  }

  // Takes them out of the block's bindings with the conditions that are theirs. False where one is
  // not understood, or shares its loops with another.
  bool take_out(std::vector<Expr>& bindings, std::vector<Expr>& extents,
                std::vector<Expr>& conditions) {
    for (std::size_t k = bindings.size(); k-- > 0;) {
      if (expr::as_integer(extents[k])) continue;
      // A triangle's extent is another in each iteration of a loop outside.
      if (uses_any(extents[k], loops_)) return false;
      if (!is_loop(bindings[k], extents[k]) && !are_parts(bindings[k], extents[k], conditions))
        return false;
      bindings.erase(bindings.begin() + static_cast<std::ptrdiff_t>(k));
      extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(k));
    }
    const auto is_taken = [&](const Expr& e) { return uses_any(e, taken_); };
    return std::ranges::none_of(bindings, is_taken) && std::ranges::none_of(conditions, is_taken);
  }

 private:
  static bool uses_any(const Expr& e, const std::set<std::string>& variables) {
    const std::set<std::string> used = expr::variables_of(e);
    return std::ranges::any_of(used, [&](const std::string& v) { return variables.contains(v); });
  }

  bool take(const std::string& variable) { return taken_.insert(variable).second; }

  bool is_loop(const Expr& binding, const Expr& extent) {
    const auto* variable = binding.as<expr::Variable>();
    const auto loop = variable ? extents_.find(variable->name) : extents_.end();
    return loop != extents_.end() && expr::same(loop->second, extent) && take(variable->name);
  }

  // f * outer + inner < extent, where `inner` runs over all below f and `outer` far enough.
  bool are_parts(const Expr& binding, const Expr& extent, std::vector<Expr>& conditions) {
    Linear form = expr::linear(binding);
    if (form.constant != 0 || form.terms.empty()) return false;
    std::ranges::sort(form.terms, {}, [](const auto& term) { return term.second; });
    std::int64_t below = 1;
    for (const auto& [atom, coefficient] : form.terms) {
      const auto* variable = atom.as<expr::Variable>();
      if (!variable || coefficient != below || !take(variable->name)) return false;
      const bool is_last = &atom == &form.terms.back().first;
      const auto range = ranges_.find(variable->name);
      if (!is_last) {
        if (range == ranges_.end()) return false;
        below *= range->second.max + 1;
        continue;
      }
      const auto loop = extents_.find(variable->name);
      const Expr enough = expr::simplify(floor_div(extent + Expr(below - 1), Expr(below)));
      if (loop == extents_.end() || !expr::same(expr::simplify(loop->second), enough)) return false;
    }
    const auto mine = std::ranges::find_if(conditions, [&](const Expr& condition) {
      const auto* node = condition.as<expr::Binary>();
      // Quotients are simplified in a predicate, and not in an extent.
      return node && node->op == BinaryOperator::Less &&
             expr::same(expr::simplify(node->right), expr::simplify(extent)) &&
             expr::as_integer(expr::simplify(node->left - binding, ranges_)) == 0;
    });
    if (mine == conditions.end()) return false;
    conditions.erase(mine);
    return true;
  }

  const expr::Ranges& ranges_;           // of loops of constant extents
  std::map<std::string, Expr> extents_;  // of the others
  std::set<std::string> loops_, taken_;
};

}  // namespace

bool runs_every_instance(const Path& path) {
  for (const Stmt& stmt : path.statements)
    if (loop::as<loop::If>(stmt) || (loop::as<Block>(stmt) && stmt != path.target())) return false;
  const auto repeating = repeating_loops(path);
  if (std::any_of(repeating.begin(), repeating.end(),
                  [](const For* node) { return expr::as_integer(node->extent).value_or(0) < 1; }))
    return false;
  if (plain(path)) return true;
  const Block& block = path.block();
  expr::Ranges ranges;
  for (const For* node : path.loops()) {
    const auto extent = expr::as_integer(node->extent);
    if (!extent) continue;
    if (*extent < 1) return false;
    ranges[node->variable] = {0, *extent - 1};
  }
  const Bindings once = loops_run_once(path);
  std::vector<Expr> bindings, extents, conditions;
  for (const Expr& condition : expr::conjuncts(loop_predicate(block)))
    conditions.push_back(expr::substitute(condition, once));
  for (const loop::IterVar& iter : block.iters) {
    extents.push_back(iter.extent);
    bindings.push_back(expr::substitute(iter.binding, once));
  }
  if (!SymbolicIterations(path, ranges).take_out(bindings, extents, conditions)) return false;
  Unsplit loops(ranges, bindings, conditions);
  return loops.run() && one_to_one(loops.expressions(), extents, loops.ranges());
}

std::vector<const For*> repeating_loops(const Path& path) {
  std::vector<const For*> loops = path.loops();
  std::erase_if(loops, [&](const For* node) {
    return expr::as_integer(node->extent) == 1 ||
           std::any_of(path.block().iters.begin(), path.block().iters.end(),
                       [&](const loop::IterVar& iter) {
                         return expr::uses_variable(iter.binding, node->variable);
                       });
  });
  return loops;
}

}  // namespace loopglass::schedule
