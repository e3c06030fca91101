// What the ONNX library's own operator schemas say about a node, before our definition sees it.
#pragma once

#include "core/support/result.h"

namespace onnx {
class NodeProto;
}

namespace loopglass::onnx {

// OperatorMisused when the counts of inputs and outputs, a missing attribute or an attribute's kind
// break the schema. Operators and versions the library does not know pass.
Result<void> check_schema(const ::onnx::NodeProto& node, const std::string& domain, int opset);

}  // namespace loopglass::onnx
