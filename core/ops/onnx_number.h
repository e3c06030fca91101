// ONNX's numbers for element types (TensorProto.DataType), the one table of them.
#pragma once

#include "core/tensor/data_type.h"

#include <cstdint>

namespace loopglass::ops {

// Undone by numbered_type (support.h).
std::int64_t onnx_number(DataType type);

}  // namespace loopglass::ops
