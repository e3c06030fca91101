#include "tests/bench/measured_kernel.h"
#include "core/machine/host.h"

#include "core/codegen/kernel_listings.h"
#include "core/kernel/code_store.h"
#include "core/support/stopwatch.h"
#include "passes/pipeline.h"

#include <fmt/core.h>

namespace loopglass {

namespace {

// Some runs to warm up; then for a fifth of a second, ten times at the least.
runtime::Statistics time_of(const std::function<void()>& run) {
  constexpr std::size_t fewest = 10, most = 500;
  constexpr double long_enough = 200;
  for (int round = 0; round < 3; ++round) run();
  std::vector<double> times;
  const Stopwatch all;
  while (times.size() < fewest || (all.milliseconds() < long_enough && times.size() < most)) {
    const Stopwatch one;
    run();
    times.push_back(one.milliseconds());
  }
  return runtime::summarise(std::move(times));
}

}  // namespace

void add_kernel_options(CLI::App& app, KernelBenchOptions& options) {
  app.add_option("--threads", options.threads)->check(CLI::PositiveNumber);
  app.add_flag("--script", options.script, "prints each schedule");
  app.add_flag("--loops", options.loops, "prints each loop nest");
  app.add_flag("--assembly", options.assembly, "prints each kernel's machine code");
  app.add_option("filter", options.filter, "what names must contain");
}

Result<MeasuredKernel> measured(const loop::Func& func, const KernelBenchOptions& options) {
  const kernel::Lowered stages =
      TRY(kernel::by_default(func, {host_machine(), passes::loop_passes()}));
  if (options.script) fmt::print("{}", schedule::to_script(stages.trace));
  if (options.loops) fmt::print("{}", loop::to_text(stages.lowered()));
  MeasuredKernel kernel{stages.lowered(), {}, 0};
  const auto code = TRY(kernel::CodeStore().get(stages));
  if (options.assembly)
    for (const codegen::SourceLine& line : TRY(codegen::list(kernel.lowered))->assembly())
      fmt::print("{:4} {}\n", line.loop_line, line.text);
  std::vector<Tensor> arguments;
  std::vector<void*> pointers;
  for (const loop::Buffer& parameter : kernel.lowered.parameters) {
    arguments.push_back(runtime::random_tensor({parameter.type, te::concrete(parameter.shape)},
                                               arguments.size() + 1));
    pointers.push_back(arguments.back().data());
    kernel.bytes += static_cast<double>(arguments.back().bytes());
  }
  Tensor workspace(TensorType{DataType::UInt8,
                              {std::max<std::int64_t>(64, code->workspace().bytes({}).value())}});
  runtime::ThreadPool pool(options.threads);
  const codegen::ParallelRuntime* parallel = pool.parallel_runtime();
  kernel.time =
      time_of([&] { code->entry()(pointers.data(), nullptr, workspace.data(), parallel); });
  return kernel;
}

}  // namespace loopglass
