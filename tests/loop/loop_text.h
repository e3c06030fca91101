// What the tests of the loop IR share: they are written in its text form.
#pragma once

#include "core/loop/interpreter.h"
#include "core/loop/text.h"

#include <gtest/gtest.h>
#include <string_view>
#include <vector>

namespace loopglass::loop {

inline Func read(std::string_view text) {
  auto func = parse(text);
  if (!func) {
    ADD_FAILURE() << to_string(func.error());
    return {};
  }
  const auto sound = verify(*func);
  EXPECT_TRUE(sound) << to_string(sound.error());
  return *std::move(func);
}

// Runs on copies: outputs are given as tensors to start from. Returns all arguments afterwards.
inline std::vector<Tensor> run(const Func& func, const std::vector<Tensor>& arguments,
                               const std::map<std::string, std::int64_t>& symbols = {}) {
  std::vector<Tensor> copies;
  for (const Tensor& argument : arguments) {
    Tensor copy(argument.type());
    std::copy_n(argument.data(), argument.bytes(), copy.data());
    copies.push_back(std::move(copy));
  }
  interpret(func, copies, symbols);
  return copies;
}

template <class T>
std::vector<T> values(const Tensor& tensor) {
  const auto span = tensor.as<T>();
  return {span.begin(), span.end()};
}

inline Tensor floats(Shape shape, std::initializer_list<float> values) {
  return Tensor::of<float>(std::move(shape), values);
}

}  // namespace loopglass::loop
