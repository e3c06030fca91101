#include "core/placement/rows.h"

namespace loopglass::placement {

Rows dense_rows(const Shape& shape) { return {0, row_major_strides(shape)}; }

bool is_dense(const Rows& rows, const Shape& shape) {
  const auto dense = row_major_strides(shape);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (shape[d] > 1 && rows.strides[d] != dense[d]) return false;
  return true;
}

std::optional<Rows> compose(const Rows& inner, const Shape& inner_shape, const Shape& shape,
                            const Rows& outer) {
  if (is_dense(outer, shape)) return Rows{outer.offset + inner.offset, inner.strides};
  const auto dense = row_major_strides(shape);
  Rows result{outer.offset, std::vector<std::int64_t>(inner_shape.size(), 1)};
  Shape last;  // the last index that the inner tensor takes along each outer dimension
  std::int64_t rest = inner.offset;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    last.push_back(rest / dense[k]);
    rest %= dense[k];
    result.offset += last.back() * outer.strides[k];
  }
  for (std::size_t d = 0; d < inner_shape.size(); ++d) {
    if (inner_shape[d] <= 1) continue;
    std::size_t k = 0;  // the outer dimension along which it steps
    while (k < shape.size() && (shape[k] == 1 || inner.strides[d] % dense[k] != 0)) ++k;
    if (k == shape.size()) return std::nullopt;
    const std::int64_t step = inner.strides[d] / dense[k];
    last[k] += step * (inner_shape[d] - 1);
    result.strides[d] = step * outer.strides[k];
  }
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (last[k] >= shape[k]) return std::nullopt;
  return result;
}

std::optional<Shape> pitched_shape(const Rows& rows, const Shape& shape) {
  Shape pitched = shape;
  std::int64_t stride = 1;  // that row-major order gives the dimension at hand
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] > 1 && rows.strides[d] != stride) return std::nullopt;
    std::size_t outer = d;  // the next one out that has a stride
    while (outer > 0 && shape[outer - 1] <= 1) --outer;
    const bool is_row = shape[d] > 1 || d + 1 == shape.size();
    if (is_row && outer > 0) {
      const std::int64_t wanted = rows.strides[outer - 1];
      if (wanted % stride != 0 || wanted / stride < shape[d]) return std::nullopt;
      pitched[d] = wanted / stride;
    }
    stride *= pitched[d];
  }
  return pitched;
}

std::int64_t run_length(const Rows& rows, const Shape& shape) {
  std::int64_t run = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    if (rows.strides[d] != run) return run;
    run *= shape[d];
  }
  return run;
}

}  // namespace loopglass::placement
