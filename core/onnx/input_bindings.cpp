#include "core/onnx/input_bindings.h"

#include "core/support/shell_word.h"

#include <fmt/format.h>

namespace loopglass::onnx {

void InputBindings::take(const InputBindings& other) {
  for (const auto& [name, shape] : other.shapes) shapes[name] = shape;
  for (const auto& [name, value] : other.symbols) symbols[name] = value;
}

std::vector<std::string> options_of(const InputBindings& bindings) {
  std::vector<std::string> options;
  for (const auto& [name, shape] : bindings.shapes)
    options.push_back("--shape " + shell_word(name + "=" + to_string(shape)));
  for (const auto& [name, value] : bindings.symbols)
    options.push_back("--set " + shell_word(fmt::format("{}={}", name, value)));
  return options;
}

std::vector<std::string> words_of(const InputBindings& bindings) {
  std::vector<std::string> words;
  for (const auto& [name, shape] : bindings.shapes) words.push_back(name + " " + to_string(shape));
  for (const auto& [name, value] : bindings.symbols)
    words.push_back(fmt::format("{} {}", name, value));
  return words;
}

}  // namespace loopglass::onnx
