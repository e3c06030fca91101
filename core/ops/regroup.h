// The index map of a reshape.
#pragma once

#include "core/ops/support.h"

namespace loopglass::ops {

// Where in a tensor of shape `from` the element lies that is at indices `i` under shape `to` of as
// many elements. Runs of dimensions with equal products are mapped among themselves, so dimensions
// that stay keep their own index and no division appears that is not needed.
Indices regrouped(const Indices& i, const Shape& to, const Shape& from);

}  // namespace loopglass::ops
