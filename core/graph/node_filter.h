// Filters (core/support/filter.h) over the nodes of a graph: which fields a node has.
#pragma once

#include "core/graph/graph.h"
#include "core/support/filter.h"

namespace loopglass::graph {

// name, op, family, known, onnx, dtype, rank, shape, elements, bytes, parameters, flops, inputs,
// outputs, users, constants, reads, makes, is, id and attr.NAME. Types are those of the first
// result.
const FilterSchema& node_fields();

// What `op` compares with: the operator's kind, and of a form in another layout the plain one,
// which is the one that people know.
FieldValue operator_kinds(const ops::OpDef& op);

Result<Filter> parse_node_filter(std::string_view text, std::size_t begin = 0);
// A field of a node of `graph`; nothing for a field that it does not have.
FieldValue node_field(const Graph& graph, const Node& node, const std::string& field);
bool matches(const Filter& filter, const Graph& graph, const Node& node);
// In topological order.
std::vector<NodeId> matching_nodes(const Filter& filter, const Graph& graph);

}  // namespace loopglass::graph
