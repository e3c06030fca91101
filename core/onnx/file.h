// A regular file, opened for reading. Devices, pipes and folders are refused: reading them may
// never end.
#pragma once

#include "core/support/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace loopglass::onnx {

class File {
 public:
  // `failure` is the code to fail with.
  static Result<File> open(const std::filesystem::path& path, Code failure);

  std::int64_t bytes() const { return bytes_; }
  int descriptor() const;
  // Fills `target` from `offset` on; fails when the file is too short.
  Result<void> read(std::int64_t offset, std::span<std::byte> target) const;

 private:
  struct Descriptor;
  std::shared_ptr<Descriptor> descriptor_;
  std::filesystem::path path_;
  Code failure_ = Code::ModelUnreadable;
  std::int64_t bytes_ = 0;
};

}  // namespace loopglass::onnx
