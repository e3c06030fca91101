// The way back from the accumulator of a sum (see accumulator_type) to its element type: a stage of
// its own where the two differ, so that the sum itself stays one clean reduction.
#pragma once

#include "core/ops/support.h"

namespace loopglass::ops {

// What to call the stage that sums elements of `type`: `name` where the sum is the result, else
// `name` and a suffix, since the conversion that follows bears the name.
inline std::string accumulating(const std::string& name, DataType type, const std::string& suffix) {
  return accumulator_type(type) == type ? name : name + suffix;
}

// x converted to `type` element by element; x itself when it is of that type.
inline te::Tensor narrow(te::Builder& builder, const te::Tensor& x, DataType type,
                         const std::string& name) {
  if (x.type == type) return x;
  return map(builder, name, x,
             [type](Expr element) { return expr::cast(type, std::move(element)); });
}

}  // namespace loopglass::ops
