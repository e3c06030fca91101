// Files that hold one tensor, in either form that people have them in: ONNX's (.pb) or NumPy's
// (.npy), by the ending of the name.
#pragma once

#include "core/support/result.h"
#include "core/tensor/tensor.h"

#include <filesystem>
#include <string>

namespace loopglass::app {

// TestDataUnreadable, and what the forms' own readers say.
Result<Tensor> read_tensor_file(const std::filesystem::path& file);
// `name`: of the value, which ONNX's form keeps. FileUnwritable and its kin.
Result<void> write_tensor_file(const Tensor& tensor, const std::string& name,
                               const std::filesystem::path& file);

}  // namespace loopglass::app
