// The literals of the graph's text form: names, tensors and attribute values, printed and parsed
// side by side.
#pragma once

#include "core/graph/graph.h"
#include "core/tensor/type_text.h"

namespace loopglass::graph {

// %plain or %"anything else".
std::string value_name(const std::string& name);
Result<std::string> parse_value_name(TextCursor& cursor);

// "[1, 2.5]" in row-major order, or "hash 0x..." when there are more than `limit` elements (-1: no
// limit).
std::string tensor_elements(const Tensor& tensor, std::int64_t limit);
// Tensors printed by hash are found among the constants of `known`.
Result<Tensor> parse_elements(TextCursor& cursor, const TensorType& type, const Graph* known);

std::string attribute_literal(const ops::AttributeValue& value, std::int64_t limit);
Result<ops::AttributeValue> parse_attribute(TextCursor& cursor, ops::AttributeKind kind,
                                            const Graph* known);

}  // namespace loopglass::graph
