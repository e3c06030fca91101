// One axis of a Resize: where the elements of the output lie in the input, as exact rationals, and
// what loops read there as index arithmetic.
#pragma once

#include "core/ops/fraction.h"
#include "core/ops/sampling_line.h"
#include "core/ops/support.h"

namespace loopglass::ops {

struct ResizedAxis {
  std::int64_t input = 0, output = 0;
  SamplingLine position;
  Fraction scale = 1;  // output over input

  // Whether every output element is the input element of the same index.
  bool stays() const;
  // Whether output element x lies outside the input.
  Expr outside(const Expr& x) const;
  // The input element next to where x lies, by a nearest_mode; of those there are.
  Expr nearest(const Expr& x, const std::string& nearest_mode) const;
  // The last element at or before where x lies, which there need not be.
  Expr before(const Expr& x) const;
  // The same where positions outside are moved to the first and the last element.
  Expr before_inside(const Expr& x) const;
  // How far x lies behind the element `index`, in units of the distance between two, as a `type`.
  Expr ratio(const Expr& x, const Expr& index, DataType type) const;
  Expr ratio_inside(const Expr& x, const Expr& index, DataType type) const;
};

// The axes of an input of this shape as Resize's attributes have them.
Result<std::vector<ResizedAxis>> resized_axes(const Shape& shape, const Attributes& attributes);

}  // namespace loopglass::ops
