#include "core/tune/verify.h"

#include "core/loop/buffers.h"
#include "core/loop/interpreter.h"
#include "core/loop/text.h"
#include "core/runtime/executor.h"

#include <fmt/format.h>

namespace loopglass::tune {

namespace {

// What the interpreter computes in some ten seconds.
constexpr double most_operations = 2e9;

Result<std::vector<Tensor>> interpreted(const Task& task, std::uint64_t seed,
                                        const Cancellation& cancellation) {
  std::vector<Tensor> arguments;
  for (std::size_t p = 0; p < task.nest.parameters.size(); ++p) {
    const loop::Buffer& parameter = task.nest.parameters[p];
    const auto shape = loop::shape_of(parameter, task.symbols);
    if (!shape)
      return fail(Code::UsageInvalid,
                  fmt::format("the shape of '{}' is not known", parameter.name));
    const TensorType type{parameter.type, *shape};
    const bool is_read =
        parameter.role == loop::Role::Input || parameter.role == loop::Role::Constant;
    arguments.push_back(is_read ? runtime::random_tensor(type, seed + p)
                                : TRY(Tensor::allocate(type)));
  }
  loop::interpret(task.nest, arguments, task.symbols, cancellation);
  if (cancellation.requested()) return fail(Code::Cancelled, "the comparison was cancelled");
  std::vector<Tensor> outputs;
  for (std::size_t p = 0; p < arguments.size(); ++p)
    if (task.nest.parameters[p].role == loop::Role::Output) outputs.push_back(arguments[p]);
  return outputs;
}

}  // namespace

Result<Verified> verify(const Task& task, const std::string& script, measure::WorkerPool& workers,
                        const Cancellation& cancellation) {
  const Tolerance tolerance = tolerance_of(task.nest);
  measure::Request request{loop::to_text(task.nest)};
  request.script = script;
  request.machine = task.machine;
  request.symbols = task.symbols;
  request.threads = task.threads;
  request.warm_up = 0;
  request.rounds_at_least = request.rounds_at_most = 1;
  request.time_limit = std::chrono::minutes(5);
  const bool by_interpreter = flops_of(task) <= most_operations;
  if (by_interpreter)
    request.expected = measure::Expected{TRY(interpreted(task, request.seed, cancellation)),
                                         tolerance.absolute, tolerance.relative};
  else
    request.reference =
        measure::Reference{request.nest, "", tolerance.absolute, tolerance.relative};
  const auto answer = workers.ask(request, cancellation);
  if (!answer) return std::unexpected(answer.error().diagnostic);
  return Verified{by_interpreter};
}

}  // namespace loopglass::tune
