// add_unit_loop(block): a loop of one iteration around a block.
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/rewrite.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

namespace loopglass::schedule {

using namespace loop;

namespace {

Result<Applied> apply_add_unit_loop(const Func& func, std::span<const Argument> arguments) {
  const Path path = TRY(find_block(func, name_at(arguments, 0)));
  const std::string variable = Names(func).fresh("u");
  const Stmt around = loop::make(For{variable, Expr(1), loop::ForKind::Serial, path.target()});
  return Applied{with_body(func, replace(path, around)), {variable}, {}};
}

}  // namespace

Primitive add_unit_loop() {
  return {"add_unit_loop",
          "Puts a loop of one iteration around a block: a place for what is to be computed there, "
          "or an axis of a launch for a block that has no loop.",
          "C = ...",
          "for u in 1 { C = ... }",
          {{"block", ParameterKind::Block, "the block"}},
          apply_add_unit_loop};
}

}  // namespace loopglass::schedule
