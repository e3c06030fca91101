#include "core/schedule/independence.h"

#include "core/schedule/primitive_list.h"
#include "core/schedule/region.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

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

std::set<std::string> variables_of(const std::vector<const For*>& loops) {
  std::set<std::string> names;
  for (const For* node : loops) names.insert(node->variable);
  return names;
}

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

namespace {

// By its indices, or by its place in memory: a quotient and a remainder of one value, which no
// single index tells apart, join there.
bool stores_apart(const Access& access, const Buffer& buffer, const std::string& variable,
                  const expr::Ranges& ranges, const std::set<std::string>& fixed) {
  if (separates(access.indices, variable, ranges, fixed)) return true;
  Expr place(0);
  for (std::size_t d = 0; d < access.indices.size(); ++d)
    place = place * buffer.shape[d] + access.indices[d];
  return separates({place}, variable, ranges, fixed);
}

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
  expr::Ranges outer = ranges_of(path.loops());
  add_range(outer, variable, path.loop().extent);
  const std::set<std::string> fixed = variables_of(path.loops());

  std::set<std::string> written;
  for (const Access& access : accesses)
    if (access.is_store) written.insert(access.buffer);
  for (const std::string& name : written) {
    const Buffer* buffer = loop::find_buffer(buffers, name);
    const bool flows = flows_inside(path.loop().body, *buffer, outer);
    if (mode == Private::PerIteration && flows && !used_outside(func, path, name)) continue;
    for (const Access& access : accesses) {
      if (access.buffer != name || !access.is_store) continue;
      const std::string block = access.block ? access.block->name : name;
      if (std::find(access.reduction_loops.begin(), access.reduction_loops.end(), variable) !=
          access.reduction_loops.end())
        return illegal(
            call, variable,
            fmt::format(
                "block '{}' sums over '{}': its iterations all update the same element of '{}'",
                block, variable, name),
            "choose a spatial loop, or split the reduction and sum the parts apart");
      expr::Ranges ranges = outer;
      for (const For* node : access.loops) add_range(ranges, node->variable, node->extent);
      const auto extent = expr::as_integer(path.loop().extent);
      if (!(extent && *extent <= 1) && !stores_apart(access, *buffer, variable, ranges, fixed)) {
        std::string element;
        for (const Expr& index : access.indices)
          element += (element.empty() ? "" : ", ") + expr::to_string(expr::simplify(index, ranges));
        return illegal(
            call, variable,
            fmt::format("it cannot be shown that block '{}' stores {}[{}] to another element for "
                        "another '{}'",
                        block, name, element, variable));
      }
    }
    const bool read = std::any_of(accesses.begin(), accesses.end(), [&](const Access& access) {
      return access.buffer == name && !access.is_store && !access.of_own_sum;
    });
    if (read && !flows)
      return illegal(
          call, variable,
          fmt::format(
              "an iteration of '{}' may read elements of '{}' that another iteration writes",
              variable, name));
  }
  return {};
}

}  // namespace loopglass::schedule
