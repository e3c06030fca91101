// ONNX's numbers for element types (TensorProto.DataType) and ours.
#pragma once

#include "core/support/result.h"
#include "core/tensor/data_type.h"

#include <optional>

namespace loopglass::onnx {

// TypeUnsupported or ValueKindUnsupported (strings), naming the type.
Result<DataType> element_type(int onnx_type);
int onnx_element_type(DataType type);
// "FLOAT16", "INT4"; "type 99" of a number that stands for none.
std::string onnx_type_name(int onnx_type);

// Whole numbers of 2 or 4 bits, several in a byte of a file, from the lowest bits on. There is no
// such type here: they are bytes of values that few bits hold.
struct FewBitType {
  DataType held_as;
  int bits;
};
std::optional<FewBitType> few_bit_type(int onnx_type);

}  // namespace loopglass::onnx
