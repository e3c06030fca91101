// What a person says of a model's inputs before it is opened, and how it is said.
#pragma once

#include "core/tensor/tensor.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopglass::onnx {

struct InputBindings {
  // Of inputs by name.
  std::map<std::string, Shape> shapes = {};
  // Extents of symbolic dimensions, or values of inputs that are one whole number.
  std::map<std::string, std::int64_t> symbols = {};

  bool empty() const { return shapes.empty() && symbols.empty(); }
  // What the other says goes before.
  void take(const InputBindings& other);
  friend bool operator==(const InputBindings&, const InputBindings&) = default;
};

// Options as a shell takes them: "--shape x=1x3x224x224", "--set rate=16000".
std::vector<std::string> options_of(const InputBindings& bindings);
// For people: "x 1x3x224x224", "rate 16000".
std::vector<std::string> words_of(const InputBindings& bindings);

}  // namespace loopglass::onnx
