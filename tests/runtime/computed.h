// What graphs of tests about placement begin and end with: values that kernels compute, and a
// kernel that reads what becomes of them.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string>

namespace loopglass::test {

// Each by a kernel of its own, from the input %x.
inline std::string computed(std::initializer_list<const char*> names, const std::string& shape) {
  std::string lines = fmt::format("input %x: float32[{}]\n", shape);
  const char* op = "Relu";
  for (const char* name : names) {
    lines += fmt::format("%{0}: float32[{1}] = {2}(%x) \"{0}\"\n", name, shape, op);
    op = "Neg";
  }
  return lines;
}

// By the operator that makes the network's result %y of it.
inline std::string reader(const char* name, const std::string& shape) {
  return fmt::format("\n%y: float32[{}] = Abs(%{}) \"y\"\noutput %y\n", shape, name);
}

}  // namespace loopglass::test
