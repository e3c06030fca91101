#include "core/ops/regroup.h"

#include "core/support/check.h"

namespace loopglass::ops {

namespace {

// The dimensions that have a choice of index; the others are read at 0.
std::vector<std::size_t> wide_dimensions(const Shape& shape) {
  std::vector<std::size_t> dimensions;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1) dimensions.push_back(d);
  return dimensions;
}

}  // namespace

Indices regrouped(const Indices& i, const Shape& to, const Shape& from) {
  CHECK(element_count(to) == element_count(from), "a reshape keeps the number of elements");
  Indices source(from.size(), Expr(0));
  if (element_count(from) == 0) return source;
  const auto outer = wide_dimensions(to), inner = wide_dimensions(from);
  for (std::size_t a = 0, b = 0; a < outer.size();) {
    // One run: the shortest with equal products on both sides.
    Indices run_indices{i[outer[a]]};
    Shape run_to{to[outer[a++]]}, run_from{from[inner[b]]};
    std::vector<std::size_t> run_dimensions{inner[b++]};
    std::int64_t to_product = run_to[0], from_product = run_from[0];
    while (to_product != from_product) {
      if (to_product < from_product) {
        run_indices.push_back(i[outer[a]]);
        to_product *= run_to.emplace_back(to[outer[a++]]);
      } else {
        run_dimensions.push_back(inner[b]);
        from_product *= run_from.emplace_back(from[inner[b++]]);
      }
    }
    const Indices mapped = indices_at(linear_index(run_indices, run_to), run_from);
    for (std::size_t d = 0; d < mapped.size(); ++d) source[run_dimensions[d]] = mapped[d];
  }
  return source;
}

}  // namespace loopglass::ops
