#include "core/schedule/tiles.h"

#include "core/dependence/illegal.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// The block around the last statement of the path; null: there is none.
const Block* tile_around(const Path& path) {
  for (std::size_t i = 0; i + 1 < path.statements.size(); ++i)
    if (const Block* block = loop::as<Block>(path.statements[i])) return block;
  return nullptr;
}

bool is_tile(const Block& block) { return !blocks_of(block.body).empty(); }

bool has_tiles(const Func& func) {
  return std::ranges::any_of(blocks_of(func.body),
                             [](const Block* block) { return is_tile(*block); });
}

}  // namespace

Result<void> check_outside_tiles(const std::string& name, const std::vector<Parameter>& parameters,
                                 const Func& func, std::span<const Argument> arguments) {
  if (!has_tiles(func)) return {};
  const auto check = [&](ParameterKind kind, const std::string& entity) -> Result<void> {
    const auto path =
        kind == ParameterKind::Block ? find_block(func, entity) : find_loop(func, entity);
    const Block* tile = path ? tile_around(*path) : nullptr;
    if (!tile) return {};
    return illegal(name, entity,
                   fmt::format("'{}' is inside block '{}', which is one computation to all others",
                               entity, tile->name),
                   "schedule what is in a tile before blockize");
  };
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const ParameterKind kind = parameters[k].kind;
    if (kind == ParameterKind::Loop || kind == ParameterKind::Block)
      TRY_VOID(check(kind, std::get<std::string>(arguments[k])));
    if (kind == ParameterKind::Loops)
      for (const std::string& entity : std::get<std::vector<std::string>>(arguments[k]))
        TRY_VOID(check(kind, entity));
  }
  return {};
}

Func with_regions_of_tiles(Func func) {
  if (!has_tiles(func)) return func;
  const std::vector<Buffer> buffers = buffers_of(func);
  const auto anew = [&](const Stmt& stmt) -> Stmt {
    const Block* block = loop::as<Block>(stmt);
    if (!block) return stmt;
    return with_annotations(loop::make(with_regions(*block, buffers)), stmt->annotations);
  };
  func.body = rewrite(func.body, [&](const Stmt& stmt) -> Stmt {
    const Block* block = loop::as<Block>(stmt);
    return block && is_tile(*block) ? rewrite(stmt, anew) : stmt;  // what is inside comes first
  });
  return func;
}

}  // namespace loopglass::schedule
