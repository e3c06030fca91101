#include "core/dependence/independence.h"

#include "core/dependence/dependence.h"
#include "core/dependence/illegal.h"
#include "core/dependence/meeting.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/buffers.h"
#include "core/loop/flow.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/walk.h"

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

// A sum of digits can be read back when each step is wider than all smaller digits together. The
// greatest may be as large as it likes.
bool readable(std::vector<Digit> digits) {
  for (Digit& digit : digits) {
    if (digit.factor == 0) return false;
    digit.factor = std::abs(digit.factor);
  }
  std::sort(digits.begin(), digits.end(),
            [](const Digit& a, const Digit& b) { return a.factor < b.factor; });
  std::int64_t reach = 0;  // largest sum of the digits so far
  for (const Digit& digit : digits) {
    const bool is_greatest = &digit == &digits.back();
    if (digit.size == 0 && !is_greatest) return false;
    if (digit.size != 1 && digit.factor <= reach) return false;
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

// All accesses in the loop, with the loops around it. What stands beside its nest is not walked: a
// kernel may have a thousand nests, and every one of them is asked about.
std::vector<Access> accesses_in(const Path& path) {
  std::vector<Access> accesses = accesses_of(root_nest(path));
  std::erase_if(accesses, [&](const Access& access) {
    return std::ranges::find(access.loops, &path.loop()) == access.loops.end();
  });
  return accesses;
}

// What stands in the way: the refusal, and the accesses of another iteration that it is about.
struct Obstacle {
  Diagnostic refusal;
  const Access *first, *second;
  bool of_own_buffer;  // that is used in the loop alone
};

class Independence {
 public:
  Independence(const std::string& call, const Func& func, const Path& path, Private mode)
      : call_(call),
        func_(func),
        path_(path),
        mode_(mode),
        variable_(path.loop().variable),
        accesses_(accesses_in(path)),
        buffers_(loop::buffers_of(func)),
        ranges_(ranges_of(func)) {
    for (const For* node : path.loops()) another_[node->variable] = Relation::Same;
    another_[variable_] = Relation::Later;
  }

  // Tells of one obstacle after the other until `tell` returns true.
  template <class Tell>
  void each_obstacle(const Tell& tell) const {
    std::set<std::string> written;
    for (const Access& access : accesses_)
      if (access.is_store) written.insert(access.buffer);
    for (const std::string& name : written)
      if (each_obstacle_of(*loop::find_buffer(buffers_, name), tell)) return;
  }

  // Two iterations that show it.
  void show(const Obstacle& obstacle, NearestClash& clash) const {
    if (obstacle.of_own_buffer) return;  // each iteration may have its own
    for (const auto& [first, second] :
         {std::pair(obstacle.first, obstacle.second), std::pair(obstacle.second, obstacle.first)})
      clash.offer(nearest_meeting(*first, *second, another_, ranges_), *first, *second);
  }

 private:
  bool may_meet(const Access& first, const Access& second, const Buffer& buffer) const {
    return schedule::may_meet(first, second, buffer, another_, ranges_) &&
           !never_meet(first, second, another_, ranges_);
  }

  template <class Tell>
  bool each_obstacle_of(const Buffer& buffer, const Tell& tell) const {
    const std::string& name = buffer.name;
    const bool flows = flows_inside(path_.loop().body, buffer, ranges_);
    const bool is_own = !used_outside(func_, path_, name);
    if (mode_ == Private::PerIteration && is_own && (flows || is_allocated_inside(name)))
      return false;
    const auto found = [&](const Access& first, const Access& second, std::string what,
                           std::string hint = {}) {
      return tell(Obstacle{illegal(call_, variable_, std::move(what), std::move(hint)).error(),
                           &first, &second, is_own});
    };
    for (const Access& store : accesses_) {
      if (store.buffer != name || !store.is_store) continue;
      if (std::ranges::find(store.reduction_loops, variable_) != store.reduction_loops.end()) {
        if (found(store, store,
                  fmt::format("block '{}' sums over '{}': its iterations all update the same "
                              "element of '{}'",
                              store.block ? store.block->name : name, variable_, name),
                  "choose a spatial loop, or split the reduction and sum the parts apart"))
          return true;
        continue;
      }
      for (const Access& other : accesses_) {
        if (other.buffer != name) continue;
        // What is read has been written before in the same iteration, and by no other one, or the
        // two stores would have met.
        if (!other.is_store && flows) continue;
        if (!may_meet(store, other, buffer) && !may_meet(other, store, buffer)) continue;
        if (found(store, other, sentence(store, other))) return true;
      }
    }
    return false;
  }

  // Each iteration then has one of its own, whatever it does with it.
  bool is_allocated_inside(const std::string& buffer) const {
    bool found = false;
    loop::walk(path_.loop().body, [&](const loop::Stmt& stmt) {
      const auto* node = loop::as<loop::Alloc>(stmt);
      found = found || (node && node->buffer.name == buffer);
    });
    return found;
  }

  std::string sentence(const Access& store, const Access& other) const {
    if (&other == &store)
      return fmt::format("it cannot be shown that {} to another element for another '{}'",
                         described(store, ranges_), variable_);
    if (other.is_store)
      return fmt::format("in another iteration of '{}' than {}, {}: perhaps to the same element",
                         variable_, described(store, ranges_), described(other, ranges_));
    return fmt::format(
        "an iteration of '{}' may read elements of '{}' that another iteration writes: {}, {}",
        variable_, store.buffer, described(store, ranges_), described(other, ranges_));
  }

  const std::string& call_;
  const Func& func_;
  const Path& path_;
  const Private mode_;
  const std::string& variable_;
  const std::vector<Access> accesses_;
  const std::vector<Buffer> buffers_;
  const expr::Ranges ranges_;
  Relations another_;  // iteration of this loop, in the same of those around it
};

}  // namespace

Private private_buffers(loop::ForKind kind, const Path& path) {
  switch (kind) {
    case loop::ForKind::Vectorized: return Private::No;
    case loop::ForKind::Parallel: return path.loops().empty() ? Private::PerIteration : Private::No;
    default: return Private::PerIteration;
  }
}

Result<void> check_independent(const std::string& call, const Func& func, const Path& path,
                               Private mode) {
  Result<void> result;
  Independence(call, func, path, mode).each_obstacle([&](Obstacle obstacle) {
    result = std::unexpected(std::move(obstacle.refusal));
    return true;
  });
  return result;
}

Search clash_of_iterations(const Func& func, const Path& path, Private mode) {
  const std::string call;
  const Independence independence(call, func, path, mode);
  NearestClash nearest;
  independence.each_obstacle([&](const Obstacle& obstacle) {
    independence.show(obstacle, nearest);
    return false;
  });
  return std::move(nearest).or_else(
      [&] { return run_for_clash_of_iterations(func, path.loop().variable, mode); });
}

}  // namespace loopglass::schedule
