// What a kernel's text says, whichever form it has.
#pragma once

#include "core/loop/source_lines.h"
#include "core/onnx/import.h"

#include <map>

namespace loopglass::kernel_file {

struct KernelText {
  enum class Form : bool { TensorExpressions, LoopNest };

  std::string name;  // of the file
  std::string text;
  Form form = Form::TensorExpressions;
  std::vector<std::string> symbols;
  std::map<std::string, std::int64_t> defaults;  // of all symbols
  std::vector<te::Tensor> inputs, outputs, own;  // own: what it keeps in between
  std::vector<std::string> constants;            // of the inputs
  loop::Func nest;                               // as it is scheduled from
  loop::SourceLines lines;                       // of the nest, in the text

  bool is_constant(const std::string& input) const;
  // As a model declares them.
  std::vector<onnx::Signature> signatures(const std::vector<te::Tensor>& tensors) const;
};

// ModelUnreadable, ModelTooLarge, TextMalformed, FuncInvalid.
Result<KernelText> read_kernel(const onnx::Source& source);

}  // namespace loopglass::kernel_file
