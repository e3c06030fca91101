// fuse(loops): perfectly nested loops become one.
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace loopglass::schedule {

using namespace loop;

namespace {

Result<Applied> apply_fuse(const Func& func, std::span<const Argument> arguments) {
  const std::vector<std::string>& variables = names_at(arguments, 0);
  const std::string call = fmt::format("fuse([{}])", fmt::join(variables, ", "));
  if (variables.empty()) return illegal(call, call, "needs loops, outermost first");
  const Path path = TRY(find_loop(func, variables[0]));
  if (variables.size() == 1) return Applied{func, {variables[0]}, {}};

  std::vector<const For*> loops{&path.loop()};
  for (std::size_t i = 1; i < variables.size(); ++i) {
    const For* inner = loop::as<For>(loops.back()->body);
    if (!inner || inner->variable != variables[i]) {
      TRY(find_loop(func, variables[i]));
      return illegal(call, variables[i],
                     fmt::format("'{}' is not the only statement in loop '{}'", variables[i],
                                 variables[i - 1]),
                     "reorder the loops so that they are directly nested, outermost first");
    }
    loops.push_back(inner);
  }
  Expr extent(1);
  for (const For* node : loops) {
    if (node->kind != loop::ForKind::Serial)
      return illegal(call, node->variable,
                     fmt::format("the loop is {} already", loop::name(node->kind)));
    for (const For* outer : loops)
      if (expr::uses_variable(node->extent, outer->variable))
        return illegal(call, node->variable,
                       fmt::format("its extent depends on '{}'", outer->variable));
    extent = extent * node->extent;
  }
  if (const auto bounds = expr::bounds(extent, {}); bounds && bounds->max > (std::int64_t{1} << 60))
    return illegal(call, variables[0], "the product of the extents is too large to count");

  // The parts' names joined, while that can still be read.
  constexpr std::size_t readable = 12;
  const std::string joined = fmt::format("{}", fmt::join(variables, "_"));
  const std::string fused =
      Names(func).fresh(joined.size() <= readable ? joined : variables[0] + "_fused");
  Bindings bindings;
  Expr rest = expr::variable(fused);
  for (std::size_t i = loops.size(); i-- > 1;) {
    bindings[loops[i]->variable] = floor_mod(rest, loops[i]->extent);
    rest = floor_div(rest, loops[i]->extent);
  }
  bindings[loops[0]->variable] = rest;
  const Stmt body = substitute_loops(loops.back()->body, bindings);
  const Stmt result = loop::make(For{fused, expr::simplify(extent), loop::ForKind::Serial, body});
  return Applied{with_body(func, replace(path, simplify_bindings(result, ranges_of(path.loops())))),
                 {fused},
                 {}};
}

}  // namespace

Primitive fuse() {
  return {
      "fuse",
      "Makes one loop of directly nested ones; one by itself is what it was.",
      "for y in 4 { for x in 8 { A[y, x] } }",
      "for y_x in 32 { A[y_x // 8, y_x % 8] }",
      {{"loops", ParameterKind::Loops, "the loops, outermost first", choices::adjoining_pairs()}},
      apply_fuse};
}

}  // namespace loopglass::schedule
