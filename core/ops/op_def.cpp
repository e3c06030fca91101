#include "core/ops/op_def.h"

#include "core/support/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::ops {

std::string_view name(Family family) {
  switch (family) {
    case Family::Elementwise: return "elementwise";
    case Family::Activation: return "activation";
    case Family::Comparison: return "comparison";
    case Family::Convolution: return "convolution";
    case Family::MatrixProduct: return "matrix product";
    case Family::Pooling: return "pooling";
    case Family::Normalisation: return "normalisation";
    case Family::Reduction: return "reduction";
    case Family::Movement: return "movement";
    case Family::Indexing: return "indexing";
    case Family::Resize: return "resize";
    case Family::Quantisation: return "quantisation";
    case Family::Recurrent: return "recurrent";
    case Family::Generator: return "generator";
    case Family::Loss: return "loss";
    case Family::Kernel: return "kernel";
    case Family::Opaque: return "opaque";
  }
  throw InternalError("a family outside its enumeration");
}

namespace {

// Required operands lead, optional ones may be left out, a variadic last one repeats.
Result<void> check_operands(const OpDef& op, const std::vector<Operand>& operands,
                            std::string_view what, std::size_t count,
                            const std::function<bool(std::size_t)>& present) {
  const bool variadic = !operands.empty() && operands.back().arity == Arity::Variadic;
  if (count > operands.size() && !variadic)
    return fail(Code::OperatorMisused, fmt::format("{} has at most {} {}s, not {}", op.name,
                                                   operands.size(), what, count));
  const std::size_t positions = std::max(count, operands.size());
  for (std::size_t i = 0; i < positions; ++i) {
    const Operand& operand = operands[std::min(i, operands.size() - 1)];
    if (operand.arity != Arity::Optional && !(i < count && present(i)))
      return fail(Code::OperatorMisused,
                  fmt::format("{} needs its {} '{}'", op.name, what, operand.name));
  }
  return {};
}

Result<void> check_known(const OpDef& op, std::span<const TensorType* const> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] != nullptr && !inputs[i]->is_known())
      return fail(Code::OperandTypeUnknown,
                  fmt::format("{}: operand {} is {}, whose type is not known here", op.name, i,
                              to_string(*inputs[i])));
  return {};
}

Result<void> complete_attributes(const OpDef& op, Attributes& attributes) {
  for (const auto& [name, value] : attributes.all()) {
    const auto spec =
        std::find_if(op.attributes.begin(), op.attributes.end(),
                     [&](const AttributeSpec& candidate) { return candidate.name == name; });
    if (spec == op.attributes.end())
      return fail(Code::AttributeUnsupported,
                  fmt::format("{} has no attribute '{}'", op.name, name));
    if (kind(value) != spec->kind)
      return fail(Code::OperatorMisused,
                  fmt::format("{}: attribute '{}' must be {}, not {}", op.name, name,
                              ops::name(spec->kind), ops::name(kind(value))));
  }
  for (const AttributeSpec& spec : op.attributes) {
    if (attributes.has(spec.name)) continue;
    if (spec.fallback) attributes.set(spec.name, *spec.fallback);
    else if (spec.required)
      return fail(Code::OperatorMisused,
                  fmt::format("{} needs its attribute '{}'", op.name, spec.name));
  }
  return {};
}

// An extent of 0 does not excuse the others: loops over them would run for nothing.
bool is_absurd(const TensorType& type) {
  Shape shape = type.shape;
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent < 0; }))
    return true;
  std::replace(shape.begin(), shape.end(), std::int64_t{0}, std::int64_t{1});
  const auto elements = checked_element_count(shape);
  return !elements ||
         *elements > Tensor::maximum_bytes / static_cast<std::int64_t>(byte_size(type.type));
}

Diagnostic named_after(const OpDef& op, Diagnostic diagnostic) {
  diagnostic.what = fmt::format("{}: {}", op.name, diagnostic.what);
  return diagnostic;
}

}  // namespace

Result<std::vector<TensorType>> infer(const OpDef& op, std::span<const TensorType* const> inputs,
                                      Attributes& attributes, std::size_t output_count) {
  if (!op.opaque) {
    TRY_VOID(check_known(op, inputs));
    TRY_VOID(check_operands(op, op.inputs, "input", inputs.size(),
                            [&](std::size_t i) { return inputs[i] != nullptr; }));
    TRY_VOID(
        check_operands(op, op.outputs, "output", output_count, [](std::size_t) { return true; }));
  }
  TRY_VOID(complete_attributes(op, attributes));
  auto outputs = op.infer(InferContext{inputs, attributes, output_count});
  if (!outputs) return std::unexpected(named_after(op, std::move(outputs).error()));
  CHECK(outputs->size() == output_count,
        fmt::format("{} inferred {} outputs where {} were declared", op.name, outputs->size(),
                    output_count));
  for (const TensorType& output : *outputs)
    if (is_absurd(output))
      return fail(Code::ModelTooLarge, fmt::format("{}: a result of shape {} is absurd", op.name,
                                                   to_string(output.shape)));
  return outputs;
}

Result<te::Program> program_of(const OpDef& op, std::span<const TensorType* const> inputs,
                               const Attributes& attributes, std::span<const TensorType> outputs) {
  te::Builder builder;
  std::vector<te::Tensor> placeholders;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Operand& operand = op.inputs[std::min(i, op.inputs.size() - 1)];
    const std::string name =
        operand.arity == Arity::Variadic ? fmt::format("{}_{}", operand.name, i) : operand.name;
    placeholders.push_back(inputs[i] == nullptr ? te::Tensor{}
                                                : builder.placeholder(name, *inputs[i]));
  }
  ComputeContext context{builder, placeholders, outputs, attributes, op.outputs.front().name};
  auto results = op.compute(context);
  if (!results) return std::unexpected(named_after(op, std::move(results).error()));
  CHECK(results->size() == outputs.size(),
        fmt::format("{} computed {} outputs, not {}", op.name, results->size(), outputs.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i)
    CHECK((*results)[i].type == outputs[i].type &&
              te::concrete((*results)[i].shape) == outputs[i].shape,
          fmt::format("{} computed {}[{}], not {}", op.name, loopglass::name((*results)[i].type),
                      to_string(te::concrete((*results)[i].shape)), to_string(outputs[i])));
  return std::move(builder).finish(std::move(*results));
}

}  // namespace loopglass::ops
