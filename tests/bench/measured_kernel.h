// What benchmarks of single kernels share: their options, and a kernel compiled by its default
// schedule and timed.
#pragma once

#include "core/loop/func.h"
#include "core/runtime/benchmark.h"

#include <CLI/CLI.hpp>

namespace loopglass {

struct KernelBenchOptions {
  int threads = 1;
  bool script = false, loops = false, assembly = false;  // what is printed of each kernel
  std::string filter;                                    // what names of kernels must contain
};
void add_kernel_options(CLI::App& app, KernelBenchOptions& options);

struct MeasuredKernel {
  loop::Func lowered;
  runtime::Statistics time;
  double bytes = 0;  // of all arguments

  double gigabytes_per_second(double milliseconds) const { return bytes / milliseconds * 1e-6; }
};
Result<MeasuredKernel> measured(const loop::Func& func, const KernelBenchOptions& options);

}  // namespace loopglass
