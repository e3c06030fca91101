// blockize(loop): a nest becomes one block, which has its own iterations of the loops around it.
//
// Inside, everything stays as it was, and is left alone from then on (tiles.h); outside, there is
// one computation with the regions of the whole tile. Loops inside see the block's iterations in
// place of the loops outside.
#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"
#include "core/schedule/summed_once.h"

#include <fmt/core.h>

namespace loopglass::schedule {

using namespace loop;

namespace {

// The one block below, with nothing but loops on the way to it.
Result<Path> only_block(const std::string& call, const Func& func, const Path& loop) {
  const std::vector<const Block*> blocks = blocks_of(loop.target());
  const std::string& variable = loop.loop().variable;
  if (blocks.size() != 1)
    return illegal(call, variable,
                   fmt::format("there {} in loop '{}', and a tile is one",
                               blocks.empty() ? "is no block" : "are several blocks", variable));
  Path path = TRY(find_block(func, blocks.front()->name));
  for (std::size_t i = loop.statements.size(); i + 1 < path.statements.size(); ++i)
    if (!loop::as<For>(path.statements[i]))
      return illegal(call, variable,
                     fmt::format("something other than a loop stands between '{}' and block '{}'",
                                 variable, blocks.front()->name));
  return path;
}

bool uses(const Path& path, const Path& loop, const std::string& variable) {
  const Block& block = path.block();
  for (const loop::IterVar& iter : block.iters)
    if (expr::uses_variable(iter.binding, variable) || expr::uses_variable(iter.extent, variable))
      return true;
  if (block.predicate.defined() && expr::uses_variable(block.predicate, variable)) return true;
  for (std::size_t i = loop.statements.size() - 1; i + 1 < path.statements.size(); ++i)
    if (expr::uses_variable(loop::as<For>(path.statements[i])->extent, variable)) return true;
  return false;
}

Result<Applied> apply_blockize(const Func& func, std::span<const Argument> arguments) {
  const std::string& variable = name_at(arguments, 0);
  const std::string call = fmt::format("blockize({})", variable);
  const Path loop = TRY(find_loop(func, variable));
  const Path path = TRY(only_block(call, func, loop));
  const Block& inner = path.block();

  Names names(func);
  Block tile;
  tile.name = names.fresh(inner.name + "_o");
  tile.origin = inner.origin;
  Bindings own;  // its iterations, by the loops around it
  for (const For* node : loop.loops()) {
    if (!uses(path, loop, node->variable)) continue;
    const Use use = use_of(inner, node->variable);
    if (use == Use::Both)
      return illegal(call, node->variable,
                     fmt::format("'{}' is spatial and reduced at once", node->variable));
    const std::string iter = names.fresh(fmt::format("b{}", tile.iters.size()));
    tile.iters.push_back(
        {iter, node->extent, use == Use::Reduction, expr::variable(node->variable)});
    own.emplace(node->variable, expr::variable(iter));
  }
  for (const loop::IterVar& iter : tile.iters)
    for (const std::string& used : expr::variables_of(iter.extent))
      if (own.contains(used))
        return illegal(call, used,
                       fmt::format("the extent of a loop around the tile depends on '{}'", used));
  tile.body = substitute_loops(loop.target(), own);
  const std::string made = tile.name;
  return Applied{
      with_body(func,
                replace(loop, loop::make(with_regions(std::move(tile), loop::buffers_of(func))))),
      {made},
      {}};
}

}  // namespace

Primitive blockize() {
  return {
      "blockize",
      "Makes the nest at a loop one block, with iterations of its own for the loops around it; "
      "returns that block. What is inside of it stays as it is, an intrinsic's tile for example.",
      "for io in 8 { for ii in 4 { block C(i0 = io * 4 + ii) { ... } } }",
      "for io in 8 { block C_o(b0 = io) { for ii in 4 { block C(i0 = b0 * 4 + ii) { ... } } } }",
      {{"loop", ParameterKind::Loop, "the outermost loop of the tile, around one block"}},
      apply_blockize};
}

}  // namespace loopglass::schedule
