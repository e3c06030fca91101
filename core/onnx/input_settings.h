// Inputs that are one whole number, as a sampling rate or a switch is. A person who says their
// values where those of symbolic dimensions are said makes them constants of the graph.
#pragma once

#include "core/onnx/signature.h"

namespace loopglass::onnx {

// One element, of integers or bool.
bool is_setting(const TensorType& type);

// The values of settings, taken out of `symbols`; what is left may be dimensions.
// ShapeBindingInvalid: the input's type has no such number.
Result<std::map<std::string, Tensor>> take_settings(const std::vector<Signature>& inputs,
                                                    Symbols& symbols);

}  // namespace loopglass::onnx
