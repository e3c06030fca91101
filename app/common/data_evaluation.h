// What a model's shapes may hang on, computed while it is opened.
#pragma once

#include "core/onnx/import.h"

namespace loopglass::codegen {
class ObjectCache;
}

namespace loopglass::app {

// Compiles what it computes. `seed`: of the random numbers in the place of inputs that nobody
// knows, which are then those that a run with this seed takes.
onnx::EvaluateData data_evaluation(std::uint64_t seed, std::shared_ptr<codegen::ObjectCache> cache);

}  // namespace loopglass::app
