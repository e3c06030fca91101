#include "core/dependence/access_iterations.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/symbols.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace loopglass::schedule {

using expr::Expr;
using loop::Access;
using loop::For;
using loop::Func;

IntegerSet iterations_of(const Func& func, const Access& access,
                         const std::set<std::string>& read_only) {
  IntegerSet set;
  set.assume_unchanged(read_only);
  for (const std::string& dimension : dimensions_of(func, access)) {
    set.add(dimension);
    set.require(expr::variable(dimension) >= 0);
  }
  for (const std::string& symbol : func.symbols)
    set.require(expr::variable(symbol) <= Expr(loop::greatest_extent));
  for (const For* node : access.loops) set.require(expr::variable(node->variable) < node->extent);
  for (const Expr& condition : access.conditions()) set.require(condition);
  return set;
}

std::vector<std::string> dimensions_of(const Func& func, const Access& access) {
  std::vector<std::string> dimensions = func.symbols;
  for (const For* node : access.loops) dimensions.push_back(node->variable);
  return dimensions;
}

std::set<std::string> read_only_parameters(const Func& func) {
  std::set<std::string> names;
  for (const loop::Buffer& parameter : func.parameters)
    if (parameter.role != loop::Role::Output) names.insert(parameter.name);
  return names;
}

std::string words(const Func& func, const Access& access, const Point& point) {
  std::vector<std::string> at;
  for (const std::string& dimension : dimensions_of(func, access))
    at.push_back(fmt::format("{} = {}", dimension, point.at(dimension)));
  return at.empty() ? std::string() : fmt::format(" at {}", fmt::join(at, ", "));
}

std::int64_t value_at(const Expr& e, const Point& point) {
  loop::Bindings values;
  for (const auto& [name, value] : point) values.emplace(name, Expr(value));
  return expr::as_integer(expr::simplify(expr::substitute(e, values))).value_or(0);
}

}  // namespace loopglass::schedule
