// Scan. Its body takes what is carried and a slice of each input that it goes through; it gives
// what is carried on, and an element of each result that is stacked.
#include "core/onnx/node_attributes.h"
#include "core/onnx/refusals.h"
#include "core/onnx/unrolling.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <algorithm>

namespace loopglass::onnx {

namespace {

using graph::ValueId;
using ::onnx::NodeProto;

// An axis or a direction for each of its inputs or outputs; 0 where the list is left out.
Result<std::vector<std::int64_t>> one_each(const NodeProto& node, std::string_view name,
                                           std::size_t count) {
  const auto* list = find_attribute(node, name);
  if (list == nullptr) return std::vector<std::int64_t>(count, 0);
  if (static_cast<std::size_t>(list->ints_size()) != count)
    return misused(
        fmt::format("'{}' has {} elements, where {} are wanted", name, list->ints_size(), count));
  return std::vector<std::int64_t>(list->ints().begin(), list->ints().end());
}

}  // namespace

Result<void> Converter::Unrolling::scan(Converter& to, const NodeProto& node, int opset,
                                        const Values& inputs, Scope& scope) {
  if (opset < 9)
    return fail(Code::OpsetUnsupported, "before operator set 9 Scan goes through batches");
  TRY_VOID(to.check_operands(inputs));
  TRY_VOID(to.check_few_bits(nullptr, inputs));
  return unroll(to, node, scope,
                [&](Unrolling& unrolling) { return unrolling.scan_results(inputs); });
}

Result<Converter::Unrolling::Values> Converter::Unrolling::scan_results(const Values& inputs) {
  const auto* counted = find_attribute(node_, "num_scan_inputs");
  const std::size_t scanned = counted == nullptr ? 0 : static_cast<std::size_t>(counted->i());
  if (scanned == 0 || scanned > inputs.size() ||
      std::find(inputs.begin(), inputs.end(), ValueId{}) != inputs.end())
    return misused(fmt::format("it has {} inputs, and goes through {}", inputs.size(), scanned));
  const std::size_t carried = inputs.size() - scanned;
  TRY_VOID(check_counts(inputs.size(), std::max(carried, output_count(node_))));
  const std::size_t stacked = static_cast<std::size_t>(body_.output_size()) - carried;

  const auto reads_backwards = TRY(one_each(node_, "scan_input_directions", scanned)),
             writes_backwards = TRY(one_each(node_, "scan_output_directions", stacked)),
             stack_axes = TRY(one_each(node_, "scan_output_axes", stacked));
  auto axes = TRY(one_each(node_, "scan_input_axes", scanned));
  std::optional<std::int64_t> length;
  for (std::size_t i = 0; i < scanned; ++i) {
    const Shape& shape = to_.builder_.value(inputs[carried + i]).type.shape;
    axes[i] = TRY(to_.axis_of(axes[i], shape.size()));
    const std::int64_t extent = shape[static_cast<std::size_t>(axes[i])];
    if (length && *length != extent)
      return misused(fmt::format("it goes through {} and through {} slices", *length, extent));
    length = extent;
  }
  TRY_VOID(check_length(*length));

  Values values(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(carried));
  std::vector<Values> stacks(stacked);
  while (iterations_ < *length) {
    Values arguments = values;
    for (std::size_t i = 0; i < scanned; ++i)
      arguments.push_back(TRY(to_.element_along(
          inner_name(body_.input(static_cast<int>(carried + i)).name()), inputs[carried + i],
          axes[i], reads_backwards[i] != 0 ? *length - 1 - iterations_ : iterations_, scope_)));
    const Values results = TRY(iterate(arguments));
    values.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(carried));
    for (std::size_t i = 0; i < stacked; ++i) stacks[i].push_back(results[carried + i]);
  }
  for (std::size_t i = 0; i < stacked; ++i) {
    if (stacks[i].empty())
      return fail(Code::OperatorUnsupported, "it goes through nothing, and gives no element");
    if (writes_backwards[i] != 0) std::reverse(stacks[i].begin(), stacks[i].end());
    values.push_back(TRY(to_.stacked(name_ + "/stacked", stacks[i], stack_axes[i], scope_)));
  }
  return values;
}

}  // namespace loopglass::onnx
