#include "core/import_model.h"

#include "core/kernel_file/kernel_file.h"

namespace loopglass {

Result<onnx::Model> import_model(const onnx::Source& source, const onnx::ImportOptions& options) {
  return kernel_file::is_kernel_file(source.path) ? kernel_file::import(source, options)
                                                  : onnx::import(source, options);
}

Result<std::vector<onnx::Signature>> read_model_inputs(const onnx::Source& source) {
  return kernel_file::is_kernel_file(source.path) ? kernel_file::read_inputs(source)
                                                  : onnx::read_inputs(source);
}

}  // namespace loopglass
