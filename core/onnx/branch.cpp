// If. Where its condition is known when the model is read, the branch that is taken stands in the
// graph, in its place: the nodes keep its name as a prefix, the results the names that they have
// outside. Else both branches do, where they give the same types, and Where chooses.
#include "core/onnx/converter.h"
#include "core/onnx/input_settings.h"
#include "core/onnx/limits.h"
#include "core/ops/opaque.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using graph::ValueId;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

Result<const GraphProto*> branch_named(const NodeProto& node, const std::string& name) {
  for (const auto& attribute : node.attribute())
    if (attribute.name() == name) return &attribute.g();
  return fail(Code::OperatorMisused, fmt::format("it has no {}", name));
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
  const TensorType& type = builder_.value(inputs[0]).type;
  if (type.type != DataType::Bool || element_count(type.shape) != 1)
    return fail(Code::OperatorMisused,
                fmt::format("the condition is {}, it must be one bool", to_string(type)));
  const auto condition = constants_.value(inputs[0]);
  if (!condition && condition.error().code != Code::InputNotConstant)
    return std::unexpected(condition.error());
  if (!condition && !binds_what_blocks())
    return choose_when_run(node, inputs[0], condition.error().what, scope);
  if (!condition) return std::unexpected(condition.error());
  const std::string taken = condition->integer_at(0) != 0 ? "then_branch" : "else_branch";
  const GraphProto& branch = *TRY(branch_named(node, taken));
  const Scope body = TRY(convert_branch(node, branch, node_name(node, scope) + "/", true, scope));
  for (int i = 0; i < static_cast<int>(output_count(node)); ++i)
    if (!node.output(i).empty())
      TRY_VOID(give_branch_output(branch.output(i).name(), node, i, body, scope));
  branches_taken_[node_name(node, scope)] = taken;
  return {};
}

Result<Converter::Scope> Converter::convert_branch(const NodeProto& node, const GraphProto& branch,
                                                   std::string prefix, bool is_taken,
                                                   const Scope& scope) {
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
  body.prefix = std::move(prefix);
  for (const auto* values : {&branch.value_info(), &branch.output()})
    for (const auto& value : *values) body.declared.emplace(value.name(), &value.type());
  for (int i = 0; is_taken && i < static_cast<int>(output_count(node)); ++i)
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
    return std::unexpected(std::move(done).error());
  }
  return body;
}

Result<ValueId> Converter::branch_output(const std::string& inner, const Scope& body) const {
  const ValueId* made = find(inner, body);
  if (made == nullptr || !*made)
    return fail(Code::ModelCorrupt, fmt::format("nothing makes output '{}' of the branch", inner));
  if (const auto few = few_bits_.find(*made); few != few_bits_.end())
    return fail(Code::TypeUnsupported,
                fmt::format("output '{}' of the branch is of {}, for which there is no type here",
                            inner, few->second));
  return *made;
}

// What a branch hands on without computing it, or hands on twice, is copied, so that it has the
// name that the outside knows.
Result<void> Converter::give_branch_output(const std::string& inner, const NodeProto& node,
                                           int index, const Scope& body, Scope& scope) {
  const ValueId made = TRY(branch_output(inner, body));
  const std::string name = value_name(node.output(index), scope);
  if (builder_.value(made).name == name || !builder_.value(made).type.is_known())
    return define(node.output(index), made, scope);
  const graph::NodeId copy = TRY(builder_.add_node(fmt::format("{}{}", body.prefix, inner),
                                                   *ops::find_operator("Identity"), {made}, {}, 1,
                                                   Origin{{scope.source}}, {name}));
  return define(node.output(index), builder_.output(copy), scope);
}

// Nothing here traps, and no index leads out of its tensor: the branch that is not taken may be
// computed as well.
Result<void> Converter::choose_when_run(const NodeProto& node, ValueId condition,
                                        const std::string& why, Scope& scope) {
  const std::string name = node_name(node, scope);
  const ValueId input = constants_.blocking_input();
  const graph::NodeId first = builder_.next_node();
  const auto taken_before = branches_taken_;
  const auto subgraphs_before = subgraph_names_;
  const std::size_t chosen_before = chosen_when_run_.size();
  const auto done = compute_both(node, condition, name, scope);
  if (done) {
    note_subgraphs(node, name, scope);
    chosen_when_run_.push_back(name);
    return {};
  }
  if (!inputs_to_bind_.empty() || done.error().code == Code::Cancelled ||
      done.error().code == Code::ModelTooLarge)
    return done;
  for (std::uint32_t id = builder_.next_node().value; id > first.value; --id)
    if (const graph::NodeId made{id - 1}; builder_.find(made) != nullptr)
      builder_.remove_node(made);
  branches_taken_ = taken_before;
  subgraph_names_ = subgraphs_before;
  chosen_when_run_.resize(chosen_before);
  const std::string remedy = input && is_setting(builder_.value(input).type)
                                 ? fmt::format(" (where that is always the same: --set {}=VALUE)",
                                               builder_.value(input).name)
                                 : "";
  return fail(Code::OperatorUnsupported,
              fmt::format("which branch of If runs is known only when the network does: of its "
                          "condition '{}', {}{}; both cannot be computed: {}",
                          builder_.value(condition).name, why, remedy, done.error().what));
}

Result<void> Converter::compute_both(const NodeProto& node, ValueId condition,
                                     const std::string& name, Scope& scope) {
  const graph::NodeId first = builder_.next_node();
  const GraphProto& then_branch = *TRY(branch_named(node, "then_branch"));
  const GraphProto& else_branch = *TRY(branch_named(node, "else_branch"));
  const Scope then_body =
      TRY(convert_branch(node, then_branch, name + "/then_branch/", false, scope));
  const Scope else_body =
      TRY(convert_branch(node, else_branch, name + "/else_branch/", false, scope));
  for (graph::NodeId id = first; id.value < builder_.next_node().value; ++id.value)
    if (const graph::Node* made = builder_.find(id); made != nullptr && is_opaque(*made))
      return fail(
          Code::OperatorUnsupported,
          fmt::format("{} is opaque: {}", made->name, ops::opaque_reason(made->attributes).what));
  std::vector<ValueId> chosen;
  for (int i = 0; i < static_cast<int>(output_count(node)); ++i) {
    if (node.output(i).empty()) continue;
    const ValueId then_value = TRY(branch_output(then_branch.output(i).name(), then_body));
    const ValueId else_value = TRY(branch_output(else_branch.output(i).name(), else_body));
    const TensorType& type = builder_.value(then_value).type;
    if (type != builder_.value(else_value).type || !type.is_known())
      return fail(Code::OperatorUnsupported,
                  fmt::format("one gives {} as '{}', the other {}", to_string(type), node.output(i),
                              to_string(builder_.value(else_value).type)));
    chosen.push_back(TRY(choice(node, i, {condition, then_value, else_value}, name, scope)));
  }
  std::size_t next = 0;
  for (const std::string& output : node.output())
    if (!output.empty()) TRY_VOID(define(output, chosen[next++], scope));
  return {};
}

// Where of the condition, which must not have more dimensions than what it chooses from.
Result<ValueId> Converter::choice(const NodeProto& node, int index, std::vector<ValueId> operands,
                                  const std::string& name, const Scope& scope) {
  const Origin origin{{scope.source}};
  if (builder_.value(operands[0]).type.shape.size() >
      builder_.value(operands[1]).type.shape.size()) {
    ops::Attributes scalar;
    scalar.set("shape", std::vector<std::int64_t>{});
    operands[0] = builder_.output(TRY(builder_.add_node(
        name + "/condition", *ops::find_operator("Reshape"), {operands[0]}, scalar, 1, origin)));
  }
  const graph::NodeId chosen = TRY(builder_.add_node(
      output_count(node) == 1 ? name : fmt::format("{}/{}", name, node.output(index)),
      *ops::find_operator("Where"), std::move(operands), {}, 1, origin,
      {value_name(node.output(index), scope)}));
  return builder_.output(chosen);
}

}  // namespace loopglass::onnx
