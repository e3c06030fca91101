// The operator that stands for those that are not known (domain, version, name) or not supported as
// they are used. It takes whatever it is given, gives what is declared, and cannot be computed:
// every pass and every kernel ends at it. Its nodes carry all that the model says of them, and the
// reason.
#pragma once

#include "core/ops/op_def.h"

namespace loopglass::ops {

struct OpaqueOperator {
  std::string domain, name;             // as in the model; domain "" is ai.onnx
  std::int64_t version = 0;             // of the domain's operator set; 0: none is imported
  std::vector<std::string> attributes;  // "axis = 1", as text
  std::vector<std::string> subgraphs;   // names of the attributes that are graphs
  Diagnostic reason;                    // why it is opaque: code, what, hint
  std::vector<TensorType> types;        // of its results
};

const OpDef& opaque_operator();
Attributes opaque_attributes(const OpaqueOperator& opaque);
// The inverse; CHECKs that they are an opaque node's.
OpaqueOperator opaque_of(const Attributes& attributes);

std::string opaque_name(const Attributes& attributes);  // "If", "com.microsoft.Gelu"
Diagnostic opaque_reason(const Attributes& attributes);
// Whether it does nothing but compute its results: ONNX's own operators do; of others nobody knows.
bool is_pure(const Attributes& opaque);

// Attribute that holds the types of the results, as text: what the text form says of the results.
inline constexpr const char* opaque_types = "types";

}  // namespace loopglass::ops
