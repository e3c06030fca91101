// Blocks and what is in them: what they read, write and store, and when they run.
#pragma once

#include "core/loop/rewrite.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::loop {

// Blocks below `root` in program order.
std::vector<const Block*> blocks_of(const Stmt& root);
bool reads(const Block& block, const std::string& buffer);  // loads of its own sum not counted
bool writes(const Block& block, const std::string& buffer);
std::vector<const Block*> writers_of(const Stmt& root, const std::string& buffer);
std::vector<const Block*> readers_of(const Stmt& root, const std::string& buffer);

// The only store of a block whose body is nothing else; null for others.
const Store* only_store(const Block& block);
// For each index of the store, the position of the iteration variable it is; nullopt unless all are
// plain and distinct.
std::optional<std::vector<std::size_t>> plain_store_axes(const Block& block, const Store& store);
bool has_reduction(const Block& block);
std::vector<const expr::Load*> loads_of(const Block& block);
// Init and body, regions of blocks inside included.
Block map_block_body(const Block& block, const std::function<Expr(const Expr&)>& map);

// What `block` says of where it came from, and `other` besides. The initial value of a sum is of
// the operators it was of before.
void merge_origin(Block& block, const Origin& other);
// What a sum's initial value is of, where that says it itself; else what the block is of.
Origin origin_of_initial_value(const Block& sum);

// What the iteration variables are, in terms of the loops around the block.
Bindings bindings_of(const Block& block);
// The block's predicate over the loops around it alone, its iteration variables being bound.
Expr loop_predicate(const Block& block);
// The blocks of `stmt` run only where the condition holds.
Stmt add_predicate(const Stmt& stmt, const Expr& condition);

}  // namespace loopglass::loop
