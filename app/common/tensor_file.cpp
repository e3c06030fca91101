#include "app/common/tensor_file.h"

#include "core/onnx/export.h"
#include "core/onnx/import.h"
#include "core/tensor/npy.h"

namespace loopglass::app {

namespace {

bool is_npy(const std::filesystem::path& file) { return file.extension() == ".npy"; }

}  // namespace

Result<Tensor> read_tensor_file(const std::filesystem::path& file) {
  return is_npy(file) ? read_npy(file) : onnx::read_tensor(file);
}

Result<void> write_tensor_file(const Tensor& tensor, const std::string& name,
                               const std::filesystem::path& file) {
  return is_npy(file) ? write_npy(tensor, file) : onnx::write_tensor(tensor, name, file);
}

}  // namespace loopglass::app
