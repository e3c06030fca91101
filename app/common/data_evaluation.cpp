#include "app/common/data_evaluation.h"

#include "core/debug/evaluator.h"
#include "passes/pipeline.h"

#include <mutex>

namespace loopglass::app {

namespace {

// Made by the first model that needs it.
struct Lazy {
  std::once_flag once;
  std::optional<debug::Evaluator> evaluator;
};

}  // namespace

onnx::EvaluateData data_evaluation(std::uint64_t seed,
                                   std::shared_ptr<codegen::ObjectCache> cache) {
  const auto lazy = std::make_shared<Lazy>();
  return [seed, cache = std::move(cache), lazy](
             const graph::Graph& graph, const std::map<std::string, Tensor>& known,
             const Progress& progress, const Cancellation& cancellation) {
    std::call_once(lazy->once, [&] {
      lazy->evaluator.emplace(passes::toolchain(), runtime::hardware_threads(), cache);
    });
    debug::Inputs inputs = debug::random_inputs(graph, seed);
    for (const auto& [name, value] : known) inputs[name] = value;
    return lazy->evaluator->outputs(graph, inputs, {progress, cancellation});
  };
}

}  // namespace loopglass::app
