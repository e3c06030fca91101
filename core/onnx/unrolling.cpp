#include "core/onnx/unrolling.h"

#include "core/onnx/limits.h"
#include "core/onnx/node_attributes.h"
#include "core/onnx/refusals.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using graph::ValueId;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

Result<const GraphProto*> body_of(const NodeProto& node) {
  const auto* body = find_attribute(node, "body");
  if (body == nullptr || !body->has_g()) return misused("it has no body");
  return &body->g();
}

}  // namespace

Result<void> Converter::Unrolling::unroll(
    Converter& to, const NodeProto& node, Scope& scope,
    const std::function<Result<Values>(Unrolling&)>& write_out) {
  Unrolling unrolling(to, node, *TRY(body_of(node)), scope);
  const Expansions::Counts before = to.expansions_.counts();
  const auto results = [&]() -> Result<Values> {
    unrolling.constants_ = TRY(to.inner_scope(unrolling.name_ + "/", scope));
    TRY_VOID(to.define_initializers(unrolling.body_, *unrolling.constants_));
    return write_out(unrolling);
  }();
  if (!results) {
    // The import begins again, or ends.
    if (!is_unsupported(results.error().code) || !to.inputs_to_bind_.empty())
      return std::unexpected(results.error());
    to.remove_nodes_since(unrolling.first_);
    to.expansions_.take_back_to(before);
    return std::unexpected(results.error());
  }
  for (int i = 0; i < static_cast<int>(output_count(node)); ++i)
    if (!node.output(i).empty())
      TRY_VOID(to.give_result((*results)[static_cast<std::size_t>(i)],
                              fmt::format("{}/{}", unrolling.name_, node.output(i)), node, i,
                              scope));
  to.expansions_.unrolled.push_back(
      {unrolling.name_, unrolling.iterations_, static_cast<bool>(unrolling.going_)});
  to.note_subgraphs(node, unrolling.name_, scope);
  return {};
}

Result<Converter::Unrolling::Values> Converter::Unrolling::iterate(const Values& arguments) {
  Scope inner = TRY(to_.inner_scope(inner_name(""), *constants_));
  for (int i = 0; i < body_.input_size(); ++i)
    TRY_VOID(to_.define(body_.input(i).name(), arguments[static_cast<std::size_t>(i)], inner));
  const graph::NodeId first = to_.builder_.next_node();
  TRY_VOID(to_.convert_body(fmt::format("iteration {}", iterations_), body_, inner));
  TRY_VOID(to_.check_no_opaque_since(first));
  ++iterations_;
  TRY_VOID(check_length(iterations_));
  Values results;
  for (const auto& output : body_.output())
    results.push_back(TRY(to_.body_output(output.name(), inner)));
  return results;
}

Result<void> Converter::Unrolling::check_counts(std::size_t inputs, std::size_t outputs) const {
  if (static_cast<std::size_t>(body_.input_size()) == inputs &&
      static_cast<std::size_t>(body_.output_size()) >= outputs)
    return {};
  return misused(
      fmt::format("its body takes {} inputs and gives {} outputs, where {} and {} are wanted",
                  body_.input_size(), body_.output_size(), inputs, outputs));
}

// Before there are any by the nodes of the body, then by what there is.
Result<void> Converter::Unrolling::check_length(std::int64_t iterations) const {
  const std::int64_t there = to_.builder_.next_node().value - first_.value,
                     each = std::max(body_.node_size(), 1);
  if (there <= maximum_unrolled_nodes && iterations <= maximum_unrolled_nodes / each) return {};
  return fail(Code::OperatorUnsupported,
              fmt::format("written out, {} iterations are more than {} operators", iterations,
                          maximum_unrolled_nodes));
}

}  // namespace loopglass::onnx
