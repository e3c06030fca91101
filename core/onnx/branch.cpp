// If. Where its condition is known when the model is read, the branch that is taken stands in the
// graph, in its place: the nodes keep its name as a prefix, the results the names that they have
// outside. Else both branches do, where they give the same types, and Where chooses.
#include "core/onnx/converter.h"
#include "core/onnx/node_attributes.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using graph::ValueId;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

Result<const GraphProto*> branch_named(const NodeProto& node, const std::string& name) {
  const auto* branch = find_attribute(node, name);
  if (branch == nullptr) return fail(Code::OperatorMisused, fmt::format("it has no {}", name));
  return &branch->g();
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
  return take_branch(node, condition->integer_at(0) != 0, scope);
}

Result<void> Converter::take_branch(const NodeProto& node, bool condition, Scope& scope) {
  const std::string taken = condition ? "then_branch" : "else_branch";
  const GraphProto& branch = *TRY(branch_named(node, taken));
  const Scope body = TRY(convert_branch(node, branch, node_name(node, scope) + "/", true, scope));
  for (int i = 0; i < static_cast<int>(output_count(node)); ++i)
    if (!node.output(i).empty())
      TRY_VOID(give_result(TRY(body_output(branch.output(i).name(), body)),
                           body.prefix + branch.output(i).name(), node, i, scope));
  expansions_.branches_taken.push_back({node_name(node, scope), taken});
  return {};
}

Result<Converter::Scope> Converter::convert_branch(const NodeProto& node, const GraphProto& branch,
                                                   std::string prefix, bool is_taken,
                                                   const Scope& scope) {
  if (branch.input_size() > 0 || static_cast<int>(output_count(node)) > branch.output_size())
    return fail(
        Code::OperatorMisused,
        fmt::format("branch '{}' takes {} inputs and gives {} outputs, where 0 and {} are "
                    "wanted",
                    branch.name(), branch.input_size(), branch.output_size(), output_count(node)));
  Scope body = TRY(inner_scope(std::move(prefix), scope));
  for (int i = 0; is_taken && i < static_cast<int>(output_count(node)); ++i)
    if (!node.output(i).empty() && makes(branch, branch.output(i).name()))
      body.public_names.emplace(branch.output(i).name(), value_name(node.output(i), scope));
  TRY_VOID(define_initializers(branch, body));
  TRY_VOID(convert_body(fmt::format("branch '{}'", branch.name()), branch, body));
  return body;
}

// Nothing here traps, and no index leads out of its tensor: the branch that is not taken may be
// computed as well.
Result<void> Converter::choose_when_run(const NodeProto& node, ValueId condition,
                                        const std::string& why, Scope& scope) {
  const std::string name = node_name(node, scope);
  const ValueId input = constants_.blocking_input();
  const graph::NodeId first = builder_.next_node();
  const Expansions::Counts before = expansions_.counts();
  const auto done = compute_both(node, condition, name, scope);
  if (done) {
    note_subgraphs(node, name, scope);
    expansions_.chosen_when_run.push_back(name);
    return {};
  }
  if (!inputs_to_bind_.empty() || done.error().code == Code::Cancelled ||
      done.error().code == Code::ModelTooLarge)
    return done;
  remove_nodes_since(first);
  expansions_.take_back_to(before);
  // The graph is that of the data, where it is known.
  if (const auto of_data = data_.value(condition)) {
    note_counted(condition, *of_data);
    return take_branch(node, of_data->integer_at(0) != 0, scope);
  }
  const std::string remedy = setting_remedy(input);
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
  TRY_VOID(check_no_opaque_since(first));
  std::vector<ValueId> chosen;
  for (int i = 0; i < static_cast<int>(output_count(node)); ++i) {
    if (node.output(i).empty()) continue;
    const ValueId then_value = TRY(body_output(then_branch.output(i).name(), then_body));
    const ValueId else_value = TRY(body_output(else_branch.output(i).name(), else_body));
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
