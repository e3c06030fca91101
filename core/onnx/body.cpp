// Graphs inside nodes, written out in their place: a name space for what they make, that sees what
// is around it, their nodes, and what they give handed on under the names that it has outside.
#include "core/onnx/converter.h"
#include "core/onnx/limits.h"
#include "core/onnx/refusals.h"
#include "core/ops/opaque.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace loopglass::onnx {

using graph::ValueId;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

Result<Converter::Scope> Converter::inner_scope(std::string prefix, const Scope& scope) const {
  if (scope.depth >= maximum_function_depth)
    return fail(Code::ModelTooLarge, fmt::format("graphs stand inside one another more than {} "
                                                 "levels deep",
                                                 maximum_function_depth));
  Scope inner;
  inner.parent = &scope;
  inner.opsets = scope.opsets;
  inner.depth = scope.depth + 1;
  inner.source = scope.source;
  inner.prefix = std::move(prefix);
  return inner;
}

Result<void> Converter::define_initializers(const GraphProto& graph, Scope& body) {
  for (const auto& proto : graph.initializer())
    TRY_VOID(define(proto.name(),
                    builder_.add_constant(value_name(proto.name(), body), TRY(reader_.read(proto))),
                    body));
  return {};
}

Result<void> Converter::convert_body(const std::string& what, const GraphProto& graph,
                                     Scope& body) {
  for (const auto* values : {&graph.value_info(), &graph.output()})
    for (const auto& value : *values) body.declared.emplace(value.name(), &value.type());
  for (int i = 0; i < graph.node_size(); ++i) {
    if (options_.cancellation.requested()) return fail(Code::Cancelled, "the import was cancelled");
    auto done = convert(graph.node(i), body);
    if (done) continue;
    std::string& where = done.error().where;
    const std::string inner =
        fmt::format("node {} of {}", node_label(graph.node(i), static_cast<std::size_t>(i)), what);
    where = where.empty() ? inner : fmt::format("{}, at {}", inner, where);
    return std::unexpected(std::move(done).error());
  }
  return {};
}

Result<ValueId> Converter::body_output(const std::string& inner, const Scope& body) const {
  const ValueId* made = find(inner, body);
  if (made == nullptr || !*made) return corrupt(fmt::format("nothing makes output '{}'", inner));
  if (const auto few = few_bits_.find(*made); few != few_bits_.end())
    return fail(
        Code::TypeUnsupported,
        fmt::format("output '{}' is of {}, for which there is no type here", inner, few->second));
  return *made;
}

Result<void> Converter::give_result(ValueId made, const std::string& copy_name,
                                    const NodeProto& node, int index, Scope& scope) {
  const std::string name = value_name(node.output(index), scope);
  if (builder_.value(made).name == name || !builder_.value(made).type.is_known())
    return define(node.output(index), made, scope);
  return define(node.output(index),
                TRY(add_inner(copy_name, "Identity", {made}, {}, scope, {name})), scope);
}

Result<ValueId> Converter::add_inner(const std::string& name, std::string_view op,
                                     std::vector<ValueId> inputs, ops::Attributes attributes,
                                     const Scope& scope, std::vector<std::string> output_names) {
  return builder_.output(
      TRY(builder_.add_node(name, *ops::find_operator(op), std::move(inputs), std::move(attributes),
                            1, Origin{{scope.source}}, std::move(output_names))));
}

void Converter::remove_nodes_since(graph::NodeId first) {
  for (std::uint32_t id = builder_.next_node().value; id > first.value; --id)
    if (const graph::NodeId made{id - 1}; builder_.find(made) != nullptr)
      builder_.remove_node(made);
}

Result<void> Converter::check_no_opaque_since(graph::NodeId first) const {
  for (graph::NodeId id = first; id.value < builder_.next_node().value; ++id.value)
    if (const graph::Node* made = builder_.find(id);
        made != nullptr && is_opaque(*made) && !makes_known_sequence(*made))
      return fail(
          Code::OperatorUnsupported,
          fmt::format("{} is opaque: {}", made->name, ops::opaque_reason(made->attributes).what));
  return {};
}

}  // namespace loopglass::onnx
