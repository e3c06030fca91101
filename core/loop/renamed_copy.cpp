#include "core/loop/renamed_copy.h"

#include "core/expr/rewrite.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"

#include <map>

namespace loopglass::loop {

namespace {

using NewNames = std::map<std::string, std::string>;

const std::string& renamed(const NewNames& names, const std::string& name) {
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

Block with_names(Block block, const NewNames& blocks, const NewNames& buffers) {
  block.name = renamed(blocks, block.name);
  for (std::vector<Region>* regions : {&block.reads, &block.writes})
    for (Region& region : *regions) region.buffer = renamed(buffers, region.buffer);
  return block;
}

Stmt with_loop_names(const Stmt& stmt, const NewNames& loops);

// In the blocks that stand outermost; those inside of them follow in their turn.
Stmt with_loop_names_in_blocks(const Stmt& stmt, const NewNames& loops) {
  const Block* node = as<Block>(stmt);
  if (!node)
    return map_children(stmt,
                        [&](const Stmt& child) { return with_loop_names_in_blocks(child, loops); });
  Block copy = *node;
  if (copy.init) copy.init = with_loop_names(copy.init, loops);
  copy.body = with_loop_names(copy.body, loops);
  return with_annotations(make(std::move(copy)), stmt->annotations);
}

// Uses of loops by the names that these get. A block sees none of those around it; those inside it
// are its own, and are seen there.
Stmt with_loop_names(const Stmt& stmt, const NewNames& loops) {
  Bindings variables;
  walk(stmt, [&](const Stmt& s) {
    if (const For* node = as<For>(s))
      variables[node->variable] = expr::variable(renamed(loops, node->variable));
  });
  if (variables.empty()) return stmt;
  return with_loop_names_in_blocks(substitute_loops(stmt, variables), loops);
}

}  // namespace

Stmt renamed_copy(const Stmt& stmt, Names& names) {
  NewNames loops, blocks, buffers;
  walk(stmt, [&](const Stmt& s) {
    if (const For* node = as<For>(s)) loops[node->variable] = names.fresh(node->variable);
    if (const Block* node = as<Block>(s)) blocks[node->name] = names.fresh(node->name);
    if (const Alloc* node = as<Alloc>(s))
      buffers[node->buffer.name] = names.fresh(node->buffer.name);
  });
  if (loops.empty() && blocks.empty() && buffers.empty()) return stmt;
  const Stmt expressions = rewrite_exprs(with_loop_names(stmt, loops), [&](const Expr& e) {
    return expr::rewrite(e, [&](const Expr& node) -> Expr {
      const auto* load = node.as<expr::Load>();
      return load && buffers.contains(load->buffer)
                 ? expr::load(node.type(), renamed(buffers, load->buffer), load->indices)
                 : Expr();
    });
  });
  return rewrite(expressions, [&](const Stmt& s) -> Stmt {
    if (const For* node = as<For>(s)) {
      For copy = *node;
      copy.variable = renamed(loops, node->variable);
      return with_annotations(make(std::move(copy)), s->annotations);
    }
    if (const Block* node = as<Block>(s))
      return with_annotations(make(with_names(*node, blocks, buffers)), s->annotations);
    if (const Alloc* node = as<Alloc>(s)) {
      Buffer buffer = node->buffer;
      buffer.name = renamed(buffers, buffer.name);
      return with_annotations(make(Alloc{std::move(buffer), node->body}), s->annotations);
    }
    if (const Store* node = as<Store>(s)) {
      Store copy = *node;
      copy.buffer = renamed(buffers, node->buffer);
      return make(std::move(copy));
    }
    return s;
  });
}

}  // namespace loopglass::loop
