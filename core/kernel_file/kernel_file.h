// Kernels without a network, from text: FILE.te with tensor expressions (core/te/parse.h), and
// FILE.loops with a loop nest (core/loop/text.h). Each becomes a model of one operator, so that
// whatever takes a model takes them.
//
// A symbol is given its extent by --set, by the shape of an input, or by the file; what is constant
// has the value that is given for it, or random numbers.
#pragma once

#include "core/onnx/import.h"

namespace loopglass::kernel_file {

bool is_kernel_file(const std::filesystem::path& path);

// ModelUnreadable; TextMalformed, with line, column and a caret; FuncInvalid where an access leaves
// its buffer for some extents, or cannot be shown not to; ShapeBindingInvalid, ModelTooLarge.
Result<onnx::Model> import(const onnx::Source& source, const onnx::ImportOptions& options);
Result<std::vector<onnx::Signature>> read_inputs(const onnx::Source& source);

}  // namespace loopglass::kernel_file
