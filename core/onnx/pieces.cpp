// The part of Converter that cuts tensors into slices and joins them: for what goes through an axis
// (Scan, Loop) and for sequences.
#include "core/onnx/converter.h"
#include "core/onnx/refusals.h"

#include <fmt/format.h>

namespace loopglass::onnx {

namespace {

using graph::ValueId;

// Joins of more have joins of these many in between: index expressions grow with each operand.
constexpr std::size_t most_joined_at_once = 64;

std::ptrdiff_t offset(std::int64_t axis) { return static_cast<std::ptrdiff_t>(axis); }

}  // namespace

Result<std::int64_t> Converter::axis_of(std::int64_t axis, std::size_t rank) const {
  const std::int64_t count = static_cast<std::int64_t>(rank);
  if (axis < -count || axis >= count)
    return misused(fmt::format("axis {} of {} dimensions", axis, count));
  return axis < 0 ? axis + count : axis;
}

Result<ValueId> Converter::slice(const std::string& name, ValueId of, std::int64_t axis,
                                 std::int64_t begin, std::int64_t end, const Scope& scope) {
  ops::Attributes attributes;
  attributes.set("starts", std::vector{begin});
  attributes.set("ends", std::vector{end});
  attributes.set("axes", std::vector{axis});
  return add_inner(name, "Slice", {of}, std::move(attributes), scope);
}

Result<ValueId> Converter::reshaped(const std::string& name, ValueId of, Shape shape,
                                    const Scope& scope) {
  ops::Attributes attributes;
  attributes.set("shape", std::move(shape));
  attributes.set("allowzero", std::int64_t{1});
  return add_inner(name, "Reshape", {of}, std::move(attributes), scope);
}

Result<ValueId> Converter::element_along(const std::string& name, ValueId of, std::int64_t axis,
                                         std::int64_t place, const Scope& scope) {
  Shape shape = builder_.value(of).type.shape;
  shape.erase(shape.begin() + offset(axis));
  return reshaped(name, TRY(slice(name + "_slice", of, axis, place, place + 1, scope)),
                  std::move(shape), scope);
}

Result<ValueId> Converter::joined(const std::string& name, std::vector<ValueId> parts,
                                  std::int64_t axis, const Scope& scope) {
  const auto join = [&](std::vector<ValueId> operands) -> Result<ValueId> {
    if (operands.size() == 1) return operands.front();
    ops::Attributes attributes;
    attributes.set("axis", axis);
    return add_inner(name, "Concat", std::move(operands), std::move(attributes), scope);
  };
  while (parts.size() > most_joined_at_once) {
    std::vector<ValueId> joins;
    for (std::size_t first = 0; first < parts.size(); first += most_joined_at_once) {
      const std::size_t last = std::min(first + most_joined_at_once, parts.size());
      joins.push_back(TRY(join({parts.begin() + offset(static_cast<std::int64_t>(first)),
                                parts.begin() + offset(static_cast<std::int64_t>(last))})));
    }
    parts = std::move(joins);
  }
  return join(std::move(parts));
}

Result<ValueId> Converter::stacked(const std::string& name, std::vector<ValueId> parts,
                                   std::int64_t axis, const Scope& scope) {
  const Shape first = builder_.value(parts.front()).type.shape;
  axis = TRY(axis_of(axis, first.size() + 1));
  for (ValueId& part : parts) {
    Shape shape = builder_.value(part).type.shape;
    if (shape != first)
      return fail(Code::OperatorUnsupported,
                  fmt::format("what is stacked has the shapes of {} and of {}",
                              to_string(builder_.value(parts.front()).type),
                              to_string(builder_.value(part).type)));
    shape.insert(shape.begin() + offset(axis), 1);
    part = TRY(reshaped(name + "_element", part, std::move(shape), scope));
  }
  return joined(name, std::move(parts), axis, scope);
}

}  // namespace loopglass::onnx
