// Every operator of the library in small shapes: the cases of the ONNX backend test suite.
#pragma once

#include "core/graph/graph.h"
#include "core/loop/interpreter.h"
#include "core/onnx/import.h"

#include <filesystem>
#include <functional>
#include <stdexcept>

namespace loopglass::test {

// Calls `visit` with the graph of each case. What a case passes as an input and the graph needs as
// an attribute, a Reshape's shape, is taken from its data.
inline void for_each_operator_case(
    const std::function<void(const std::string& name, const graph::Graph&)>& visit) {
  const std::filesystem::path suite = "/usr/share/libonnx-testdata/data/node";
  if (!std::filesystem::exists(suite))
    throw std::logic_error("the package libonnx-testdata is not installed");
  for (const auto& folder : std::filesystem::directory_iterator(suite)) {
    const std::filesystem::path path = folder.path() / "model.onnx";
    onnx::ImportOptions options;
    options.evaluate = loop::evaluate;
    const auto inputs = onnx::read_inputs(path);
    for (std::size_t k = 0; inputs && k < inputs->size(); ++k) {
      auto tensor = onnx::read_tensor(folder.path() / "test_data_set_0" /
                                      ("input_" + std::to_string(k) + ".pb"));
      if (tensor) options.bound_inputs.insert({(*inputs)[k].name, *std::move(tensor)});
    }
    const auto model = onnx::import(path, options);
    if (model) visit(folder.path().filename(), model->graph);
  }
}

}  // namespace loopglass::test
