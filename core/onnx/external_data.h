// Where a tensor's external data lies: a location relative to the model's folder, an offset and a
// length, as the model's author wrote them; trusted in nothing.
#pragma once

#include "core/onnx/file.h"

namespace onnx {
class TensorProto;
}

namespace loopglass::onnx {

struct ExternalData {
  File file;
  std::int64_t offset = 0;
};

// ExternalDataRefused unless the file is a regular file inside `folder`, links followed, and holds
// `bytes` bytes at the offset.
Result<ExternalData> open_external_data(const ::onnx::TensorProto& proto,
                                        const std::filesystem::path& folder, std::int64_t bytes);

}  // namespace loopglass::onnx
