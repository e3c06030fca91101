// What a model is refused for, wherever it is read.
#pragma once

#include "core/support/result.h"

#include <string>

namespace loopglass::onnx {

// The model contradicts itself.
inline std::unexpected<Diagnostic> corrupt(std::string what) {
  return fail(Code::ModelCorrupt, std::move(what));
}
// An operator is not used as its definition says.
inline std::unexpected<Diagnostic> misused(std::string what) {
  return fail(Code::OperatorMisused, std::move(what));
}

}  // namespace loopglass::onnx
