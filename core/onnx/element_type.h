// ONNX's numbers for element types (TensorProto.DataType) and ours.
#pragma once

#include "core/support/result.h"
#include "core/tensor/data_type.h"

namespace loopglass::onnx {

// TypeUnsupported or ValueKindUnsupported (strings), naming the type.
Result<DataType> element_type(int onnx_type);
int onnx_element_type(DataType type);
// "FLOAT16", "INT4"; "type 99" of a number that stands for none.
std::string onnx_type_name(int onnx_type);

}  // namespace loopglass::onnx
