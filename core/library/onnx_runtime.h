// ONNX Runtime, as a peer that is given whole models. It is found where the machine has it and
// loaded when somebody asks for it; nothing is linked.
#pragma once

#include "core/onnx/import.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace loopglass::library {

// A model as ONNX Runtime runs it, all of its optimisations made. Not reentrant.
class OnnxRuntimeModel {
 public:
  virtual ~OnnxRuntimeModel() = default;
  // Where it reads and writes from now on: the tensors' memory, which is the caller's, too, and
  // named as in the model. LibraryRefused.
  virtual Result<void> bind(std::vector<onnx::NamedTensor> inputs,
                            std::vector<onnx::NamedTensor> outputs) = 0;
  // What is timed. LibraryRefused, with its own words.
  virtual Result<void> run() = 0;
};

// Whether products of a byte without a sign and one with a sign are exact, or as ONNX Runtime takes
// them by itself: pairs of them may be added in 16 bits, which saturates (seen with 1.30 on a Zen
// 3, which has no VNNI), and what comes of that is no longer the model's result. With VNNI they are
// exact either way.
enum class ByteProducts : std::uint8_t { Exact, Usual };

class OnnxRuntime {
 public:
  virtual ~OnnxRuntime() = default;
  virtual std::string version() const = 0;                // "1.30.0"
  virtual const std::filesystem::path& file() const = 0;  // that it was loaded from
  // The file's model, or that of the bytes. LibraryRefused, with its own words.
  virtual Result<std::unique_ptr<OnnxRuntimeModel>> open(
      const onnx::Source& model, int threads, ByteProducts products = ByteProducts::Exact) = 0;
};

// Names the shared object, or a folder in which it lies, however deep.
inline constexpr const char* onnx_runtime_variable = "LOOPGLASS_ONNXRUNTIME";

// By the environment variable; else as the system's loader finds it, else below node_modules here,
// where npm puts it. LibraryMissing with what to install. Stays loaded.
Result<OnnxRuntime*> load_onnx_runtime();

}  // namespace loopglass::library
