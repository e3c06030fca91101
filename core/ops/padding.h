// Pad, as passes see it.
#pragma once

#include "core/ops/movement.h"

namespace loopglass::ops {

struct Padding {
  std::vector<Margin> margins;  // one an axis
  std::string mode;             // how elements around the data are made
  std::optional<double> value;  // what they are, where they are all one number
};
// Nothing for other operators. `rank` is the data's; the attributes are such that infer accepts
// them.
std::optional<Padding> padding_of(const OpDef& op, const Attributes& attributes, std::size_t rank);

}  // namespace loopglass::ops
