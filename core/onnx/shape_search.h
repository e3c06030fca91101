// Extents for symbolic dimensions that a network accepts, found by trying: what to suggest where
// those at hand do not fit an operator (a window larger than its picture, a Reshape to a fixed
// size).
#pragma once

#include "core/onnx/signature.h"

#include <functional>

namespace loopglass::onnx {

// Whether the network can be imported with these shapes.
using Fits = std::function<bool(const std::map<std::string, Shape>&)>;

// Full shapes of the inputs that have symbolic dimensions; nothing: none of the usual ones fits.
// `bound` is what does not fit. Asks `fits` at most `most_trials` times.
std::optional<std::map<std::string, Shape>> find_fitting_shapes(
    const std::vector<Signature>& inputs, const BoundShapes& bound, const Fits& fits,
    int most_trials);

}  // namespace loopglass::onnx
