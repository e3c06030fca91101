#include "core/kernel_file/kernel_file.h"

#include "core/dependence/sound_nest.h"
#include "core/kernel_file/bind_symbols.h"
#include "core/kernel_file/kernel_text.h"
#include "core/onnx/limits.h"
#include "core/ops/written_kernel.h"
#include "core/runtime/executor.h"
#include "core/support/check.h"
#include "core/support/hash.h"

#include <fmt/format.h>

namespace loopglass::kernel_file {

namespace {

// The tensors with their extents; none of them absurd.
Result<std::vector<TensorType>> bound(const std::vector<te::Tensor>& tensors,
                                      const ops::Extents& extents, const loop::SourceLines& lines) {
  std::vector<TensorType> types;
  for (const te::Tensor& tensor : tensors) {
    const std::string where =
        fmt::format("{}tensor '{}'", lines.before_buffer(tensor.name), tensor.name);
    auto type = ops::bound_type(tensor, extents);
    if (!type)
      return fail(Code::ShapeBindingInvalid,
                  fmt::format("an extent of '{}' would be negative, or too large", tensor.name),
                  where);
    auto checked = onnx::check_type(*type);
    if (!checked) {
      checked.error().where = where;
      return std::unexpected(std::move(checked).error());
    }
    types.push_back(*std::move(type));
  }
  return types;
}

template <class Value>
Result<Value> in_file(Result<Value> checked, const onnx::Source& source) {
  if (!checked)
    checked.error().where = fmt::format("{}: {}", source.path.string(), checked.error().where);
  return checked;
}

graph::ValueId add_operand(graph::GraphBuilder& builder, onnx::Model& model,
                           const KernelText& kernel, const std::string& name,
                           const TensorType& type, const onnx::ImportOptions& options) {
  if (!kernel.is_constant(name)) return builder.add_input(name, type);
  if (const auto given = options.bound_inputs.find(name);
      given != options.bound_inputs.end() && given->second.type() == type) {
    model.inputs_bound[name] = given->second;
    return builder.add_constant(name, given->second);
  }
  model.notes.push_back(
      {fmt::format("'{}' is constant, and nothing says its values: random numbers", name)});
  // By its name alone: what else is given does not change it.
  return builder.add_constant(name, runtime::random_tensor(type, Hasher().text(name).digest()));
}

}  // namespace

bool is_kernel_file(const std::filesystem::path& path) {
  return path.extension() == ".te" || path.extension() == ".loops";
}

Result<onnx::Model> import(const onnx::Source& source, const onnx::ImportOptions& options) {
  const KernelText kernel = TRY(read_kernel(source));
  if (kernel.inputs.empty())
    return fail(Code::FuncInvalid, "the kernel has no input", source.path.string(),
                "what does not depend on inputs is computed once, and needs no kernel");
  TRY_VOID(in_file(schedule::check_sound(kernel.nest, kernel.lines), source));
  onnx::Model model;
  model.producer = "text";
  model.inputs = kernel.signatures(kernel.inputs);
  model.outputs = kernel.signatures(kernel.outputs);
  const ops::Extents extents = TRY(bind_symbols(kernel, options, model.notes));
  TRY_VOID(in_file(schedule::check_extents(kernel.nest, extents, kernel.lines), source));
  const auto types = [&](const std::vector<te::Tensor>& tensors) {
    return in_file(bound(tensors, extents, kernel.lines), source);
  };
  const auto inputs = TRY(types(kernel.inputs));
  const auto results = TRY(types(kernel.outputs));
  TRY(types(kernel.own));

  graph::GraphBuilder builder(kernel.name);
  std::vector<graph::ValueId> operands;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    operands.push_back(
        add_operand(builder, model, kernel, kernel.inputs[i].name, inputs[i], options));
  std::vector<std::string> names;
  for (const te::Tensor& output : kernel.outputs) names.push_back(output.name);
  const bool is_nest = kernel.form == KernelText::Form::LoopNest;
  const graph::NodeId node = TRY(builder.add_node(
      kernel.name, is_nest ? ops::loop_nest() : ops::tensor_expressions(), std::move(operands),
      is_nest ? ops::loop_nest_attributes(kernel.text, extents, results)
              : ops::tensor_expressions_attributes(kernel.text, extents),
      results.size(), Origin{{0}}, names));
  model.onnx_nodes.push_back(fmt::format("{} ({})", kernel.name, builder.node(node).op->name));
  builder.set_outputs(builder.node(node).outputs);
  model.graph = TRY(std::move(builder).finish());
  return model;
}

Result<std::vector<onnx::Signature>> read_inputs(const onnx::Source& source) {
  const KernelText kernel = TRY(read_kernel(source));
  std::vector<te::Tensor> inputs;
  for (const te::Tensor& input : kernel.inputs)
    if (!kernel.is_constant(input.name)) inputs.push_back(input);
  return kernel.signatures(inputs);
}

}  // namespace loopglass::kernel_file
