#include "core/fusion/decision_filter.h"

#include "core/graph/node_filter.h"

namespace loopglass::fusion {

namespace {

struct DecidedEdge {
  const Decision& decision;
  const Plan& plan;
  const graph::Graph& graph;

  const graph::Node& producer() const { return graph.node(decision.producer); }
  const graph::Node& consumer() const { return graph.node(decision.consumer); }
  const graph::Value& value() const { return graph.value(decision.value); }
};

struct EdgeField {
  FieldSpec spec;
  FieldValue (*read)(const DecidedEdge&);
};

// What a node knows is said once, with the nodes' fields.
FieldSpec like_node(const char* name, const char* doc, const char* phrase) {
  FieldSpec spec = *graph::node_fields().find(name);
  spec.doc = doc;
  spec.phrase = phrase;
  return spec;
}

// What one would type of an edge without thinking of a field.
FieldSpec word_alone(const char* name, const char* doc, std::vector<std::string> values) {
  return {name, doc, name, FieldKind::Word, std::move(values), {}, true};
}

std::vector<std::string> reason_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < reason_count; ++i) names.emplace_back(name(static_cast<Reason>(i)));
  return names;
}

// The verdict before the reason: `fused` is every fused edge, whyever it is.
const std::vector<EdgeField>& table() {
  static const std::vector<EdgeField> rows{
      {{"edge", "the tensor on the edge or the operator at either end, by name",
        "tensor or operator", FieldKind::Text},
       [](const DecidedEdge& edge) -> FieldValue {
         return {{edge.value().name, edge.producer().name, edge.consumer().name}, {}};
       }},
      {word_alone("verdict", "whether the edge is fused", {"fused", "apart"}),
       [](const DecidedEdge& edge) -> FieldValue {
         return {{edge.decision.fused ? "fused" : "apart"}, {}};
       }},
      {word_alone("reason", "the code of the reason, as SINK_KIND", reason_names()),
       [](const DecidedEdge& edge) -> FieldValue {
         return {{std::string(name(edge.decision.reason))}, {}};
       }},
      {{"producer", "the operator that makes the tensor, by name", "producer", FieldKind::Text},
       [](const DecidedEdge& edge) -> FieldValue {
         return {{edge.producer().name}, {}};
       }},
      {{"consumer", "the operator that reads the tensor, by name", "consumer", FieldKind::Text},
       [](const DecidedEdge& edge) -> FieldValue {
         return {{edge.consumer().name}, {}};
       }},
      {like_node("op", "the kind of the operator at either end", "op at one end"),
       [](const DecidedEdge& edge) -> FieldValue {
         FieldValue kinds = graph::operator_kinds(*edge.producer().op);
         for (std::string& kind : graph::operator_kinds(*edge.consumer().op).texts)
           kinds.texts.push_back(std::move(kind));
         return kinds;
       }},
      {like_node("dtype", "the element type of the tensor", "element type"),
       [](const DecidedEdge& edge) -> FieldValue {
         return {{std::string(name(edge.value().type.type))}, {}};
       }},
      {{"bytes", "the size of the tensor", "size in bytes", FieldKind::Number},
       [](const DecidedEdge& edge) -> FieldValue {
         return {{}, {static_cast<long double>(edge.value().type.bytes())}};
       }},
      {{"kernel", "the kernel that computes either end, by name or by its number in the plan",
        "kernel at one end", FieldKind::Any},
       [](const DecidedEdge& edge) -> FieldValue {
         FieldValue kernels;
         for (const graph::NodeId end : {edge.decision.producer, edge.decision.consumer}) {
           const Group& group = edge.plan.group(edge.plan.group_of(end));
           kernels.texts.push_back(group.name);
           kernels.numbers.push_back(static_cast<long double>(group.id.value));
         }
         return kernels;
       }},
  };
  return rows;
}

}  // namespace

const FilterSchema& decision_fields() {
  static const FilterSchema schema = [] {
    FilterSchema made{"edges", {}};
    for (const EdgeField& row : table()) made.fields.push_back(row.spec);
    return made;
  }();
  return schema;
}

bool matches(const Filter& filter, const Decision& decision, const Plan& plan,
             const graph::Graph& graph) {
  return filter.matches([&](const std::string& field) -> FieldValue {
    for (const EdgeField& row : table())
      if (row.spec.name == field) return row.read({decision, plan, graph});
    return {};
  });
}

}  // namespace loopglass::fusion
