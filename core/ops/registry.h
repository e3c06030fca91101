// The table of all operators. One family a file; each file offers one function listed here.
#pragma once

#include "core/ops/op_def.h"

#include <deque>

namespace loopglass::ops {

// All operators, by family then name. Built once, never changed; OpDef pointers stay valid.
const std::deque<OpDef>& all_operators();
const OpDef* find_operator(std::string_view name);

// The operator and mapping for an ONNX node, or why not: OperatorUnsupported, or OpsetUnsupported
// when another version of it is.
struct OnnxMatch {
  const OpDef* op;
  const OnnxMapping* mapping;
};
Result<OnnxMatch> find_onnx(std::string_view domain, std::string_view name, int opset);

}  // namespace loopglass::ops
