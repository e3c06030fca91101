// What can be told of a tensor's elements from the operator that makes it.
#pragma once

#include "passes/graph/rules/rule.h"

#include <limits>

namespace loopglass::passes::rules {

// All elements that are numbers lie in [low, high].
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};

Range range_of(const Site& site, graph::ValueId value);
// What Clip, or Relu as one, limits its input to, if the bounds are known: low <= high. Nothing for
// other operators.
std::optional<Range> limits_of(const Site& site, const graph::Node& node);

}  // namespace loopglass::passes::rules
