#include "core/loop/blocks.h"

#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/loop/walk.h"

#include <algorithm>
#include <set>

namespace loopglass::loop {

std::vector<const Block*> blocks_of(const Stmt& root) {
  std::vector<const Block*> result;
  walk(root, [&](const Stmt& stmt) {
    if (const Block* block = as<Block>(stmt)) result.push_back(block);
  });
  return result;
}

const Store* only_store(const Block& block) { return as<Store>(block.body); }

bool has_reduction(const Block& block) {
  return std::any_of(block.iters.begin(), block.iters.end(),
                     [](const IterVar& iter) { return iter.reduction; });
}

std::optional<std::vector<std::size_t>> plain_store_axes(const Block& block, const Store& store) {
  std::vector<std::size_t> axes;
  for (const Expr& index : store.indices) {
    const auto* variable = index.as<expr::Variable>();
    if (!variable) return std::nullopt;
    const auto iter = std::find_if(block.iters.begin(), block.iters.end(),
                                   [&](const IterVar& v) { return v.name == variable->name; });
    if (iter == block.iters.end() || iter->reduction) return std::nullopt;
    const auto axis = static_cast<std::size_t>(iter - block.iters.begin());
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) return std::nullopt;
    axes.push_back(axis);
  }
  return axes;
}

namespace {

void collect_loads(const Expr& e, std::vector<const expr::Load*>& loads) {
  if (!e.defined()) return;
  expr::visit(e, [&](const Expr& node) {
    if (const auto* load = node.as<expr::Load>()) loads.push_back(load);
  });
}

void collect(const Stmt& root, std::vector<const expr::Load*>& loads,
             std::set<std::string>& written) {
  walk(root, [&](const Stmt& stmt) {
    if (const Store* store = as<Store>(stmt)) written.insert(store->buffer);
    each_expr(stmt, [&](const Expr& e) { collect_loads(e, loads); });
  });
}

struct Contents {
  std::vector<const expr::Load*> loads;
  std::set<std::string> written;
};

Contents contents(const Block& block) {
  Contents result;
  if (block.init) collect(block.init, result.loads, result.written);
  collect(block.body, result.loads, result.written);
  return result;
}

}  // namespace

std::vector<const expr::Load*> loads_of(const Block& block) { return contents(block).loads; }

bool reads(const Block& block, const std::string& buffer) {
  const Contents found = contents(block);
  if (found.written.contains(buffer)) return false;
  return std::any_of(found.loads.begin(), found.loads.end(),
                     [&](const expr::Load* load) { return load->buffer == buffer; });
}

bool writes(const Block& block, const std::string& buffer) {
  return contents(block).written.contains(buffer);
}

std::vector<const Block*> writers_of(const Stmt& root, const std::string& buffer) {
  std::vector<const Block*> result = blocks_of(root);
  std::erase_if(result, [&](const Block* block) { return !writes(*block, buffer); });
  return result;
}

std::vector<const Block*> readers_of(const Stmt& root, const std::string& buffer) {
  std::vector<const Block*> result = blocks_of(root);
  std::erase_if(result, [&](const Block* block) { return !reads(*block, buffer); });
  return result;
}

Block map_block_body(const Block& block, const std::function<Expr(const Expr&)>& map) {
  Block copy = block;
  if (copy.init) copy.init = rewrite_exprs(copy.init, map);
  copy.body = rewrite_exprs(copy.body, map);
  return copy;
}

void merge_origin(Block& block, const Origin& other) {
  if (block.init)
    block.init = rewrite(block.init, [&](const Stmt& stmt) -> Stmt {
      const Store* store = as<Store>(stmt);
      if (!store || !store->origin.sources.empty()) return stmt;
      Store own = *store;
      own.origin = block.origin;
      return make(std::move(own));
    });
  block.origin.merge(other);
}

Origin origin_of_initial_value(const Block& sum) {
  const Store* store = as<Store>(sum.init);
  return store && !store->origin.sources.empty() ? store->origin : sum.origin;
}

Bindings bindings_of(const Block& block) {
  Bindings bindings;
  for (const IterVar& iter : block.iters) bindings[iter.name] = iter.binding;
  return bindings;
}

Expr loop_predicate(const Block& block) {
  return block.predicate.defined() ? expr::substitute(block.predicate, bindings_of(block)) : Expr();
}

Stmt add_predicate(const Stmt& stmt, const Expr& condition) {
  const Block* block = as<Block>(stmt);
  if (!block)
    return map_children(stmt, [&](const Stmt& child) { return add_predicate(child, condition); });
  // Those inside of it do not run where it does not.
  Block copy = *block;
  copy.predicate = expr::conjunction(copy.predicate, condition);
  return with_annotations(make(std::move(copy)), stmt->annotations);
}

}  // namespace loopglass::loop
