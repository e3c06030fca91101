// Opening protobuf files that someone else wrote: only regular files, no length trusted, and no
// more memory spent on messages than the file's size accounts for.
#pragma once

#include "core/support/result.h"

#include <filesystem>
#include <memory>

namespace onnx {
class ModelProto;
class TensorProto;
}  // namespace onnx

namespace loopglass::onnx {

// A message and the arena it lives in.
template <class Message>
struct Parsed {
  std::shared_ptr<void> arena;
  Message* message;
};

// ModelUnreadable, ModelCorrupt or ModelTooLarge, with the file as `where`.
Result<Parsed<::onnx::ModelProto>> parse_model(const std::filesystem::path& path);
// The bytes of such a file; `name`: what to call it.
Result<Parsed<::onnx::ModelProto>> parse_model(std::string_view bytes, const std::string& name);
Result<Parsed<::onnx::TensorProto>> parse_tensor(const std::filesystem::path& path);

}  // namespace loopglass::onnx
