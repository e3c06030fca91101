// What a model declares to take and give, and the extents its symbolic dimensions are bound to.
#pragma once

#include "core/onnx/import.h"
#include "core/onnx/type_proto.h"

#include <set>

namespace onnx {
class ValueInfoProto;
}

namespace loopglass::onnx {

// Sequences, strings and the like are opaque. ModelCorrupt where nothing, or no type, is declared.
Result<Signature> declared(const ::onnx::ValueInfoProto& value);

struct BoundShapes {
  std::vector<TensorType> types;  // one per input
  Symbols symbols;
  std::set<std::string> defaults;  // symbols that nobody gave an extent
};
// `shapes` and `extents`, of symbols, come from the person; symbols it says nothing of get
// defaults, each with a note. ShapeBindingInvalid or DimensionUnbound.
Result<BoundShapes> bind_shapes(const std::vector<Signature>& inputs,
                                const std::map<std::string, Shape>& shapes, const Symbols& extents,
                                std::vector<Note>& notes);

}  // namespace loopglass::onnx
