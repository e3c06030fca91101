#include "core/schedule/summed_once.h"

#include "core/dependence/independence.h"
#include "core/dependence/meeting.h"
#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"
#include "core/schedule/move.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

bool is_zero(const Expr& value) {
  const auto* real = value.as<expr::FloatConstant>();
  return expr::as_integer(value) == 0 || (real && real->value == 0);
}

Use use_of(const Block& block, const std::string& variable) {
  bool spatial = false, reduction = false;
  for (const loop::IterVar& iter : block.iters)
    if (expr::uses_variable(iter.binding, variable)) (iter.reduction ? reduction : spatial) = true;
  if (spatial && reduction) return Use::Both;
  return spatial ? Use::Spatial : reduction ? Use::Reduction : Use::None;
}

namespace {

// Whether in no two iterations of the loop the block stores to one element, whatever the loops
// inside of `root` do and those outside have in common: of a tile that stands out beyond an edge
// only the predicate tells.
bool stores_apart(const Stmt& root, const std::string& block, const std::string& variable,
                  const expr::Ranges& ranges) {
  for (const Access& access : accesses_of(root)) {
    if (!access.is_store || !access.block || access.block->name != block) continue;
    Relations relations;
    for (const For* node : access.loops) relations[node->variable] = Relation::Any;
    relations[variable] = Relation::Later;
    if (!never_meet(access, access, relations, ranges)) return false;
  }
  return true;
}

}  // namespace

Result<void> check_summed_once(const std::string& call, const Path& path, std::size_t place,
                               const std::string& hint) {
  const Block& block = path.block();
  // By where it is stored, and where that is at the iterations themselves by their place among all:
  // a quotient and a remainder of one value join there.
  std::vector<Expr> element;
  Expr memory(0);
  const loop::Store* store = only_store(block);
  const auto axes = store ? plain_store_axes(block, *store) : std::nullopt;
  std::size_t spatial = 0;
  Bindings bindings;
  for (const loop::IterVar& iter : block.iters) {
    bindings[iter.name] = iter.binding;
    if (iter.reduction) continue;
    ++spatial;
    memory = memory * iter.extent + iter.binding;
  }
  if (store)
    for (const Expr& index : store->indices) element.push_back(expr::substitute(index, bindings));
  const bool at_iterations = axes && axes->size() == spatial;
  const expr::Ranges ranges = ranges_of(path.loops());
  std::set<std::string> fixed;  // loops outside the place
  for (std::size_t i = 0; i < place; ++i)
    if (const For* node = loop::as<For>(path.statements[i])) fixed.insert(node->variable);
  for (std::size_t i = place; i + 1 < path.statements.size(); ++i) {
    const For* node = loop::as<For>(path.statements[i]);
    if (!node || use_of(block, node->variable) == Use::Reduction ||
        expr::as_integer(node->extent) == 1)
      continue;
    if (!separates(element, node->variable, ranges, fixed) &&
        !(at_iterations && separates({memory}, node->variable, ranges, fixed)) &&
        !stores_apart(path.statements[place], block.name, node->variable, ranges))
      return illegal(
          call, node->variable,
          fmt::format("'{}' sums the same elements again in other iterations of '{}', which needs "
                      "the initial value each time",
                      block.name, node->variable),
          hint);
  }
  return {};
}

Result<void> check_initial_value(const std::string& call, const Block& block) {
  bool of_terms = false;
  loop::walk(block.init, [&](const Stmt& stmt) {
    loop::each_expr(stmt, [&](const Expr& e) {
      for (const loop::IterVar& iter : block.iters)
        of_terms |= iter.reduction && expr::uses_variable(e, iter.name);
    });
  });
  if (!of_terms) return {};
  return illegal(call, block.name,
                 fmt::format("the initial value of '{}' depends on its terms", block.name));
}

bool starts_at_zero(const Block& block, const expr::Ranges& ranges) {
  std::vector<Expr> terms, extents;
  Bindings first;
  std::set<std::string> spatial;
  for (const loop::IterVar& iter : block.iters) {
    const std::set<std::string> used = expr::variables_of(iter.binding);
    if (!iter.reduction) {
      spatial.insert(used.begin(), used.end());
      continue;
    }
    terms.push_back(iter.binding);
    extents.push_back(iter.extent);
    for (const std::string& variable : used) first[variable] = Expr(0);
  }
  for (const Expr& term : terms)
    if (expr::as_integer(expr::simplify(expr::substitute(term, first), ranges)) != 0) return false;
  return not_told_apart(terms, extents, ranges, spatial).empty();
}

Result<void> check_sums_in_place(const std::string& call, const Path& path) {
  const Block& block = path.block();
  const std::vector<const For*> loops = path.loops();
  const expr::Ranges ranges = ranges_of(loops);
  std::vector<Expr> term;  // which one of which element
  for (const loop::IterVar& iter : block.iters) term.push_back(iter.binding);
  Bindings start;
  for (const For* node : loops) {
    const Use use = use_of(block, node->variable);
    if (use == Use::Both)
      return illegal(call, node->variable,
                     fmt::format("'{}' would be spatial and reduced at once", node->variable));
    if (use == Use::Reduction) {
      start[node->variable] = Expr(0);
      if (node->kind != loop::ForKind::Serial && node->kind != loop::ForKind::Unrolled)
        return illegal(call, node->variable,
                       fmt::format("'{}' would sum over '{}', which is {}", block.name,
                                   node->variable, loop::name(node->kind)));
    }
    if (expr::as_integer(node->extent) != 1 && !separates(term, node->variable, ranges, {}))
      return illegal(call, node->variable,
                     fmt::format("'{}' would sum the same terms again in other iterations of '{}'",
                                 block.name, node->variable));
  }
  for (const loop::IterVar& iter : block.iters)
    if (iter.reduction &&
        expr::as_integer(expr::simplify(expr::substitute(iter.binding, start), ranges)) != 0)
      return illegal(
          call, block.name,
          fmt::format("'{}' would not begin with the first of '{}'", block.name, iter.name));
  for (const Expr& condition : expr::conjuncts(loop_predicate(block))) {
    const bool of_terms = std::any_of(start.begin(), start.end(), [&](const auto& entry) {
      return expr::uses_variable(condition, entry.first);
    });
    const std::set<std::string> used = expr::variables_of(condition);
    const bool of_elements = std::any_of(
        used.begin(), used.end(), [&](const std::string& name) { return !start.contains(name); });
    if (of_terms &&
        (of_elements || !expr::is_true(expr::simplify(expr::substitute(condition, start), ranges))))
      return illegal(call, block.name,
                     fmt::format("'{}' would not begin everywhere with the first term, where {}",
                                 block.name, expr::to_string(condition)));
  }
  return {};
}

}  // namespace loopglass::schedule
