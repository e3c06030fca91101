#include "core/kernel_file/kernel_text.h"

#include "core/expr/parse.h"
#include "core/loop/lower.h"
#include "core/loop/text.h"
#include "core/loop/walk.h"
#include "core/ops/written_kernel.h"
#include "core/support/byte_order_mark.h"
#include "core/te/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace loopglass::kernel_file {

namespace {

constexpr std::uintmax_t most_bytes = 4 << 20;  // a kernel that a person can read has a thousandth
constexpr std::int64_t usual_extent = 1024;     // of a symbol, where the file does not say

Result<std::string> text_of(const onnx::Source& source) {
  if (source.bytes) return without_byte_order_mark(*source.bytes);
  std::ifstream file(source.path, std::ios::binary);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(source.path, error);
  if (!file || error) return fail(Code::ModelUnreadable, "the file cannot be opened");
  if (size > most_bytes)
    return fail(Code::ModelTooLarge,
                fmt::format("{} bytes of text; at most {} are accepted", size, most_bytes));
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return without_byte_order_mark(std::move(text));
}

te::Tensor tensor_of(const loop::Buffer& buffer) {
  return {buffer.name, buffer.type, buffer.shape};
}

Result<void> take_program(KernelText& kernel) {
  te::Parsed parsed = TRY(te::parse(kernel.text));
  const te::Program& program = parsed.program;
  kernel.symbols = program.symbols;
  kernel.defaults = std::move(parsed.defaults);
  kernel.constants = std::move(parsed.constants);
  kernel.inputs = program.inputs;
  kernel.lines.buffers = std::move(parsed.lines);
  for (const std::string& output : program.outputs) {
    const te::Stage* stage = program.stage(output);
    if (!stage)
      return fail(Code::TextMalformed,
                  fmt::format("the output '{}' is an input: nothing is computed", output),
                  fmt::format("line {}", kernel.lines.buffers.at(output)));
    kernel.outputs.push_back(stage->output);
  }
  for (const te::Stage& stage : program.stages)
    if (std::ranges::find(program.outputs, stage.output.name) == program.outputs.end())
      kernel.own.push_back(stage.output);
  kernel.nest = loop::lower(program, kernel.name, kernel.constants);
  loop::place_by_blocks(kernel.nest.body, kernel.lines);
  return {};
}

Result<void> take_nest(KernelText& kernel) {
  kernel.nest = TRY(loop::parse(kernel.text, &kernel.lines));
  TRY_VOID(loop::verify(kernel.nest, kernel.lines));
  kernel.symbols = kernel.nest.symbols;
  const auto in_line = [&](const loop::Buffer& parameter) {
    return fmt::format("line {}", kernel.lines.buffers.at(parameter.name));
  };
  for (const loop::Buffer& parameter : kernel.nest.parameters) {
    if (parameter.role == loop::Role::Output) {
      kernel.outputs.push_back(tensor_of(parameter));
      continue;
    }
    if (!kernel.outputs.empty())
      return fail(Code::FuncInvalid,
                  fmt::format("input '{}' stands behind an output", parameter.name),
                  in_line(parameter), "inputs and constants come first");
    kernel.inputs.push_back(tensor_of(parameter));
    if (parameter.role != loop::Role::Constant) continue;
    if (parameter.packing)
      return fail(Code::FuncInvalid,
                  fmt::format("'{}' is packed, and there is no tensor that it would be packed from",
                              parameter.name),
                  in_line(parameter),
                  "leave out 'packed', and say transform_layout in the schedule");
    kernel.constants.push_back(parameter.name);
  }
  if (kernel.outputs.empty()) {
    const auto& parameters = kernel.nest.parameters;
    const std::string line =
        parameters.empty() ? std::string() : kernel.lines.before_buffer(parameters.back().name);
    return fail(Code::FuncInvalid, "the nest has no output",
                fmt::format("{}func {}", line, kernel.nest.name),
                "its last parameters are what it computes: 'Y: float32[8] output'");
  }
  loop::walk(kernel.nest.body, [&](const loop::Stmt& stmt) {
    if (const auto* alloc = loop::as<loop::Alloc>(stmt))
      kernel.own.push_back(tensor_of(alloc->buffer));
  });
  return {};
}

}  // namespace

bool KernelText::is_constant(const std::string& input) const {
  return std::ranges::find(constants, input) != constants.end();
}

std::vector<onnx::Signature> KernelText::signatures(const std::vector<te::Tensor>& tensors) const {
  std::vector<onnx::Signature> result;
  for (const te::Tensor& tensor : tensors) {
    onnx::Signature signature{tensor.name, tensor.type, {}, true, {}};
    const auto usual = ops::bound_type(tensor, defaults);
    for (std::size_t d = 0; d < tensor.rank(); ++d)
      signature.shape.push_back({usual ? usual->shape[d] : -1, expr::as_integer(tensor.shape[d])
                                                                   ? std::string()
                                                                   : to_string(tensor.shape[d])});
    result.push_back(std::move(signature));
  }
  return result;
}

Result<KernelText> read_kernel(const onnx::Source& source) {
  KernelText kernel;
  kernel.name = expr::to_name(source.path.stem().string());
  kernel.form = source.path.extension() == ".loops" ? KernelText::Form::LoopNest
                                                    : KernelText::Form::TensorExpressions;
  auto text = text_of(source);
  if (text) kernel.text = *std::move(text);
  auto taken = !text ? Result<void>(std::unexpected(text.error()))
               : kernel.form == KernelText::Form::LoopNest ? take_nest(kernel)
                                                           : take_program(kernel);
  if (!taken) {
    Diagnostic& problem = taken.error();
    problem.where = problem.where.empty()
                        ? source.path.string()
                        : fmt::format("{}: {}", source.path.string(), problem.where);
    return std::unexpected(std::move(problem));
  }
  for (const std::string& symbol : kernel.symbols) kernel.defaults.emplace(symbol, usual_extent);
  return kernel;
}

}  // namespace loopglass::kernel_file
