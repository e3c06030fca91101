#include "core/loop/walk.h"

#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/loop/regions.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace loopglass::loop {

namespace {

template <class... Functions>
struct Overload : Functions... {
  using Functions::operator()...;
};

void each_child(const StmtNode& node, const std::function<void(const Stmt&)>& visit) {
  const auto maybe = [&](const Stmt& child) {
    if (child) visit(child);
  };
  std::visit(Overload{
                 [&](const For& s) { maybe(s.body); },
                 [&](const Block& s) { maybe(s.init), maybe(s.body); },
                 [&](const Store&) {},
                 [&](const If& s) { maybe(s.then_body), maybe(s.else_body); },
                 [&](const Alloc& s) { maybe(s.body); },
                 [&](const Seq& s) {
                   for (const Stmt& child : s.statements) maybe(child);
                 },
             },
             node.value);
}

// The statement over changed children, or itself.
Stmt over_children(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& change) {
  bool changed = false;
  const auto renew = [&](const Stmt& child) {
    if (!child) return child;
    Stmt result = change(child);
    changed |= result != child;
    return result;
  };
  StmtNode copy = *stmt;
  std::visit(Overload{
                 [&](For& s) { s.body = renew(s.body); },
                 [&](Block& s) { s.init = renew(s.init), s.body = renew(s.body); },
                 [&](Store&) {},
                 [&](If& s) { s.then_body = renew(s.then_body), s.else_body = renew(s.else_body); },
                 [&](Alloc& s) { s.body = renew(s.body); },
                 [&](Seq& s) {
                   for (Stmt& child : s.statements) child = renew(child);
                   if (!changed) return;
                   if (const Stmt flat = sequence(s.statements); const Seq* inner = as<Seq>(flat))
                     s = *inner;
                   else copy = *flat;
                 },
             },
             copy.value);
  return changed ? std::make_shared<const StmtNode>(std::move(copy)) : stmt;
}

}  // namespace

void walk(const Stmt& stmt, const std::function<void(const Stmt&)>& visit) {
  if (!stmt) return;
  visit(stmt);
  each_child(*stmt, [&](const Stmt& child) { walk(child, visit); });
}

void each_expr(const Stmt& stmt, const std::function<void(const Expr&)>& visit) {
  std::visit(Overload{
                 [&](const For& s) { visit(s.extent); },
                 [&](const Block& s) {
                   for (const IterVar& iter : s.iters) visit(iter.extent), visit(iter.binding);
                   if (s.predicate.defined()) visit(s.predicate);
                 },
                 [&](const Store& s) {
                   for (const Expr& index : s.indices) visit(index);
                   visit(s.value);
                 },
                 [&](const If& s) { visit(s.condition); },
                 [&](const Alloc& s) {
                   for (const Expr& extent : s.buffer.shape) visit(extent);
                 },
                 [&](const Seq&) {},
             },
             stmt->value);
}

Stmt rewrite(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& change) {
  if (!stmt) return stmt;
  Stmt rebuilt = over_children(stmt, [&](const Stmt& child) { return rewrite(child, change); });
  Stmt replaced = change(rebuilt);
  return replaced ? replaced : rebuilt;
}

Stmt rewrite_exprs(const Stmt& root, const std::function<Expr(const Expr&)>& change) {
  return rewrite(root, [&](const Stmt& stmt) -> Stmt {
    bool changed = false;
    const auto renew = [&](Expr& e) {
      if (!e.defined()) return;
      Expr result = change(e);
      changed |= result.get() != e.get();
      e = std::move(result);
    };
    const auto renew_all = [&](std::vector<Expr>& list) {
      for (Expr& e : list) renew(e);
    };
    const auto renew_regions = [&](std::vector<Region>& regions) {
      for (Region& region : regions)
        for (Range& range : region.ranges) renew(range.min), renew(range.extent);
    };
    StmtNode copy = *stmt;
    std::visit(Overload{
                   [&](For& s) { renew(s.extent); },
                   [&](Block& s) {
                     for (IterVar& iter : s.iters) renew(iter.extent), renew(iter.binding);
                     renew(s.predicate);
                     renew_regions(s.reads), renew_regions(s.writes);
                   },
                   [&](Store& s) { renew_all(s.indices), renew(s.value); },
                   [&](If& s) { renew(s.condition); },
                   [&](Alloc& s) { renew_all(s.buffer.shape); },
                   [&](Seq&) {},
               },
               copy.value);
    return changed ? std::make_shared<const StmtNode>(std::move(copy)) : nullptr;
  });
}

namespace {

// Merges accesses into regions. An index that uses the variable of a loop inside the block cannot
// be named outside that loop.
struct RegionMaker {
  const FindBuffer& find;
  std::set<std::string> inner_variables = {};
  std::vector<Region> regions = {};
  std::unordered_map<std::string, std::size_t> region_of = {};  // by buffer

  bool nameable(const Expr& index) const {
    if (expr::has_load(index)) return false;
    for (const std::string& used : expr::variables_of(index))
      if (inner_variables.contains(used)) return false;
    return true;
  }

  static bool merge(Range& range, const Expr& index) {
    const auto extent = expr::as_integer(range.extent);
    expr::Linear low = expr::linear(range.min), distance = expr::linear(index);
    distance.add(low, -1);
    if (!extent || !distance.is_constant()) return false;
    const std::int64_t first = std::min<std::int64_t>(0, distance.constant);
    const std::int64_t last = std::max(*extent - 1, distance.constant);
    low.constant += first;
    range = {to_expr(low), Expr(last - first + 1)};
    return true;
  }

  void access(const std::string& name, const std::vector<Expr>& indices) {
    const Buffer* buffer = find(name);
    const auto [known, first] = region_of.emplace(name, regions.size());
    if (first) regions.push_back({name, {}});
    Region* region = &regions[known->second];
    for (std::size_t d = 0; d < indices.size(); ++d) {
      const Range whole{Expr(0), buffer && d < buffer->shape.size() ? buffer->shape[d] : Expr(1)};
      if (first)
        region->ranges.push_back(nameable(indices[d]) ? Range{indices[d], Expr(1)} : whole);
      else if (d < region->ranges.size() &&
               (!nameable(indices[d]) || !merge(region->ranges[d], indices[d])))
        region->ranges[d] = whole;
    }
  }
};

}  // namespace

void compute_regions(Block& block, const std::vector<Buffer>& buffers) {
  compute_regions(block,
                  FindBuffer([&](const std::string& name) { return find_buffer(buffers, name); }));
}

void compute_regions(Block& block, const FindBuffer& find) {
  RegionMaker reads{find}, writes{find};
  const auto collect = [&](const Stmt& stmt) {
    if (const For* loop = as<For>(stmt)) {
      reads.inner_variables.insert(loop->variable);
      writes.inner_variables.insert(loop->variable);
    }
    if (const Store* store = as<Store>(stmt)) writes.access(store->buffer, store->indices);
    each_expr(stmt, [&](const Expr& e) {
      expr::visit(e, [&](const Expr& node) {
        if (const auto* load = node.as<expr::Load>()) reads.access(load->buffer, load->indices);
      });
    });
  };
  walk(block.body, collect);
  walk(block.init, collect);
  if (block.reducer)
    std::erase_if(reads.regions, [&](const Region& read) {
      return std::any_of(writes.regions.begin(), writes.regions.end(),
                         [&](const Region& write) { return write.buffer == read.buffer; });
    });
  block.reads = std::move(reads.regions);
  block.writes = std::move(writes.regions);
}

}  // namespace loopglass::loop
