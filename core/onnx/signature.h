// What a model declares to take and give, and the extents its symbolic dimensions are bound to.
#pragma once

#include "core/onnx/import.h"

namespace onnx {
class ValueInfoProto;
}

namespace loopglass::onnx {

// ValueKindUnsupported for sequences, maps, optionals and sparse tensors.
Result<Signature> declared(const ::onnx::ValueInfoProto& value);

// One type per input. `shapes` comes from the person; symbols it says nothing of get defaults, each
// with a note. ShapeBindingInvalid or DimensionUnbound.
Result<std::vector<TensorType>> bind_shapes(const std::vector<Signature>& inputs,
                                            const std::map<std::string, Shape>& shapes,
                                            std::vector<Note>& notes);

}  // namespace loopglass::onnx
