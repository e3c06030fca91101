// Blocks that go along what they store to, element after element.
#include "core/default_schedule/rules.h"
#include "core/expr/place.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// The extent of the loop if the block stores element after element along it, else 0.
std::int64_t walked_in_memory(const Path& path, const std::string& variable) {
  const loop::Store* store = only_store(path.block());
  if (!store || store->indices.empty()) return 0;
  const auto* innermost = store->indices.back().as<expr::Variable>();
  for (const loop::IterVar& iter : path.block().iters) {
    const auto* bound = iter.binding.as<expr::Variable>();
    if (innermost && iter.name == innermost->name && bound && bound->name == variable)
      return expr::as_integer(iter.extent).value_or(0);
  }
  return 0;
}

}  // namespace

bool walks_along_memory(const Func& func, const Path& path, const std::string& variable) {
  const loop::Store* store = only_store(path.block());
  if (!store) return false;
  Bindings bindings;
  for (const loop::IterVar& iter : path.block().iters) bindings[iter.name] = iter.binding;
  const auto buffers = loop::buffers_of(func);
  const Expr address = expr::substitute(
      expr::place_of(store->indices, loop::find_buffer(buffers, store->buffer)->shape), bindings);
  return expr::coefficient(expr::simplify(address, ranges_of(path.loops())), variable) == 1;
}

// A consumer with an axis of its own (a softmax's exponentials, many to each maximum) is walked
// along that axis where it lies innermost in memory, not across the tile.
Result<bool> vectorize_along_memory(Draft& draft, const std::string& consumer,
                                    const Draft::Names& loops, std::int64_t lanes, int at_once) {
  const Path path = TRY(find_block(draft.func(), consumer));
  const std::int64_t extent = walked_in_memory(path, loops.back());
  if (extent < lanes) return false;
  std::string loop = loops.back();
  if (extent >= at_once * lanes) loop = TRY(draft.split(loop, {-1, at_once * lanes}))[1];
  TRY_VOID(draft.vectorize(loop));
  return true;
}

}  // namespace loopglass::schedule
