#include "core/loop/regions.h"

#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/loop/walk.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace loopglass::loop {

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

Block with_regions(Block block, const std::vector<Buffer>& buffers) {
  compute_regions(block, buffers);
  return block;
}

}  // namespace loopglass::loop
