// What the symbols of a kernel stand for in one run.
#pragma once

#include "core/kernel_file/kernel_text.h"
#include "core/ops/written_kernel.h"

namespace loopglass::kernel_file {

// By --set, by shapes of inputs, else by the file, with a note. ShapeBindingInvalid where these do
// not agree.
Result<ops::Extents> bind_symbols(const KernelText& kernel, const onnx::ImportOptions& options,
                                  std::vector<onnx::Note>& notes);

}  // namespace loopglass::kernel_file
