#include "core/schedule/move.h"

#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

Result<std::vector<std::size_t>> check_movable(const std::string& call, const Func& func,
                                               const Block& block) {
  const loop::Store* store = only_store(block);
  if (!store)
    return illegal(call, block.name,
                   fmt::format("block '{}' is more than a single store", block.name));
  if (is_parameter(func, store->buffer))
    return illegal(
        call, block.name,
        fmt::format("block '{}' computes '{}', an output of the kernel, which is needed whole",
                    block.name, store->buffer));
  if (writers_of(func.body, store->buffer).size() != 1)
    return illegal(call, block.name,
                   fmt::format("'{}' is written by more than one block", store->buffer),
                   "move the block before decomposing its reduction");
  if (has_reduction(block) && !block.init)
    return illegal(call, block.name,
                   fmt::format("the initial value of '{}' is set elsewhere", store->buffer));
  auto axes = plain_store_axes(block, *store);
  const auto spatial = std::count_if(block.iters.begin(), block.iters.end(),
                                     [](const loop::IterVar& iter) { return !iter.reduction; });
  if (!axes || axes->size() != static_cast<std::size_t>(spatial))
    return illegal(call, block.name,
                   fmt::format("block '{}' does not store each iteration to an element of its own",
                               block.name));
  return *axes;
}

Result<void> check_sources_final(const std::string& call, const Func& func, const Block& block) {
  const std::size_t place = position_of(func, block.name);
  for (const expr::Load* load : loads_of(block))
    for (const Block* writer : writers_of(func.body, load->buffer))
      if (writer->name != block.name && position_of(func, writer->name) > place)
        return illegal(call, writer->name,
                       fmt::format("'{}' reads '{}', which '{}' writes again later", block.name,
                                   load->buffer, writer->name));
  return {};
}

Stmt nest_of(const std::vector<NewLoop>& loops, Block block) {
  Stmt body = loop::make(std::move(block));
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
    body = loop::make(For{loop->variable, loop->extent, loop::ForKind::Serial, body});
  return body;
}

std::size_t position_of(const Func& func, const std::string& name) {
  const std::vector<const Block*> blocks = blocks_of(func.body);
  const auto found =
      std::find_if(blocks.begin(), blocks.end(), [&](const Block* b) { return b->name == name; });
  return static_cast<std::size_t>(found - blocks.begin());
}

std::vector<Stmt> statements_of(const Stmt& body) {
  if (!body) return {};
  const loop::Seq* seq = loop::as<loop::Seq>(body);
  return seq ? seq->statements : std::vector<Stmt>{body};
}

}  // namespace loopglass::schedule
