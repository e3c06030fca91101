// From TensorProto to Tensor: every length checked, external data kept inside the model's folder,
// and all of it within one budget of memory.
#pragma once

#include "core/tensor/tensor.h"

#include <filesystem>

namespace onnx {
class SparseTensorProto;
class TensorProto;
}  // namespace onnx

namespace loopglass::onnx {

class TensorReader {
 public:
  // `folder` is where external data must lie. `budget` bounds the bytes of all tensors together.
  TensorReader(std::filesystem::path folder, std::int64_t budget)
      : folder_(std::move(folder)), budget_(budget) {}

  // Diagnostics name the tensor.
  Result<Tensor> read(const ::onnx::TensorProto& proto);
  // Of a type of few bits (element_type.h), a byte each.
  Result<Tensor> read_few_bits(const ::onnx::TensorProto& proto);
  // As a dense tensor.
  Result<Tensor> read(const ::onnx::SparseTensorProto& proto);
  // Zeros, counted against the budget.
  Result<Tensor> allocate(TensorType type);

 private:
  Result<Tensor> read_as(const ::onnx::TensorProto& proto, TensorType type);
  Result<Tensor> read_inline(const ::onnx::TensorProto& proto, TensorType type);
  Result<Tensor> read_external(const ::onnx::TensorProto& proto, TensorType type);

  std::filesystem::path folder_;
  std::int64_t budget_;
};

}  // namespace loopglass::onnx
