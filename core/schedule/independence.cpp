#include "core/schedule/independence.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/buffers.h"
#include "core/loop/flow.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/schedule/dependence.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

using expr::BinaryOperator;

namespace {

// A part of a loop variable in a mixed-radix number system: (variable // divisor) % size.
struct Digit {
  std::int64_t factor;  // what the index multiplies it by
  std::string variable;
  std::int64_t divisor, size;  // size 0: not known, the whole variable
  bool wrapped = false;        // a remainder: larger values of the variable come round again
};

class Digits {
 public:
  Digits(const expr::Ranges& ranges, const std::set<std::string>& fixed)
      : ranges_(ranges), fixed_(fixed) {}

  // The index as a sum of digits and a constant; nullopt when it is anything else.
  std::optional<std::vector<Digit>> of(const Expr& e, std::int64_t factor = 1) {
    if (is_fixed(e)) return std::vector<Digit>{};
    if (const auto* node = e.as<expr::Binary>()) {
      if (node->op == BinaryOperator::Add || node->op == BinaryOperator::Sub) {
        auto left = of(node->left, factor);
        const auto right = of(node->right, node->op == BinaryOperator::Add ? factor : -factor);
        if (!left || !right) return std::nullopt;
        left->insert(left->end(), right->begin(), right->end());
        return left;
      }
      const auto constant = expr::as_integer(node->right);
      if (node->op == BinaryOperator::Mul && constant) return of(node->left, factor * *constant);
    }
    auto digit = single(e);
    if (!digit) return std::nullopt;
    digit->factor = factor;
    return std::vector<Digit>{*digit};
  }

 private:
  std::optional<Digit> single(const Expr& e) {
    if (const auto* node = e.as<expr::Variable>()) {
      const auto range = ranges_.find(node->name);
      return Digit{1, node->name, 1, range == ranges_.end() ? 0 : range->second.max + 1};
    }
    const auto* node = e.as<expr::Binary>();
    const auto constant = node ? expr::as_integer(node->right) : std::nullopt;
    if (!constant || *constant <= 0) return std::nullopt;
    auto inner = single(node->left);
    if (!inner || inner->size == 0) return std::nullopt;
    // A remainder's own quotients and remainders are digits only where they tile it exactly.
    if (inner->wrapped && inner->size % *constant != 0) return std::nullopt;
    if (node->op == BinaryOperator::FloorDiv) {
      inner->divisor *= *constant;
      inner->size = (inner->size + *constant - 1) / *constant;
      return inner;
    }
    if (node->op == BinaryOperator::FloorMod) {
      inner->wrapped = inner->wrapped || *constant < inner->size;
      inner->size = std::min(inner->size, *constant);
      return inner;
    }
    return std::nullopt;
  }

  bool is_fixed(const Expr& e) const {
    if (expr::has_load(e)) return false;
    const std::set<std::string> used = expr::variables_of(e);
    return std::includes(fixed_.begin(), fixed_.end(), used.begin(), used.end());
  }

  const expr::Ranges& ranges_;
  const std::set<std::string>& fixed_;
};

// A sum of digits can be read back when each step is wider than all smaller digits together.
bool readable(std::vector<Digit> digits) {
  if (digits.size() == 1) return digits[0].factor != 0;
  for (Digit& digit : digits) {
    if (digit.size == 0 || digit.factor == 0) return false;
    digit.factor = std::abs(digit.factor);
  }
  std::sort(digits.begin(), digits.end(),
            [](const Digit& a, const Digit& b) { return a.factor < b.factor; });
  std::int64_t reach = 0;  // largest sum of the digits so far
  for (const Digit& digit : digits) {
    if (digit.size > 1 && digit.factor <= reach) return false;
    reach += digit.factor * (digit.size - 1);
  }
  return true;
}

}  // namespace

bool separates(const std::vector<Expr>& indices, const std::string& variable,
               const expr::Ranges& ranges, const std::set<std::string>& fixed) {
  std::vector<Digit> found;
  for (const Expr& index : indices) {
    const Expr e = expr::simplify(index, ranges);
    if (!expr::uses_variable(e, variable)) continue;
    const auto digits = Digits(ranges, fixed).of(e);
    if (!digits || !readable(*digits)) continue;
    for (const Digit& digit : *digits)
      if (digit.variable == variable) found.push_back(digit);
  }
  // Together the digits must say the whole variable.
  std::sort(found.begin(), found.end(),
            [](const Digit& a, const Digit& b) { return a.divisor < b.divisor; });
  const auto range = ranges.find(variable);
  std::int64_t covered = 1;
  for (const Digit& digit : found) {
    if (digit.divisor == 1 && digit.size == 0) return true;
    if (digit.divisor > covered) break;
    covered = std::max(covered, digit.divisor * digit.size);
  }
  return range != ranges.end() && covered > range->second.max;
}

std::set<std::string> not_told_apart(const std::vector<Expr>& indices,
                                     const std::vector<Expr>& extents, const expr::Ranges& ranges,
                                     std::set<std::string> fixed) {
  std::set<std::string> open;
  std::vector<Expr> tuple;
  Expr place(0);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    tuple.push_back(expr::simplify(indices[k], ranges));
    place = place * extents[k] + tuple.back();
    for (const std::string& name : expr::variables_of(tuple.back()))
      if (!fixed.contains(name)) open.insert(name);
  }
  const std::vector<Expr> memory{expr::simplify(place, ranges)};
  const auto told = [&](const std::string& name) {
    return separates(tuple, name, ranges, fixed) || separates(memory, name, ranges, fixed);
  };
  for (auto name = open.begin(); name != open.end();) {
    if (!told(*name)) {
      ++name;
      continue;
    }
    fixed.insert(*name);
    open.erase(name);
    name = open.begin();
  }
  return open;
}

namespace {

bool used_outside(const Func& func, const Path& loop, const std::string& buffer) {
  if (is_parameter(func, buffer)) return true;
  std::size_t all = 0, below = 0;
  for (const Access& access : accesses_of(func.body)) all += access.buffer == buffer;
  for (const Access& access : accesses_of(loop.target())) below += access.buffer == buffer;
  return all != below;
}

}  // namespace

Result<void> check_independent(const std::string& call, const Func& func, const Path& path,
                               Private mode) {
  const std::string& variable = path.loop().variable;
  const std::vector<Access> accesses = accesses_of(path.target());
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const expr::Ranges ranges = ranges_of(func);
  Relations another;  // iteration of this loop, in the same of those around it
  for (const For* node : path.loops()) another[node->variable] = Relation::Same;
  another[variable] = Relation::Later;

  std::set<std::string> written;
  for (const Access& access : accesses)
    if (access.is_store) written.insert(access.buffer);
  for (const std::string& name : written) {
    const Buffer& buffer = *loop::find_buffer(buffers, name);
    const bool flows = flows_inside(path.loop().body, buffer, ranges);
    if (mode == Private::PerIteration && flows && !used_outside(func, path, name)) continue;
    for (const Access& store : accesses) {
      if (store.buffer != name || !store.is_store) continue;
      const std::string block = store.block ? store.block->name : name;
      if (std::find(store.reduction_loops.begin(), store.reduction_loops.end(), variable) !=
          store.reduction_loops.end())
        return illegal(
            call, variable,
            fmt::format(
                "block '{}' sums over '{}': its iterations all update the same element of '{}'",
                block, variable, name),
            "choose a spatial loop, or split the reduction and sum the parts apart");
      for (const Access& other : accesses) {
        if (other.buffer != name) continue;
        // What is read has been written before in the same iteration, and by no other one, or the
        // two stores would have met.
        if (!other.is_store && flows) continue;
        if (!may_meet(store, other, buffer, another, ranges) &&
            !may_meet(other, store, buffer, another, ranges))
          continue;
        if (&other == &store)
          return illegal(call, variable,
                         fmt::format("it cannot be shown that {} to another element for another "
                                     "'{}'",
                                     described(store, ranges), variable));
        if (other.is_store)
          return illegal(call, variable,
                         fmt::format("in another iteration of '{}' than {}, {}: perhaps to the "
                                     "same element",
                                     variable, described(store, ranges), described(other, ranges)));
        return illegal(
            call, variable,
            fmt::format("an iteration of '{}' may read elements of '{}' that another iteration "
                        "writes: {}, {}",
                        variable, name, described(store, ranges), described(other, ranges)));
      }
    }
  }
  return {};
}

}  // namespace loopglass::schedule
