#include "core/ops/result_range.h"

#include <algorithm>

namespace loopglass::ops {

bool never_below_zero(const OpDef& op, DataType type) {
  if (op.name == "Relu") return true;
  // The least integer has no absolute value, and the other functions are of floating point.
  constexpr std::string_view never[] = {"Abs",     "Exp",      "HardSigmoid", "Sigmoid",
                                        "Softmax", "Softplus", "Sqrt"};
  return is_float(type) && std::ranges::find(never, op.name) != std::end(never);
}

}  // namespace loopglass::ops
