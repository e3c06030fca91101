#include "core/loop/regions.h"

#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/loop/bounds.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace loopglass::loop {

namespace {

// Merges accesses into regions: of a point each, or of what loops inside the block run through.
struct RegionMaker {
  const FindBuffer& find;
  Bindings inner = {};  // extents of the loops inside
  std::vector<Region> regions = {};
  std::unordered_map<std::string, std::size_t> region_of = {};  // by buffer

  // In terms of the block's own iterations; nullopt: it cannot be said.
  std::optional<Range> range_of(const Expr& index) const {
    if (expr::has_load(index)) return {};
    const auto is_named = [&](const Expr& e) {
      return std::ranges::none_of(expr::variables_of(e),
                                  [&](const std::string& used) { return inner.contains(used); });
    };
    if (is_named(index)) return Range{index, Expr(1)};
    const auto bounds = relax(index, inner, {});
    const auto extent = bounds ? width(*bounds, {}) : std::nullopt;
    if (!extent || *extent < 1 || !is_named(bounds->min)) return {};
    return Range{bounds->min, Expr(*extent)};
  }

  static bool merge(Range& range, const Range& more) {
    const auto extent = expr::as_integer(range.extent), added = expr::as_integer(more.extent);
    expr::Linear low = expr::linear(range.min), distance = expr::linear(more.min);
    distance.add(low, -1);
    if (!extent || !added || !distance.is_constant()) return false;
    const std::int64_t first = std::min<std::int64_t>(0, distance.constant);
    const std::int64_t last = std::max(*extent - 1, distance.constant + *added - 1);
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
      const auto range = range_of(indices[d]);
      if (first) region->ranges.push_back(range.value_or(whole));
      else if (d < region->ranges.size() && (!range || !merge(region->ranges[d], *range)))
        region->ranges[d] = whole;
    }
  }
};

// What stands in a block, iterations of blocks inside it being bound.
class RegionsInside {
 public:
  explicit RegionsInside(const FindBuffer& find) : reads{find}, writes{find} {}

  void collect(const Stmt& stmt, const Bindings& bound = {}) {
    if (!stmt) return;
    const auto settled = [&](const Expr& e) {
      return bound.empty() ? e : expr::substitute(e, bound);
    };
    Bindings inside = bound;
    if (const For* loop = as<For>(stmt))
      for (RegionMaker* maker : {&reads, &writes})
        maker->inner.insert_or_assign(loop->variable, settled(loop->extent));
    if (const Block* block = as<Block>(stmt))
      for (const IterVar& iter : block->iters)
        inside.insert_or_assign(iter.name, settled(iter.binding));
    if (const Store* store = as<Store>(stmt)) {
      std::vector<Expr> indices;
      for (const Expr& index : store->indices) indices.push_back(settled(index));
      writes.access(store->buffer, indices);
    }
    // A predicate speaks of its block's iterations as well.
    each_expr(stmt, [&](const Expr& e) {
      expr::visit(inside.empty() ? e : expr::substitute(e, inside), [&](const Expr& node) {
        if (const auto* load = node.as<expr::Load>()) reads.access(load->buffer, load->indices);
      });
    });
    for (const Stmt& child : children(stmt)) collect(child, inside);
  }

  RegionMaker reads, writes;
};

}  // namespace

void compute_regions(Block& block, const std::vector<Buffer>& buffers) {
  compute_regions(block,
                  FindBuffer([&](const std::string& name) { return find_buffer(buffers, name); }));
}

void compute_regions(Block& block, const FindBuffer& find) {
  RegionsInside contents(find);
  contents.collect(block.body);
  contents.collect(block.init);
  auto &reads = contents.reads, &writes = contents.writes;
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
