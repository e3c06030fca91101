#include "core/schedule/elementwise_consumer.h"

#include "core/dependence/coverage.h"
#include "core/dependence/illegal.h"
#include "core/dependence/independence.h"
#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/regions.h"
#include "core/schedule/move.h"

#include <fmt/core.h>

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

// Each element the producer stores must stand for exactly one iteration of the block.
Result<Bindings> iterations_of(const std::string& call, const Func& func,
                               const ElementwiseConsumer& consumer) {
  const std::string &name = consumer.block.name, &met = consumer.buffer;
  const loop::Store& produced = consumer.produced;
  Bindings at;
  for (const expr::Load* load : loads_of(consumer.block)) {
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
  for (const loop::IterVar& iter : consumer.block.iters) {
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
  return at;
}

}  // namespace

namespace {

// Loops whose iterations run in any order did so for the producer's stores. The consumer's, which
// stand there now, may meet at one element, of which the last was kept.
Result<void> check_any_order(const std::string& call, const Func& func, const std::string& block) {
  for (const For* node : TRY(find_block(func, block)).loops()) {
    if (node->kind == loop::ForKind::Serial || node->kind == loop::ForKind::Unrolled) continue;
    const Path path = TRY(find_loop(func, node->variable));
    TRY_VOID(check_independent(call, func, path, private_buffers(node->kind, path)));
  }
  return {};
}

}  // namespace

std::vector<Expr> ElementwiseConsumer::indices() const {
  std::vector<Expr> indices = store.indices;
  for (Expr& index : indices) index = expr::substitute(index, at);
  return indices;
}

Result<ElementwiseConsumer> elementwise_consumer(
    const std::string& call, const Func& func, const std::string& name,
    const std::function<Result<void>(const Block& producer)>& check_producer) {
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
  TRY_VOID(check_producer(producer));
  for (const expr::Load* load : loads_of(block))
    for (const Block* writer : writers_of(func.body, load->buffer))
      if (load->buffer != met && position_of(func, writer->name) > position_of(func, producer.name))
        return illegal(call, writer->name,
                       fmt::format("'{}' also reads '{}', which is computed after '{}'", name,
                                   load->buffer, producer.name));
  ElementwiseConsumer consumer{path, block, *store, met, source, producer, *only_store(producer),
                               {}};
  consumer.at = TRY(iterations_of(call, func, consumer));
  return consumer;
}

Result<Func> joined(const std::string& call, const Func& func, const ElementwiseConsumer& consumer,
                    Block changed) {
  const std::string &name = consumer.block.name, &producer = consumer.producer.name;
  loop::merge_origin(changed, consumer.block.origin);
  changed = with_regions(std::move(changed), loop::buffers_of(func));
  const Func both = with_body(func, replace(consumer.source, loop::make(std::move(changed))));
  const Func alone = with_body(both, without_block(TRY(find_block(both, name))));
  if (!runs_every_instance(consumer.path) || !runs_every_instance(consumer.source))
    return illegal(call, name, fmt::format("'{}' or '{}' need not run everywhere", producer, name));
  TRY_VOID(check_moved(call, func, name, alone, producer));
  TRY_VOID(check_any_order(call, alone, producer));
  return without_allocation(alone, consumer.buffer);
}

}  // namespace loopglass::schedule
