// If whose condition is known when the model is read: the branch that is taken stands in the graph,
// in the place of the If. Its nodes keep the node's name as a prefix, its results the names that
// they have outside.
#include "core/onnx/converter.h"
#include "core/onnx/limits.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using graph::ValueId;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

const GraphProto* branch_named(const NodeProto& node, const std::string& name) {
  for (const auto& attribute : node.attribute())
    if (attribute.name() == name) return &attribute.g();
  return nullptr;
}

bool makes(const GraphProto& graph, const std::string& name) {
  return std::any_of(graph.node().begin(), graph.node().end(), [&](const NodeProto& node) {
    return std::find(node.output().begin(), node.output().end(), name) != node.output().end();
  });
}

}  // namespace

Result<void> Converter::convert_if(const NodeProto& node, const std::vector<ValueId>& inputs,
                                   Scope& scope) {
  if (inputs.size() != 1 || !inputs[0])
    return fail(Code::OperatorMisused, "If takes one input, its condition");
  const auto condition = constants_.value(inputs[0]);
  if (!condition && condition.error().code == Code::InputNotConstant)
    return fail(Code::OperatorUnsupported,
                fmt::format("which branch of If runs is known only when the network does: of its "
                            "condition '{}', {}",
                            builder_.value(inputs[0]).name, condition.error().what));
  if (!condition) return std::unexpected(condition.error());
  if (condition->data_type() != DataType::Bool || condition->elements() != 1)
    return fail(Code::OperatorMisused, fmt::format("the condition is {}, it must be one bool",
                                                   to_string(condition->type())));
  const bool taken = condition->integer_at(0) != 0;
  const GraphProto* branch = branch_named(node, taken ? "then_branch" : "else_branch");
  if (branch == nullptr)
    return fail(Code::OperatorMisused, fmt::format("it has no {} branch", taken ? "then" : "else"));
  TRY_VOID(expand_branch(node, *branch, scope));
  branches_taken_[node_name(node, scope)] = taken ? "then_branch" : "else_branch";
  return {};
}

Result<void> Converter::expand_branch(const NodeProto& node, const GraphProto& branch,
                                      Scope& scope) {
  if (scope.depth >= maximum_function_depth)
    return fail(Code::ModelTooLarge, fmt::format("branches stand inside one another more than {} "
                                                 "levels deep",
                                                 maximum_function_depth));
  if (branch.input_size() > 0 || static_cast<int>(output_count(node)) > branch.output_size())
    return fail(
        Code::OperatorMisused,
        fmt::format("branch '{}' takes {} inputs and gives {} outputs, where 0 and {} are "
                    "wanted",
                    branch.name(), branch.input_size(), branch.output_size(), output_count(node)));
  Scope body;
  body.parent = &scope;
  body.opsets = scope.opsets;
  body.depth = scope.depth + 1;
  body.source = scope.source;
  body.prefix = node_name(node, scope) + "/";
  for (const auto* values : {&branch.value_info(), &branch.output()})
    for (const auto& value : *values) body.declared.emplace(value.name(), &value.type());
  for (int i = 0; i < static_cast<int>(output_count(node)); ++i)
    if (!node.output(i).empty() && makes(branch, branch.output(i).name()))
      body.public_names.emplace(branch.output(i).name(), value_name(node.output(i), scope));
  for (const auto& proto : branch.initializer())
    TRY_VOID(define(proto.name(),
                    builder_.add_constant(value_name(proto.name(), body), TRY(reader_.read(proto))),
                    body));
  for (int i = 0; i < branch.node_size(); ++i) {
    auto done = convert(branch.node(i), body);
    if (done) continue;
    std::string& where = done.error().where;
    const std::string inner =
        fmt::format("node {} of branch '{}'",
                    node_label(branch.node(i), static_cast<std::size_t>(i)), branch.name());
    where = where.empty() ? inner : fmt::format("{}, at {}", inner, where);
    return done;
  }
  for (int i = 0; i < static_cast<int>(output_count(node)); ++i)
    if (!node.output(i).empty())
      TRY_VOID(give_branch_output(branch.output(i).name(), node, i, body, scope));
  return {};
}

// What a branch hands on without computing it, or hands on twice, is copied, so that it has the
// name that the outside knows.
Result<void> Converter::give_branch_output(const std::string& inner, const NodeProto& node,
                                           int index, const Scope& body, Scope& scope) {
  const ValueId* made = find(inner, body);
  if (made == nullptr || !*made)
    return fail(Code::ModelCorrupt, fmt::format("nothing makes output '{}' of the branch", inner));
  const std::string name = value_name(node.output(index), scope);
  if (builder_.value(*made).name == name || !builder_.value(*made).type.is_known())
    return define(node.output(index), *made, scope);
  const graph::NodeId copy = TRY(builder_.add_node(fmt::format("{}{}", body.prefix, inner),
                                                   *ops::find_operator("Identity"), {*made}, {}, 1,
                                                   Origin{{scope.source}}, {name}));
  return define(node.output(index), builder_.output(copy), scope);
}

}  // namespace loopglass::onnx
