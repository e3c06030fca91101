// split(loop, factors, tail): one loop becomes several, nested.
#include "core/expr/simplify.h"
#include "core/loop/blocks.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"
#include "core/schedule/choices.h"
#include "core/schedule/partition.h"
#include "core/schedule/primitive_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Statements that compute without belonging to a block cannot be given a predicate.
bool has_bare_store(const Stmt& stmt) {
  if (loop::as<Block>(stmt)) return false;
  if (loop::as<loop::Store>(stmt)) return true;
  for (const Stmt& child : children(stmt))
    if (has_bare_store(child)) return true;
  return false;
}

const std::array<std::string, 2> tails{"predicate", "peel"};

constexpr std::int64_t most_iterations = std::int64_t{1} << 60;  // twice that is a number

// Extents of the new loops; the factor -1 stands for what is left.
Result<std::vector<Expr>> extents_of(const std::string& call, const For& loop,
                                     const std::vector<std::int64_t>& factors) {
  std::int64_t product = 1;
  int inferred = 0;
  for (const std::int64_t factor : factors) {
    if (factor == -1) ++inferred;
    else if (factor < 1 || __builtin_mul_overflow(product, factor, &product))
      return illegal(call, loop.variable, fmt::format("{} is not a usable factor", factor));
  }
  if (factors.size() < 2)
    return illegal(call, loop.variable,
                   "needs at least two factors, outermost first, e.g. [-1, 8]");
  constexpr std::size_t most_factors = 64;
  if (factors.size() > most_factors)
    return illegal(call, loop.variable,
                   fmt::format("{} factors are more than {}", factors.size(), most_factors));
  if (inferred > 1)
    return illegal(call, loop.variable, "at most one factor may be -1, the one inferred");
  const std::optional<std::int64_t> extent = expr::as_integer(loop.extent);
  if (inferred == 0 && !extent)
    return illegal(call, loop.variable, "the extent is symbolic, so one factor must be -1");
  if (inferred == 0 && product < *extent)
    return illegal(call, loop.variable,
                   fmt::format("the factors multiply to {}, which does not cover the extent {}",
                               product, *extent));
  // What lies beyond the extent is walked as well, if in vain.
  constexpr std::int64_t always_allowed = 1 << 20;
  const std::int64_t allowed =
      std::max(always_allowed, 2 * std::min(extent.value_or(0), most_iterations));
  if (product > allowed)
    return illegal(call, loop.variable,
                   fmt::format("the factors multiply to {}, and for an extent of {} at most {} are "
                               "walked",
                               product, expr::to_string(loop.extent), allowed));
  if (extent && *extent > most_iterations)
    return illegal(call, loop.variable,
                   fmt::format("{} iterations are more than {}", *extent, most_iterations));
  std::vector<Expr> extents;
  for (const std::int64_t factor : factors) {
    if (factor != -1) extents.emplace_back(factor);
    else if (extent) extents.emplace_back((*extent + product - 1) / product);
    else extents.push_back(expr::simplify(floor_div(loop.extent + (product - 1), Expr(product))));
  }
  return extents;
}

Result<Applied> divided(const std::string& call, const Func& func, const std::string& variable,
                        const std::vector<std::int64_t>& factors) {
  const Path path = TRY(find_loop(func, variable));
  const For& loop = path.loop();
  const std::vector<Expr> extents = TRY(extents_of(call, loop, factors));

  Names names(func);
  std::vector<std::string> made;
  Expr index(0), covered(1);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    // Of two the outer and the inner.
    const std::string part = extents.size() == 2 ? (i == 0 ? "o" : "i") : fmt::format("{}", i);
    made.push_back(names.fresh(fmt::format("{}_{}", variable, part)));
    index = index * extents[i] + expr::variable(made.back());
    covered = covered * extents[i];
  }
  Stmt body = substitute_loops(loop.body, {{variable, index}});
  const auto excess = expr::as_integer(expr::simplify(covered - loop.extent));
  if (excess != 0) {
    if (has_bare_store(loop.body))
      return illegal(call, variable,
                     "the factors do not divide the extent, and the body is not made of blocks");
    body = add_predicate(body, index < loop.extent);
  }
  for (std::size_t i = extents.size(); i-- > 0;)
    body = loop::make(For{made[i], extents[i], loop::ForKind::Serial, body});
  return Applied{
      with_body(func, replace(path, simplify_bindings(body, ranges_of(path.loops())))), made, {}};
}

// How many of the iterations a tile of these factors is, the inferred one left out.
Result<std::int64_t> tile_of(const std::string& call, const For& loop,
                             const std::vector<std::int64_t>& factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (factor == -1) continue;
    if (factor < 1 || __builtin_mul_overflow(product, factor, &product))
      return illegal(call, loop.variable, fmt::format("{} is not a usable factor", factor));
  }
  if (std::count(factors.begin(), factors.end(), -1) != 1)
    return illegal(call, loop.variable,
                   "one factor must be -1: how many whole tiles there are follows from the rest");
  return product;
}

// What whole tiles leave over becomes a loop of its own behind them; the tiles are divided.
Result<Applied> with_peeled_tail(const std::string& call, const Func& func, const Path& path,
                                 const std::vector<std::int64_t>& factors) {
  const For& loop = path.loop();
  const std::int64_t tile = TRY(tile_of(call, loop, factors));
  const Expr whole = expr::simplify(floor_div(loop.extent, Expr(tile)) * Expr(tile));
  if (expr::as_integer(expr::simplify(loop.extent - whole)) == 0)
    return divided(call, func, loop.variable, factors);
  if (expr::as_integer(whole) == 0)
    return illegal(call, loop.variable,
                   fmt::format("a tile of {} is more than all {} iterations", tile,
                               expr::to_string(loop.extent)));
  Names names(func);
  const std::string tail = names.fresh(loop.variable + "_tail");
  return divided(call,
                 TRY(partitioned(call, func, path,
                                 {{loop.variable, whole},
                                  {tail, expr::simplify(floor_mod(loop.extent, Expr(tile)))}},
                                 names)),
                 loop.variable, factors);
}

Result<Applied> apply_split(const Func& func, std::span<const Argument> arguments) {
  const std::string& variable = name_at(arguments, 0);
  const std::vector<std::int64_t>& factors = integers_at(arguments, 1);
  const std::string call = fmt::format("split({})", variable);
  const std::string& tail = arguments.size() > 2 ? name_at(arguments, 2) : tails[0];
  const Path path = TRY(find_loop(func, variable));
  if (path.loop().kind != loop::ForKind::Serial)
    return illegal(call, variable,
                   fmt::format("the loop is {} already", loop::name(path.loop().kind)),
                   "split before choosing the loop's kind");
  if (std::find(tails.begin(), tails.end(), tail) == tails.end())
    return illegal(call, tail, fmt::format("there is no tail '{}'", tail),
                   fmt::format("one of {}", fmt::join(tails, ", ")));
  if (tail == "peel") return with_peeled_tail(call, func, path, factors);
  return divided(call, func, variable, factors);
}

// Where the last factors do not divide the extent, there is another way.
std::vector<Argument> other_tails(const Func& func, std::span<const Argument> before) {
  const auto path = find_loop(func, name_at(before, 0));
  const auto* factors = std::get_if<std::vector<std::int64_t>>(&before[1]);
  if (!path || !factors) return {};
  const auto extent = expr::as_integer(path->loop().extent);
  const bool divides =
      extent && !factors->empty() && factors->back() > 0 && *extent % factors->back() == 0;
  return divides ? std::vector<Argument>{} : std::vector<Argument>{tails[1]};
}

}  // namespace

Primitive split() {
  return {
      "split",
      "Divides a loop into nested loops. Where the factors do not divide the extent, iterations "
      "beyond it are skipped by a predicate; or the tail, what whole tiles leave over, is peeled: "
      "a "
      "loop of its own behind them, so that the tiles need none.",
      "for k in 10 { A[k] }",
      "for k_o in 3 { for k_i in 4 { A[k_o * 4 + k_i] where k_o * 4 + k_i < 10 } }",
      {{"loop", ParameterKind::Loop, "the loop to divide"},
       {"factors", ParameterKind::Integers,
        "extents of the new loops, outermost first; one may be -1: what is left",
        choices::factors()},
       {"tail", ParameterKind::Name, "predicate, or peel", other_tails, true}},
      apply_split};
}

}  // namespace loopglass::schedule
