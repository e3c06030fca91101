// Values that follow from constants and shapes alone, computed when an operator needs one at
// import: the Shape - Gather - Concat chains that exporters put before a Reshape.
#pragma once

#include "core/onnx/import.h"

#include <unordered_map>

namespace loopglass::onnx {

class ConstantValues {
 public:
  ConstantValues(const graph::GraphBuilder& builder, const Evaluate& evaluate)
      : builder_(builder), evaluate_(evaluate) {}

  // InputNotConstant when the value depends on a graph input's data: that input is
  // blocking_input().
  Result<Tensor> value(graph::ValueId id);
  graph::ValueId blocking_input() const { return blocking_input_; }

 private:
  const Tensor* known(graph::ValueId id) const;
  Result<void> evaluate(const graph::Node& node, bool data_needed);

  const graph::GraphBuilder& builder_;
  const Evaluate& evaluate_;
  std::unordered_map<graph::ValueId, Tensor> computed_;
  graph::ValueId blocking_input_;
};

}  // namespace loopglass::onnx
