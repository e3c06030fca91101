// The fields of a node, one row each, and the table of them for the filter grammar.
#include "core/graph/node_filter.h"

#include "core/graph/counts.h"
#include "core/ops/registry.h"
#include "core/tensor/data_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <set>

namespace loopglass::graph {

namespace {

constexpr std::string_view attribute_prefix = "attr.";

struct NodeField {
  FieldSpec spec;
  FieldValue (*read)(const Graph&, const Node&);
};

FieldValue text(std::string value) { return {{std::move(value)}, {}}; }
FieldValue number(auto value) { return {{}, {static_cast<long double>(value)}}; }

const TensorType* result_type(const Graph& graph, const Node& node) {
  if (node.outputs.empty()) return nullptr;
  const TensorType& type = graph.value(node.outputs.front()).type;
  return type.is_known() ? &type : nullptr;
}

bool is_constant(const Graph& graph, ValueId id) { return id && graph.value(id).is_constant(); }

FieldValue names(const Graph& graph, const std::vector<ValueId>& values) {
  FieldValue found;
  for (const ValueId id : values) {
    if (!id) continue;
    const Value& value = graph.value(id);
    found.texts.push_back(value.name);
    if (value.producer && graph.node(value.producer).name != value.name)
      found.texts.push_back(graph.node(value.producer).name);
  }
  return found;
}

std::set<NodeId> users(const Graph& graph, const Node& node) {
  std::set<NodeId> found;
  for (const ValueId output : node.outputs)
    for (const Graph::Use& use : graph.uses(output)) found.insert(use.node);
  return found;
}

FieldValue roles(const Graph& graph, const Node& node) {
  FieldValue found;
  const auto some = [](const std::vector<ValueId>& values, const auto& test) {
    return std::any_of(values.begin(), values.end(), test);
  };
  if (some(node.inputs,
           [&](ValueId id) { return id && !graph.value(id).producer && !is_constant(graph, id); }))
    found.texts.push_back("input");
  const bool gives_output = some(node.outputs, [&](ValueId id) { return graph.is_output(id); });
  if (gives_output) found.texts.push_back("output");
  if (!some(node.inputs, [&](ValueId id) { return id && !is_constant(graph, id); }))
    found.texts.push_back("constant");
  if (!gives_output && users(graph, node).empty()) found.texts.push_back("unused");
  return found;
}

std::int64_t parameter_bytes(const Graph& graph, const Node& node) {
  std::int64_t bytes = 0;
  for (const ValueId id : std::set<ValueId>(node.inputs.begin(), node.inputs.end()))
    if (is_constant(graph, id)) bytes += graph.value(id).type.bytes();
  return bytes;
}

// Lists are what people write: 3x3, as well as each of their elements.
FieldValue attribute(const ops::AttributeValue& value) {
  struct Reader {
    FieldValue operator()(std::int64_t held) const {
      return {{std::to_string(held)}, {static_cast<long double>(held)}};
    }
    FieldValue operator()(double held) const { return {{fmt::format("{}", held)}, {held}}; }
    FieldValue operator()(const std::string& held) const { return {{held}, {}}; }
    FieldValue operator()(const std::vector<std::string>& held) const { return {held, {}}; }
    FieldValue operator()(const Tensor& held) const { return text(to_string(held.type())); }
    FieldValue operator()(const std::vector<std::int64_t>& held) const {
      return {{fmt::format("{}", fmt::join(held, "x"))}, {held.begin(), held.end()}};
    }
    FieldValue operator()(const std::vector<double>& held) const {
      return {{fmt::format("{}", fmt::join(held, "x"))}, {held.begin(), held.end()}};
    }
  };
  return std::visit(Reader{}, value);
}

std::vector<std::string> operator_names() {
  std::vector<std::string> found;
  for (const ops::OpDef& op : ops::all_operators()) found.push_back(op.name);
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> family_names() {
  std::set<std::string> found;
  for (const ops::OpDef& op : ops::all_operators()) found.emplace(ops::name(op.family));
  return {found.begin(), found.end()};
}

std::vector<std::string> type_names() {
  std::vector<std::string> found;
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(DataType::Bool); ++i)
    found.emplace_back(name(static_cast<DataType>(i)));
  return found;
}

const std::map<std::string, std::string> type_aliases{
    {"f16", "float16"}, {"half", "float16"},   {"f32", "float32"}, {"float", "float32"},
    {"f64", "float64"}, {"double", "float64"}, {"i8", "int8"},     {"i16", "int16"},
    {"i32", "int32"},   {"int", "int32"},      {"i64", "int64"},   {"u8", "uint8"},
    {"u16", "uint16"},  {"u32", "uint32"},     {"u64", "uint64"}};

const std::vector<NodeField>& table() {
  static const std::vector<NodeField> rows{
      {{"name", "the operator's name in the network", "name", FieldKind::Text},
       [](const Graph&, const Node& node) { return text(node.name); }},
      {{"op", "the kind of operator, or the plain one that it computes in another layout", "op",
        FieldKind::Word, operator_names()},
       [](const Graph&, const Node& node) { return operator_kinds(*node.op); }},
      {{"family", "the family of its kind", "family", FieldKind::Word, family_names()},
       [](const Graph&, const Node& node) {
         return text(std::string(ops::name(node.op->family)));
       }},
      {{"known",
        "whether its operator is known: opaque ones are not, or not supported",
        "operator",
        FieldKind::Word,
        {"opaque"},
        {},
        true},
       [](const Graph&, const Node& node) {
         return is_opaque(node) ? text("opaque") : FieldValue{};
       }},
      {{"onnx", "what an opaque operator is called in the model, with its domain",
        "name in the model", FieldKind::Text},
       [](const Graph&, const Node& node) {
         return is_opaque(node) ? text(operator_name(node)) : FieldValue{};
       }},
      {{"dtype", "the element type of its first result", "element type", FieldKind::Word,
        type_names(), type_aliases},
       [](const Graph& graph, const Node& node) {
         const TensorType* type = result_type(graph, node);
         return type == nullptr ? FieldValue{} : text(std::string(name(type->type)));
       }},
      {{"rank",
        "how many dimensions its first result has",
        "rank",
        FieldKind::Number,
        {"0", "1", "2", "3", "4"}},
       [](const Graph& graph, const Node& node) {
         const TensorType* type = result_type(graph, node);
         return type == nullptr ? FieldValue{} : number(type->shape.size());
       }},
      {{"shape", "the extents of its first result, as 1x3x224x224; of a scalar: scalar", "shape",
        FieldKind::Text},
       [](const Graph& graph, const Node& node) {
         const TensorType* type = result_type(graph, node);
         return type == nullptr ? FieldValue{} : text(to_string(type->shape));
       }},
      {{"elements", "how many elements its first result has", "number of elements",
        FieldKind::Number},
       [](const Graph& graph, const Node& node) {
         const TensorType* type = result_type(graph, node);
         return type == nullptr ? FieldValue{} : number(element_count(type->shape));
       }},
      {{"bytes", "what all its results take in memory", "size in bytes", FieldKind::Number},
       [](const Graph& graph, const Node& node) {
         std::int64_t bytes = 0;
         for (const ValueId output : node.outputs) bytes += graph.value(output).type.bytes();
         return number(bytes);
       }},
      {{"parameters", "the bytes of its constant operands", "size of its parameters in bytes",
        FieldKind::Number},
       [](const Graph& graph, const Node& node) { return number(parameter_bytes(graph, node)); }},
      {{"flops", "arithmetic operations it performs", "number of arithmetic operations",
        FieldKind::Number},
       [](const Graph& graph, const Node& node) {
         const auto count = flops(graph, node);
         return count ? number(*count) : FieldValue{};
       }},
      {{"inputs", "how many inputs it has, optional ones that are left out not counted",
        "number of inputs", FieldKind::Number},
       [](const Graph&, const Node& node) {
         return number(std::count_if(node.inputs.begin(), node.inputs.end(),
                                     [](ValueId id) { return id.valid(); }));
       }},
      {{"outputs", "how many results it has", "number of results", FieldKind::Number},
       [](const Graph&, const Node& node) { return number(node.outputs.size()); }},
      {{"users", "how many operators read its results", "number of users", FieldKind::Number},
       [](const Graph& graph, const Node& node) { return number(users(graph, node).size()); }},
      {{"constants", "how many of its operands are constants", "number of constant operands",
        FieldKind::Number},
       [](const Graph& graph, const Node& node) {
         return number(std::count_if(node.inputs.begin(), node.inputs.end(),
                                     [&](ValueId id) { return is_constant(graph, id); }));
       }},
      {{"reads", "a tensor it reads, or the operator that makes it, by name", "some input",
        FieldKind::Text},
       [](const Graph& graph, const Node& node) { return names(graph, node.inputs); }},
      {{"makes", "a tensor it makes, by name", "some result", FieldKind::Text},
       [](const Graph& graph, const Node& node) {
         FieldValue found;
         for (const ValueId output : node.outputs) found.texts.push_back(graph.value(output).name);
         return found;
       }},
      {{"is",
        "its place: reads an input of the network, makes an output, has only constant operands, or "
        "is used by nothing",
        "place",
        FieldKind::Word,
        {"input", "output", "constant", "unused"}},
       roles},
      {{"id", "its number, which it keeps through the history", "id", FieldKind::Number},
       [](const Graph&, const Node& node) { return number(node.id.value); }},
  };
  return rows;
}

// Which operators have an attribute is its documentation.
std::vector<FieldSpec> attribute_fields() {
  std::map<std::string, std::vector<std::string>> operators;
  for (const ops::OpDef& op : ops::all_operators())
    for (const ops::AttributeSpec& attribute : op.attributes)
      operators[attribute.name].push_back(op.name);
  std::vector<FieldSpec> fields;
  for (const auto& [name, having] : operators) {
    const std::size_t shown = std::min<std::size_t>(having.size(), 4);
    std::string doc = fmt::format(
        "attribute of {}",
        fmt::join(having.begin(), having.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (having.size() > shown) doc += fmt::format(" and {} more", having.size() - shown);
    fields.push_back({std::string(attribute_prefix) + name, std::move(doc), "attribute " + name,
                      FieldKind::Any});
  }
  return fields;
}

FilterSchema make_schema() {
  FilterSchema schema{"operators", {}};
  for (const NodeField& row : table()) schema.fields.push_back(row.spec);
  for (FieldSpec& field : attribute_fields()) schema.fields.push_back(std::move(field));
  return schema;
}

}  // namespace

FieldValue operator_kinds(const ops::OpDef& op) {
  constexpr std::string_view prefix = "Layout";
  FieldValue kinds{{op.name}, {}};
  if (!op.name.starts_with(prefix)) return kinds;
  const std::string plain = op.name.substr(prefix.size());
  if (ops::find_operator(plain) != nullptr) kinds.texts.push_back(plain);
  return kinds;
}

const FilterSchema& node_fields() {
  static const FilterSchema schema = make_schema();
  return schema;
}

Result<Filter> parse_node_filter(std::string_view text, std::size_t begin) {
  return parse_filter(text, node_fields(), begin);
}

FieldValue node_field(const Graph& graph, const Node& node, const std::string& field) {
  if (field.starts_with(attribute_prefix)) {
    const ops::AttributeValue* value = node.attributes.find(field.substr(attribute_prefix.size()));
    return value == nullptr ? FieldValue{} : attribute(*value);
  }
  for (const NodeField& row : table())
    if (row.spec.name == field) return row.read(graph, node);
  return {};
}

bool matches(const Filter& filter, const Graph& graph, const Node& node) {
  return filter.matches([&](const std::string& field) { return node_field(graph, node, field); });
}

std::vector<NodeId> matching_nodes(const Filter& filter, const Graph& graph) {
  std::vector<NodeId> found;
  for (const NodePtr& node : graph.nodes())
    if (matches(filter, graph, *node)) found.push_back(node->id);
  return found;
}

}  // namespace loopglass::graph
