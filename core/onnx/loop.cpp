// Loop. Its body takes the number of the iteration, the condition and what is carried; it gives the
// next condition, what is carried on, and an element of each result that is stacked.
#include "core/onnx/refusals.h"
#include "core/onnx/unrolling.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using graph::ValueId;
using ::onnx::NodeProto;

Result<void> check_condition(const TensorType& type) {
  if (type.type == DataType::Bool && type.is_known() && element_count(type.shape) == 1) return {};
  return misused(fmt::format("the condition is {}, it must be one bool", to_string(type)));
}

}  // namespace

Result<void> Converter::Unrolling::loop(Converter& to, const NodeProto& node, Values inputs,
                                        Scope& scope) {
  // Those at the end may have been left out.
  inputs.resize(static_cast<std::size_t>(std::max(node.input_size(), 2)));
  std::optional<std::int64_t> most;
  if (inputs[0]) {
    const Tensor count = TRY(to.constant_input(0, "how often it runs", inputs));
    if (count.data_type() != DataType::Int64 || count.elements() != 1)
      return misused(fmt::format("how often it runs is {}", to_string(count.type())));
    most = std::max<std::int64_t>(count.integer_at(0), 0);
  }
  if (std::find(inputs.begin() + 2, inputs.end(), ValueId{}) != inputs.end())
    return misused("something that is carried has no value at first");
  TRY_VOID(to.check_few_bits(nullptr, inputs));
  return unroll(to, node, scope,
                [&](Unrolling& unrolling) { return unrolling.loop_results(inputs, most); });
}

Result<Converter::Unrolling::Values> Converter::Unrolling::loop_results(
    const Values& inputs, std::optional<std::int64_t> most) {
  const std::size_t carried = inputs.size() - 2;
  TRY_VOID(check_counts(inputs.size(), std::max(carried, output_count(node_)) + 1));
  Values values(inputs.begin() + 2, inputs.end());
  std::vector<Values> stacks(static_cast<std::size_t>(body_.output_size()) - 1 - carried);
  const bool needs_count = !most || !check_length(*most) || !stacks.empty();
  if (inputs[1]) TRY_VOID(take_condition(inputs[1], needs_count));
  while (goes_on_ && (!most || iterations_ < *most)) {
    if (going_) {
      if (!most) return fail(Code::OperatorUnsupported, "how often it runs at most is not known");
      TRY_VOID(check_length(*most));
      if (!stacks.empty())
        return fail(Code::DynamicShapeUnsupported,
                    "how often it runs is known only when the network does, and decides the shape "
                    "of what it gives");
    }
    Values arguments = {
        to_.builder_.add_constant(inner_name("iteration"),
                                  Tensor::of<std::int64_t>({}, {iterations_})),
        to_.builder_.add_constant(inner_name("condition"), Tensor::of<bool>({}, {true}))};
    arguments.insert(arguments.end(), values.begin(), values.end());
    const Values results = TRY(iterate(arguments));
    for (std::size_t i = 0; i < carried; ++i)
      values[i] = TRY(carried_on(values[i], results[i + 1]));
    for (std::size_t i = 0; i < stacks.size(); ++i) stacks[i].push_back(results[1 + carried + i]);
    TRY_VOID(take_condition(results[0], needs_count));
  }
  for (const Values& stack : stacks) {
    if (stack.empty())
      return fail(Code::OperatorUnsupported, "it never runs, and gives results of no element");
    values.push_back(TRY(to_.stacked(name_ + "/stacked", stack, 0, scope_)));
  }
  return values;
}

// What is known of it decides now; what is not, when the network runs. From then on nothing is
// asked about it, for each answer would go through all iterations before. `needs_count`: how often
// it runs has to be known, so that the data decide where they are.
Result<void> Converter::Unrolling::take_condition(ValueId condition, bool needs_count) {
  TRY_VOID(check_condition(to_.builder_.value(condition).type));
  if (!going_) {
    const auto known = to_.constants_.value(condition);
    if (known) {
      goes_on_ = known->integer_at(0) != 0;
      return {};
    }
    if (known.error().code != Code::InputNotConstant || to_.binds_what_blocks())
      return std::unexpected(known.error());
    if (const auto of_data = needs_count ? to_.data_.value(condition) : known) {
      to_.note_counted(condition, *of_data);
      goes_on_ = of_data->integer_at(0) != 0;
      return {};
    }
  }
  if (!to_.builder_.value(condition).type.shape.empty())
    condition = TRY(to_.reshaped(inner_name("scalar"), condition, {}, scope_));
  going_ = going_ ? TRY(to_.add_inner(inner_name("going"), "And", {going_, condition}, {}, scope_))
                  : condition;
  return {};
}

// Nothing here traps, and no index leads out of its tensor: an iteration that is not run may be
// computed as well.
Result<ValueId> Converter::Unrolling::carried_on(ValueId before, ValueId after) {
  if (!going_) return after;
  const TensorType &from = to_.builder_.value(before).type, &type = to_.builder_.value(after).type;
  if (from != type || !type.is_known())
    return fail(Code::OperatorUnsupported,
                fmt::format("what is carried is {} before and {} after an iteration of which only "
                            "the network knows whether it runs",
                            to_string(from), to_string(type)));
  return to_.add_inner(inner_name("carried"), "Where", {going_, after, before}, {}, scope_);
}

}  // namespace loopglass::onnx
