#include "core/roofline/pipeline_comparison.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::roofline {

namespace {

// Of a loop of so many operations, where all of them are multiply-adds and take so long.
double cycles_of_iteration(int operations, double gflops, const Roofs& roofs) {
  return operations / gflops * roofs.gigahertz;
}

}  // namespace

std::string PipelineComparison::words() const {
  return fmt::format(
      "the model of {} foretells {:.1f} cycles an iteration, {:.1f} were measured{}; there {} is "
      "busy for {:.1f}, and something waits for a port in {:.0f} % of the cycles, for a result in "
      "{:.0f} %",
      processor, modelled_cycles, measured_cycles,
      measured_cycles > 1.3 * modelled_cycles
          ? (is_bound_by_memory ? ", for it leaves memory out"
                                : ": the rest goes into what is outside of this loop, or what the "
                                  "model does not know")
      : modelled_cycles > 1.3 * measured_cycles ? ", so that the model is wrong here"
                                                : "",
      busiest_port, busy_cycles, 100 * waiting_for_ports, 100 * waiting_for_results);
}

std::optional<double> measured_cycles(const codegen::SourceLines& assembly, const Traffic& traffic,
                                      double milliseconds, const Roofs& roofs) {
  const auto loop = codegen::main_loop(assembly);
  const int operations = loop ? codegen::multiply_add_operations(assembly, *loop) : 0;
  if (operations == 0 || roofs.gigahertz <= 0 || traffic.flops <= 0 || milliseconds <= 0)
    return std::nullopt;
  // How often it turned is not known where the nest's operations are not multiply-adds alone.
  if (codegen::has_other_arithmetic(assembly, *loop)) return std::nullopt;
  return cycles_of_iteration(operations, traffic.flops / milliseconds * 1e-6, roofs);
}

std::optional<PipelineComparison> compare_with_model(const codegen::SourceLines& assembly,
                                                     const Verdict& verdict, const Roofs& roofs,
                                                     const std::string& processor) {
  const auto loop = codegen::main_loop(assembly);
  const auto measured = measured_cycles(assembly, verdict.traffic, verdict.milliseconds, roofs);
  if (!measured) return std::nullopt;
  const auto model = codegen::model_pipeline(assembly, *loop, processor);
  if (!model || model->pressure.empty()) return std::nullopt;
  const auto busiest = std::ranges::max_element(model->pressure);
  PipelineComparison found;
  found.processor = model->processor;
  found.modelled_cycles = model->cycles;
  found.measured_cycles = *measured;
  found.busiest_port = model->ports[static_cast<std::size_t>(busiest - model->pressure.begin())];
  found.busy_cycles = *busiest;
  found.is_bound_by_memory =
      verdict.bound == Bound::L2 || verdict.bound == Bound::L3 || verdict.bound == Bound::Memory;
  found.waiting_for_ports = model->waiting_for_ports;
  found.waiting_for_results = model->waiting_for_results;
  return found;
}

std::string fitting_model_of(const codegen::SourceLines& assembly, const Roofs& roofs) {
  const auto loop = codegen::main_loop(assembly);
  const int operations = loop ? codegen::multiply_add_operations(assembly, *loop) : 0;
  if (operations == 0 || roofs.gigahertz <= 0) return {};
  return codegen::fitting_model(assembly, *loop,
                                cycles_of_iteration(operations, roofs.float32_gflops, roofs))
      .value_or("");
}

}  // namespace loopglass::roofline
