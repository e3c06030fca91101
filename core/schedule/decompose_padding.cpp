// decompose_padding(block, loop): a block that copies with a border first fills, then copies
// without one.
#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/schedule/choices.h"
#include "core/schedule/move.h"
#include "core/schedule/padding.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Where the loop runs on beyond this, its condition stays one.
constexpr std::int64_t most_tried = 1 << 16;

// Iterations of one variable, from `first`; without holes.
struct Run {
  std::int64_t first = 0, count = 0;
};

// Those below `extent` for which a condition on nothing but `variable` holds.
std::optional<Run> run_of(const Expr& condition, const std::string& variable, std::int64_t extent) {
  if (extent > most_tried || expr::variables_of(condition) != std::set<std::string>{variable})
    return {};
  Run run;
  for (std::int64_t value = 0; value < extent; ++value) {
    const Expr decided = expr::simplify(expr::substitute(condition, {{variable, Expr(value)}}));
    if (!expr::is_true(decided) && !expr::is_false(decided)) return {};
    if (expr::is_false(decided)) continue;
    if (run.count > 0 && run.first + run.count != value) return {};
    if (run.count++ == 0) run.first = value;
  }
  return run.count > 0 ? std::optional(run) : std::nullopt;
}

Run both(const Run& a, const Run& b) {
  const std::int64_t first = std::max(a.first, b.first);
  return {first, std::max<std::int64_t>(0, std::min(a.first + a.count, b.first + b.count) - first)};
}

// The statement list from the loop to the block has nothing but loops, and nobody else in it sees
// the buffer while it holds the border's value everywhere.
Result<void> check_alone(const std::string& call, const Path& path, std::size_t place,
                         const std::string& buffer) {
  for (std::size_t i = place; i + 1 < path.statements.size(); ++i)
    if (!loop::as<For>(path.statements[i]) && !loop::as<loop::Seq>(path.statements[i]))
      return illegal(call, path.block().name,
                     "a condition or allocation stands between the loop and the block");
  for (const Access& access : accesses_of(path.statements[place]))
    if (access.buffer == buffer && (!access.block || access.block->name != path.block().name))
      return illegal(call, buffer, fmt::format("'{}' is used by others in that loop too", buffer));
  return {};
}

struct Fill {
  std::string block;
  Stmt nest;
};

Result<Fill> fill_of(const std::string& call, const Path& path, std::size_t place,
                     const Padding& padding, Names& names, const std::vector<Buffer>& buffers) {
  const Block& block = path.block();
  Block fill{names.fresh(block.name + "_fill"), {}, {}, {}, {}, nullptr, nullptr, {}, block.origin};
  std::vector<NewLoop> loops;
  Bindings renamed;
  for (std::size_t i = place; i + 1 < path.statements.size(); ++i) {
    const For* node = loop::as<For>(path.statements[i]);
    if (!node) continue;
    const bool is_used = std::ranges::any_of(block.iters, [&](const loop::IterVar& iter) {
      return expr::uses_variable(iter.binding, node->variable);
    });
    if (!is_used) continue;
    for (const std::string& variable : expr::variables_of(node->extent))
      if (path.index_of_loop(variable) >= static_cast<int>(place) && !renamed.contains(variable))
        return illegal(call, node->variable,
                       fmt::format("its extent depends on '{}', which the filling block has no "
                                   "loop for",
                                   variable));
    loops.push_back(
        {names.fresh(node->variable + "_fill"), expr::substitute(node->extent, renamed)});
    renamed[node->variable] = expr::variable(loops.back().variable);
  }
  for (const loop::IterVar& iter : block.iters)
    fill.iters.push_back({iter.name, expr::substitute(iter.extent, renamed), false,
                          expr::substitute(iter.binding, renamed)});
  loop::Store store = *padding.store;
  store.value = padding.border;
  fill.body = loop::make(std::move(store));
  std::string made = fill.name;
  return Fill{std::move(made), nest_of(loops, with_regions(std::move(fill), buffers))};
}

// The loop that is the iteration and runs for this block alone, from the `place`-th statement
// inwards; null: there is none.
const For* loop_of(const Path& path, std::size_t place, const loop::IterVar& iter) {
  const auto* variable = iter.binding.as<expr::Variable>();
  const int at = variable ? path.index_of_loop(variable->name) : -1;
  if (at < static_cast<int>(place)) return nullptr;
  for (const loop::IterVar& other : path.block().iters)
    if (other.name != iter.name && expr::uses_variable(other.binding, variable->name))
      return nullptr;
  const For* node = loop::as<For>(path.statements[static_cast<std::size_t>(at)]);
  if (blocks_of(node->body).size() != 1) return nullptr;
  for (const Access& access : accesses_of(node->body))
    if (!access.block_body) return nullptr;
  for (std::size_t i = static_cast<std::size_t>(at) + 1; i + 1 < path.statements.size(); ++i) {
    const For* inner = loop::as<For>(path.statements[i]);
    if (!inner || expr::uses_variable(inner->extent, variable->name)) return nullptr;
  }
  return node;
}

Result<Applied> apply_decompose_padding(const Func& func, std::span<const Argument> arguments) {
  const std::string &name = name_at(arguments, 0), &variable = name_at(arguments, 1);
  const std::string call = fmt::format("decompose_padding({}, {})", name, variable);
  const Path path = TRY(find_block(func, name));
  const Padding padding = TRY(padding_of(call, func, path.block()));
  TRY(find_loop(func, variable));
  if (path.index_of_loop(variable) < 0)
    return illegal(call, variable,
                   fmt::format("loop '{}' is not around block '{}'", variable, name));
  const auto place = static_cast<std::size_t>(path.index_of_loop(variable));
  TRY_VOID(check_alone(call, path, place, padding.store->buffer));

  Names names(func);
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const Fill fill = TRY(fill_of(call, path, place, padding, names, buffers));
  Block inner = path.block();
  loop::Store store = *padding.store;
  store.value = padding.value;
  inner.body = loop::make(std::move(store));
  // Loops that a part of the condition speaks of run only where it holds; what is left of it is
  // asked in each iteration.
  std::map<std::string, Run> runs;  // by loop
  for (const Expr& part : expr::conjuncts(padding.inside)) {
    bool settled = false;
    for (const loop::IterVar& iter : inner.iters) {
      const auto extent = expr::as_integer(iter.extent);
      const auto run = extent ? run_of(part, iter.name, *extent) : std::nullopt;
      const For* node = run ? loop_of(path, place, iter) : nullptr;
      if (!node || expr::as_integer(node->extent) != extent) continue;
      const auto [known, is_new] = runs.emplace(node->variable, *run);
      if (!is_new) known->second = both(known->second, *run);
      settled = true;
      break;
    }
    if (!settled) inner.predicate = expr::conjunction(inner.predicate, part);
  }
  for (loop::IterVar& iter : inner.iters)
    if (const auto* bound = iter.binding.as<expr::Variable>())
      if (const auto run = runs.find(bound->name); run != runs.end())
        iter.binding = iter.binding + Expr(run->second.first);
  for (const auto& [loop, run] : runs)
    if (run.count == 0) return illegal(call, name, "no iteration is inside: it is all border");
  const Func changed =
      with_body(func, replace(path, loop::make(with_regions(std::move(inner), buffers))));
  const Path at = TRY(find_loop(changed, variable));
  const Stmt shortened = rewrite(at.target(), [&](const Stmt& stmt) -> Stmt {
    const For* node = loop::as<For>(stmt);
    const auto run = node ? runs.find(node->variable) : runs.end();
    if (run == runs.end()) return stmt;
    For shorter = *node;
    shorter.extent = Expr(run->second.count);
    return with_annotations(loop::make(std::move(shorter)), stmt->annotations);
  });
  return Applied{
      with_body(changed, replace(at, loop::sequence({fill.nest, shortened}))), {fill.block}, {}};
}

}  // namespace

Primitive decompose_padding() {
  return {
      "decompose_padding",
      "Parts a block that copies with a border around: everything is filled with the border's "
      "value before the given loop, and the copy runs without conditions where these speak of one "
      "loop each; returns the filling block.",
      "for i in 10 { P[i] = select(i >= 1 and i < 9, X[i - 1], 0) }",
      "for f in 10 { P[f] = 0 }  for i in 8 { P[i + 1] = X[i] }",
      {{"block", ParameterKind::Block, "stores select(inside, a value, a number)"},
       {"loop", ParameterKind::Loop, "a loop around it", choices::loops_around()}},
      apply_decompose_padding};
}

}  // namespace loopglass::schedule
