#include "core/support/check.h"
#include "core/tune/features/features.h"
#include "core/tune/features/logarithmic.h"

#include <algorithm>
#include <functional>

namespace loopglass::tune {

namespace {

constexpr std::size_t buffers = 5, curve_points = 10;

class Row {
 public:
  explicit Row(std::vector<float>& values) : values_(values), begin_(values.size()) {}
  void flag(bool is) { values_.push_back(is ? 1 : 0); }
  void number(double x) { values_.push_back(logarithmic(x)); }
  void skip(std::size_t count) { values_.resize(values_.size() + count, 0); }
  std::size_t size() const { return values_.size() - begin_; }

 private:
  std::vector<float>& values_;
  std::size_t begin_;
};

void arithmetic(const Arithmetic& of, double runs, Row& row) {
  for (const double count : {of.multiply_adds, of.additions, of.multiplications, of.divisions,
                             of.comparisons, of.functions, of.others})
    row.number(count * runs);
}

// How many loops of a kind, how long they are together, the innermost of them, and where that is.
void annotation(const StoreFact& store, const std::function<double(const LoopFact&)>& length,
                Row& row) {
  // none, innermost by what it walks over: a reduced, a spatial or a mixed place; then by depth.
  constexpr std::size_t places = 8;
  double count = 0, product = 1, last = 0;
  std::size_t place = 0;
  for (std::size_t l = 0; l < store.loops.size(); ++l) {
    const double extent = length(store.loops[l]);
    if (extent <= 1) continue;
    ++count;
    product *= extent;
    last = extent;
    const bool spatial = !store.accesses.empty() && store.accesses[0].strides[l] != 0;
    const std::size_t third = 3 * l / std::max<std::size_t>(1, store.loops.size());
    place = 1 + (spatial ? 0 : 3) + std::min<std::size_t>(third, 2);
  }
  row.number(count);
  row.number(product);
  row.number(last);
  for (std::size_t p = 0; p < places; ++p) row.flag(p == place);
}

// Where a buffer's elements are met again: how far outside, and what is touched meanwhile.
struct Reuse {
  bool by_loop = false, by_store = false;
  double iterations = 0, bytes = 0, count = 0;
};
Reuse reuse_of(const StoreFact& store, const AccessFact& access) {
  Reuse reuse;
  double iterations = 1;
  for (std::size_t l = store.loops.size(); l-- > 0;) {
    const bool moves = access.touched_elements(l) > access.touched_elements(l + 1);
    if (!moves && store.loops[l].extent > 1) {
      reuse.by_loop = true;
      reuse.iterations = iterations;
      for (const AccessFact& other : store.accesses)
        reuse.bytes += other.touched_elements(l + 1) * other.element_bytes;
      reuse.count = store.loops[l].extent;
      return reuse;
    }
    iterations *= store.loops[l].extent;
  }
  reuse.by_store = access.reads && access.writes;
  return reuse;
}

void buffer(const StoreFact& store, const AccessFact& access, Row& row) {
  row.flag(access.reads && !access.writes);
  row.flag(access.writes && !access.reads);
  row.flag(access.reads && access.writes);
  const double runs = store.runs();
  const double bytes = runs * access.element_bytes;
  const double unique_bytes = access.touched_elements(0) * access.element_bytes;
  double stride = 0;
  double inner = 1;  // runs between two lines
  for (std::size_t l = store.loops.size(); l-- > 0;)
    if (access.strides[l] != 0) {
      stride = std::abs(access.strides[l]);
      break;
    } else {
      inner *= store.loops[l].extent;
    }
  const double each = std::min(1.0, stride * access.element_bytes / access.line_bytes);
  const double lines = std::max(1.0, runs / inner * each);
  const double unique_lines = access.touched_lines(0);
  const Reuse reuse = reuse_of(store, access);
  row.number(bytes);
  row.number(unique_bytes);
  row.number(lines);
  row.number(unique_lines);
  row.flag(reuse.by_loop);
  row.flag(reuse.by_store);
  row.flag(!reuse.by_loop && !reuse.by_store);
  row.number(reuse.iterations);
  row.number(reuse.bytes);
  row.number(reuse.count);
  const double count = std::max(1.0, reuse.count);
  row.number(bytes / count);
  row.number(unique_bytes / count);
  row.number(lines / count);
  row.number(unique_lines / count);
  row.number(stride);
}

// Operations a byte, of what the loops inwards of a depth touch, at ten depths.
void intensity(const StoreFact& store, Row& row) {
  for (std::size_t p = 0; p < curve_points; ++p) {
    const std::size_t depth = store.loops.size() * (curve_points - 1 - p) / (curve_points - 1);
    double runs = 1, bytes = 0;
    for (std::size_t l = depth; l < store.loops.size(); ++l) runs *= store.loops[l].extent;
    for (const AccessFact& access : store.accesses)
      bytes += access.touched_elements(depth) * access.element_bytes;
    row.number(runs * store.floats.sum() / std::max(1.0, bytes));
  }
}

void features_of(const StoreFact& store, std::vector<float>& values) {
  Row row(values);
  const double runs = store.runs();
  arithmetic(store.floats, runs, row);
  arithmetic(store.integers, runs, row);
  row.number(store.integers.selects * runs);
  row.number(store.floats.selects * runs);
  const auto of_kind = [](loop::ForKind kind) {
    return [kind](const LoopFact& loop) { return loop.kind == kind ? loop.extent : 1.0; };
  };
  annotation(store, of_kind(loop::ForKind::Vectorized), row);
  annotation(
      store,
      [](const LoopFact& loop) {
        return loop.kind == loop::ForKind::Unrolled ? loop.extent : double(loop.unroll);
      },
      row);
  annotation(store, of_kind(loop::ForKind::Parallel), row);
  row.flag(std::ranges::any_of(store.loops,
                               [](const LoopFact& loop) { return is_launch_axis(loop.kind); }));
  for (const loop::ForKind kind :
       {loop::ForKind::BlockX, loop::ForKind::BlockY, loop::ForKind::BlockZ, loop::ForKind::ThreadX,
        loop::ForKind::ThreadY, loop::ForKind::ThreadZ, loop::ForKind::VirtualThread}) {
    double length = 1;
    for (const LoopFact& loop : store.loops)
      if (loop.kind == kind) length *= loop.extent;
    row.number(length);
  }
  for (std::size_t b = 0; b < buffers; ++b) {
    const std::size_t before = row.size();
    if (b < store.accesses.size()) buffer(store, store.accesses[b], row);
    row.skip(18 - (row.size() - before));
  }
  intensity(store, row);
  double around = 1;  // the loops outside of everything that the allocation is used in
  for (const LoopFact& loop : store.loops)
    if (loop.kind == loop::ForKind::Parallel) around *= loop.extent;
  row.number(store.allocated_bytes);
  row.number(store.allocated_bytes * around);
  row.number(around);
  row.number(runs / around);
  row.number(runs);
  row.number(static_cast<double>(store.loops.size()));
  double unrolled = 0;
  for (const LoopFact& loop : store.loops) unrolled = std::max(unrolled, double(loop.unroll));
  row.number(unrolled);
  CHECK(row.size() == store_feature_width, "as many features as are documented");
}

}  // namespace

Features store_features(std::span<const StoreFact> facts) {
  Features features{store_feature_width, {}};
  for (const StoreFact& store : facts) features_of(store, features.values);
  return features;
}

}  // namespace loopglass::tune
