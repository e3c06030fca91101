#include "core/schedule/padding.h"

#include "core/dependence/illegal.h"
#include "core/expr/rewrite.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/schedule/move.h"

#include <fmt/core.h>

namespace loopglass::schedule {

using namespace loop;

Result<Padding> padding_of(const std::string& call, const Func& func, const Block& block) {
  const loop::Store* store = only_store(block);
  const auto* select = store ? store->value.as<expr::Select>() : nullptr;
  if (!select ||
      !(select->when_false.as<expr::IntConstant>() || select->when_false.as<expr::FloatConstant>()))
    return illegal(
        call, block.name,
        fmt::format("block '{}' does not store select(inside, a value, a number)", block.name));
  if (expr::has_load(select->condition))
    return illegal(call, block.name, "what is inside is known only from what is loaded");
  if (has_reduction(block) || block.init || block.predicate.defined() || loads_itself(block))
    return illegal(call, block.name,
                   fmt::format("block '{}' sums, or does not run in every iteration", block.name));
  const auto axes = plain_store_axes(block, *store);
  if (!axes || axes->size() != block.iters.size())
    return illegal(call, block.name,
                   fmt::format("block '{}' does not store each iteration to an element of its own",
                               block.name));
  TRY_VOID(check_lone_writer(call, func, block));
  return Padding{store, select->condition, select->when_true, select->when_false};
}

}  // namespace loopglass::schedule
