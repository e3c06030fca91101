// What resizing and grid sampling share.
#pragma once

#include "core/ops/support.h"

#include <array>

namespace loopglass::ops {

// Keys' cubic convolution: the weights of the four samples around a point that lies `ratio` of the
// way from the second to the third. `a` is the slope parameter, -0.75 or -0.5.
inline std::array<Expr, 4> cubic_weights(const Expr& ratio, double a) {
  const auto number = [&](double value) { return expr::constant(ratio.type(), value); };
  const auto near = [&](const Expr& t) {
    return (number(a + 2) * t - number(a + 3)) * t * t + number(1);
  };
  const auto far = [&](const Expr& t) {
    return ((number(a) * t - number(5 * a)) * t + number(8 * a)) * t - number(4 * a);
  };
  const Expr rest = number(1) - ratio;
  return {far(ratio + number(1)), near(ratio), near(rest), far(rest + number(1))};
}

// GridSample; part of resize().
std::vector<OpDef> grid_sample_operators();

}  // namespace loopglass::ops
