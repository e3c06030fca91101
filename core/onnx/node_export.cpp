#include "core/onnx/node_export.h"

#include "core/onnx/element_type.h"
#include "core/onnx/node_attributes.h"
#include "core/support/overloaded.h"

#include <fmt/format.h>
#include <onnx/defs/schema.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using ops::AttributeValue;
using ops::OnnxMapping;
using AttributeType = ::onnx::AttributeProto::AttributeType;

// What the mapping's importer would be given.
struct Form {
  ops::Attributes attributes;           // of the ONNX node
  std::map<std::size_t, Tensor> bound;  // inputs that are constants, by ONNX index
};

void fill_attribute(const std::string& name, const AttributeValue& value,
                    ::onnx::AttributeProto& proto) {
  proto.set_name(name);
  std::visit(
      Overloaded{
          [&](std::int64_t v) { proto.set_type(::onnx::AttributeProto::INT), proto.set_i(v); },
          [&](double v) {
            proto.set_type(::onnx::AttributeProto::FLOAT), proto.set_f(static_cast<float>(v));
          },
          [&](const std::string& v) {
            proto.set_type(::onnx::AttributeProto::STRING), proto.set_s(v);
          },
          [&](const std::vector<std::int64_t>& v) {
            proto.set_type(::onnx::AttributeProto::INTS);
            proto.mutable_ints()->Add(v.begin(), v.end());
          },
          [&](const std::vector<double>& v) {
            proto.set_type(::onnx::AttributeProto::FLOATS);
            for (const double element : v) proto.add_floats(static_cast<float>(element));
          },
          [&](const std::vector<std::string>& v) {
            proto.set_type(::onnx::AttributeProto::STRINGS);
            for (const std::string& element : v) proto.add_strings(element);
          },
          [&](const Tensor& v) {
            proto.set_type(::onnx::AttributeProto::TENSOR);
            fill_tensor(v, "", *proto.mutable_t());
          },
      },
      value);
}

// An attribute as the constant input that ONNX wants; scalars as vectors of one, which ONNX
// operators that take one accept alike. Nothing for strings.
std::optional<Tensor> as_input(const AttributeValue& value, DataType data_type) {
  return std::visit(
      Overloaded{
          [](std::int64_t v) { return std::optional(Tensor::of<std::int64_t>({1}, {v})); },
          [&](double v) {
            Tensor scalar(TensorType{data_type, {}});
            visit_type(data_type, [&](auto element) {
              scalar.as<decltype(element)>()[0] = static_cast<decltype(element)>(v);
            });
            return std::optional(scalar);
          },
          [](const std::vector<std::int64_t>& v) {
            return std::optional(
                Tensor::of<std::int64_t>({std::ssize(v)}, std::span<const std::int64_t>(v)));
          },
          [](const std::vector<double>& v) {
            const std::vector<float> narrow(v.begin(), v.end());
            return std::optional(
                Tensor::of<float>({std::ssize(v)}, std::span<const float>(narrow)));
          },
          [](const Tensor& v) { return std::optional(v); },
          [](const std::string&) { return std::optional<Tensor>(); },
          [](const std::vector<std::string>&) { return std::optional<Tensor>(); },
      },
      value);
}

AttributeType onnx_kind(const AttributeValue& value) {
  ::onnx::AttributeProto proto;
  fill_attribute("", value, proto);
  return proto.type();
}

bool is_default(const ops::OpDef& op, const std::string& name, const AttributeValue& value) {
  const auto spec = std::find_if(op.attributes.begin(), op.attributes.end(),
                                 [&](const auto& s) { return s.name == name; });
  return spec != op.attributes.end() && spec->fallback &&
         ops::Attributes{{name, value}} == ops::Attributes{{name, *spec->fallback}};
}

Form form_of(const graph::Node& node, const OnnxMapping& mapping, int opset, DataType data_type) {
  Form form;
  const ops::Attributes attributes =
      mapping.restore ? mapping.restore(node.attributes) : node.attributes;
  for (const auto& [index, attribute] : mapping.bound) {
    const AttributeValue* value = attributes.find(attribute);
    if (value == nullptr || is_default(*node.op, attribute, *value)) continue;
    if (const auto input = as_input(*value, data_type)) form.bound.emplace(index, *input);
  }
  const auto* schema = ::onnx::OpSchemaRegistry::Schema(mapping.name, opset, mapping.domain);
  for (const auto& [name, value] : attributes.all()) {
    const bool is_bound = std::any_of(mapping.bound.begin(), mapping.bound.end(),
                                      [&](const auto& b) { return b.attribute == name; });
    if (is_bound) continue;
    // What this version of the operator cannot say is left out; whether that changes the meaning is
    // seen when the form is read back.
    const auto declared = schema == nullptr ? std::optional<AttributeType>()
                          : schema->attributes().contains(name)
                              ? std::optional(schema->attributes().at(name).type)
                              : std::nullopt;
    if (schema == nullptr || (declared && *declared == onnx_kind(value)))
      form.attributes.set(name, value);
  }
  return form;
}

// Floating-point attributes are single precision in ONNX.
bool same_attributes(const ops::Attributes& a, const ops::Attributes& b) {
  const auto narrowed = [](ops::Attributes attributes) {
    const auto before = attributes.all();  // a copy: setting changes what is being walked
    for (const auto& [name, value] : before) {
      if (const auto* number = std::get_if<double>(&value))
        attributes.set(name, static_cast<double>(static_cast<float>(*number)));
      if (const auto* numbers = std::get_if<std::vector<double>>(&value)) {
        std::vector<double> narrow;
        for (const double element : *numbers) narrow.push_back(static_cast<float>(element));
        attributes.set(name, std::move(narrow));
      }
    }
    return attributes;
  };
  return narrowed(a) == narrowed(b);
}

// Whether importing the form gives the node again.
Result<void> reads_back(const graph::Graph& graph, const graph::Node& node,
                        const OnnxMapping& mapping, const Form& form) {
  std::vector<const TensorType*> types;
  for (const graph::ValueId input : node.inputs)
    types.push_back(input ? &graph.value(input).type : nullptr);
  ops::Attributes attributes = form.attributes;
  for (const auto& [index, attribute] : mapping.bound)
    if (const auto bound = form.bound.find(index); bound != form.bound.end())
      attributes.set(attribute, TRY(bound_value(*node.op, attribute, bound->second)));
  if (mapping.adapt) {
    const ops::Attributes given = attributes;
    attributes = TRY(
        mapping.adapt(std::move(attributes), ops::InferContext{types, given, node.outputs.size()}));
  }
  const std::vector<TensorType> outputs =
      TRY(ops::infer(*node.op, types, attributes, node.outputs.size()));
  bool same = same_attributes(attributes, node.attributes);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    same = same && outputs[i] == graph.value(node.outputs[i]).type;
  if (!same)
    return fail(Code::AttributeUnsupported,
                fmt::format("ONNX's {} has no form for the attributes of this {}", mapping.name,
                            node.op->name));
  return {};
}

void add_node(const graph::Graph& graph, const graph::Node& node, const OnnxMapping& mapping,
              const Form& form, ::onnx::GraphProto& proto) {
  ::onnx::NodeProto& made = *proto.add_node();
  made.set_name(node.name);
  made.set_op_type(mapping.name);
  made.set_domain(mapping.domain);
  for (const auto& [name, value] : form.attributes.all())
    fill_attribute(name, value, *made.add_attribute());
  std::vector<std::string> inputs;
  std::size_t next = 0;
  const std::size_t last_bound = form.bound.empty() ? 0 : form.bound.rbegin()->first + 1;
  for (std::size_t index = 0; index < last_bound || next < node.inputs.size(); ++index) {
    const auto binding = std::find_if(mapping.bound.begin(), mapping.bound.end(),
                                      [&](const auto& b) { return b.index == index; });
    std::string name;
    if (binding != mapping.bound.end()) {
      if (const auto bound = form.bound.find(index); bound != form.bound.end()) {
        name = fmt::format("{}/{}", node.name, binding->attribute);
        while (graph.find_value(name) != nullptr) name += "_";
        fill_tensor(bound->second, name, *proto.add_initializer());
      }
    } else if (next < node.inputs.size()) {
      const graph::ValueId input = node.inputs[next++];
      if (input) name = graph.value(input).name;
    }
    inputs.push_back(std::move(name));
  }
  while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
  for (std::string& input : inputs) made.add_input(std::move(input));
  for (const graph::ValueId output : node.outputs) made.add_output(graph.value(output).name);
}

}  // namespace

void fill_tensor(const Tensor& tensor, const std::string& name, ::onnx::TensorProto& proto) {
  proto.set_name(name);
  proto.set_data_type(onnx_element_type(tensor.data_type()));
  for (const std::int64_t extent : tensor.shape()) proto.add_dims(extent);
  proto.set_raw_data(tensor.data(), tensor.bytes());
}

Result<void> export_node(const graph::Graph& graph, const graph::Node& node, int opset,
                         ::onnx::GraphProto& proto) {
  const std::string place = fmt::format("node '{}' ({})", node.name, operator_name(node));
  const DataType data_type = node.inputs.empty() || !node.inputs[0]
                                 ? DataType::Float32
                                 : graph.value(node.inputs[0]).type.type;
  if (is_opaque(node))
    return fail(
        Code::OperatorUnsupported,
        fmt::format("'{}' is opaque: of what the model said of it only a description is kept",
                    operator_name(node)),
        place);
  if (node.op->onnx.empty())
    return fail(Code::OperatorUnsupported, fmt::format("ONNX has no operator '{}'", node.op->name),
                place, "it was made by a pass that chooses layouts: write the graph before it");
  Diagnostic refusal{
      Code::OpsetUnsupported,
      fmt::format("operator set {} of ONNX has no form of '{}'", opset, node.op->name),
      place,
      {}};
  for (const OnnxMapping& mapping : node.op->onnx) {
    if (opset < mapping.since || opset > mapping.until || !mapping.domain.empty()) continue;
    const Form form = form_of(node, mapping, opset, data_type);
    auto same = reads_back(graph, node, mapping, form);
    if (same) {
      add_node(graph, node, mapping, form, proto);
      return {};
    }
    refusal = std::move(same).error();
    refusal.where = place;
  }
  return std::unexpected(std::move(refusal));
}

}  // namespace loopglass::onnx
