// What opens like a model: an ONNX file, or a kernel as text (core/kernel_file).
#pragma once

#include "core/onnx/import.h"

namespace loopglass {

// By the file's extension. Errors as of onnx::import and kernel_file::import.
Result<onnx::Model> import_model(const onnx::Source& source, const onnx::ImportOptions& options);
// What it declares to take.
Result<std::vector<onnx::Signature>> read_model_inputs(const onnx::Source& source);

}  // namespace loopglass
