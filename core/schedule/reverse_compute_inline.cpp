// reverse_compute_inline(block): an elementwise consumer disappears into its producer.
#include "core/dependence/coverage.h"
#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/path.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/schedule/move.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// The one buffer of the function that the block reads, from one producer that nobody else reads.
Result<std::string> met_buffer(const std::string& call, const Func& func, const Block& block) {
  std::string met;
  for (const expr::Load* load : loads_of(block)) {
    if (is_parameter(func, load->buffer) || load->buffer == met) continue;
    const std::vector<const Block*> writers = writers_of(func.body, load->buffer);
    if (writers.size() != 1 || readers_of(func.body, load->buffer).size() != 1) continue;
    if (!met.empty())
      return illegal(call, block.name, fmt::format("it could join '{}' or '{}'", met, load->buffer),
                     "inline the producer instead, with compute_inline");
    met = load->buffer;
  }
  if (met.empty())
    return illegal(call, block.name,
                   "it has no producer of its own: one whose result nobody else reads");
  return met;
}

Result<Applied> apply(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string call = fmt::format("reverse_compute_inline({})", name);
  const Path path = TRY(find_block(func, name));
  const Block block = path.block();
  const loop::Store* store = only_store(block);
  if (!store || has_reduction(block) || block.init || block.predicate.defined())
    return illegal(call, name,
                   fmt::format("block '{}' is not a plain elementwise computation", name));
  if (loads_itself(block))
    return illegal(
        call, name,
        fmt::format("block '{}' goes on from what '{}' held before", name, store->buffer));
  const std::string met = TRY(met_buffer(call, func, block));
  const Path source = TRY(find_block(func, writers_of(func.body, met)[0]->name));
  const Block producer = source.block();
  TRY_VOID(check_movable(call, func, producer));
  if (has_reduction(producer))
    return illegal(
        call, producer.name,
        fmt::format("'{}' is a reduction: its sum is complete only at the end", producer.name),
        "use reverse_compute_at");
  const loop::Store produced = *only_store(producer);
  for (const expr::Load* load : loads_of(block))
    for (const Block* writer : writers_of(func.body, load->buffer))
      if (load->buffer != met && position_of(func, writer->name) > position_of(func, producer.name))
        return illegal(call, writer->name,
                       fmt::format("'{}' also reads '{}', which is computed after '{}'", name,
                                   load->buffer, producer.name));

  // Each element the producer stores must stand for exactly one iteration of the block.
  Bindings at;
  for (const expr::Load* load : loads_of(block)) {
    if (load->buffer != met) continue;
    Bindings here;
    for (std::size_t d = 0; d < load->indices.size(); ++d) {
      const auto* variable = load->indices[d].as<expr::Variable>();
      if (!variable || !here.emplace(variable->name, produced.indices[d]).second)
        return illegal(call, name,
                       fmt::format("it reads '{}' at {}, not element by element", met,
                                   expr::to_string(load->indices[d])));
    }
    for (const auto& [variable, index] : here)
      if (const auto known = at.find(variable);
          !at.empty() && (known == at.end() || !expr::same(known->second, index)))
        return illegal(call, name, fmt::format("it reads several elements of '{}' at a time", met));
    at = std::move(here);
  }
  const Buffer buffer = *loop::find_buffer(loop::buffers_of(func), met);
  for (const loop::IterVar& iter : block.iters) {
    const auto index = at.find(iter.name);
    bool whole = false;
    for (std::size_t d = 0; index != at.end() && d < buffer.shape.size(); ++d)
      whole |= expr::same(index->second, produced.indices[d]) &&
               expr::same(buffer.shape[d], iter.extent);
    if (!whole)
      return illegal(
          call, name,
          fmt::format("iteration '{}' does not walk a whole dimension of '{}'", iter.name, met));
  }

  const auto joined = [&](const Expr& e) { return expr::substitute(e, at); };
  loop::Store store_here = *store;
  for (Expr& index : store_here.indices) index = joined(index);
  store_here.value = expr::rewrite(joined(store->value), [&](const Expr& e) -> Expr {
    const auto* load = e.as<expr::Load>();
    return load && load->buffer == met ? produced.value : Expr();
  });
  Block changed = producer;
  changed.body = loop::make(std::move(store_here));
  changed.origin.merge(block.origin);
  changed = with_regions(std::move(changed), loop::buffers_of(func));
  const Func joined_func = with_body(func, replace(source, loop::make(std::move(changed))));
  const Path gone = TRY(find_block(joined_func, name));
  const Func alone = with_body(joined_func, without_block(gone));
  if (!runs_every_instance(path) || !runs_every_instance(source))
    return illegal(call, name,
                   fmt::format("'{}' or '{}' need not run everywhere", producer.name, name));
  TRY_VOID(check_moved(call, func, name, alone, producer.name));
  return Applied{without_allocation(alone, met), {}, {}};
}

}  // namespace

Primitive reverse_compute_inline() {
  return {
      "reverse_compute_inline",
      "Lets an elementwise producer compute its consumer's value directly, and removes the "
      "consumer.",
      "for i in 8 { A[i] = X[i] + 1 }  for j in 8 { B[j] = A[j] * 2 }",
      "for i in 8 { B[i] = (X[i] + 1) * 2 }",
      {{"block", ParameterKind::Block, "an elementwise block, the only reader of its producer"}},
      apply};
}

}  // namespace loopglass::schedule
