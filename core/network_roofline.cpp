#include "core/network_roofline.h"

#include "core/codegen/kernel_listings.h"
#include "core/loop/symbols.h"
#include "core/loop/text.h"
#include "core/operator_kernels.h"
#include "core/schedule_trail.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace loopglass {

roofline::Asked roofline_question(const KernelStages& kernel, const Machine& machine, int threads) {
  roofline::Asked asked{kernel.initial, kernel.scheduled(), kernel.lowered(),
                        schedule::to_script(kernel.trace)};
  asked.symbols = loop::symbol_values(kernel.initial, kernel.program.extents);
  if (!asked.symbols.empty())
    for (loop::Func* func : {&asked.scheduled, &asked.lowered})
      *func = loop::with_extents(*func, asked.symbols);
  asked.machine = machine;
  asked.threads = threads;
  return asked;
}

std::string computation_of(const roofline::Asked& asked) {
  return kernel::workload_of(loop::nameless_form(asked.initial)) +
         kernel::workload_of(loop::nameless_form(asked.scheduled));
}

std::string fitting_model(const Toolchain& toolchain, const roofline::Roofs& roofs) {
  const auto nest = loop::parse(
      roofline::multiply_adds(toolchain.machine, DataType::Float32, roofs.threads).text);
  if (!nest) return {};
  const auto lowered =
      kernel::lower({*nest, {}, {}, {}}, {toolchain.machine, toolchain.loop_passes});
  if (!lowered) return {};
  const auto listings = codegen::list(lowered->lowered(), lowered->compile_options());
  return listings ? roofline::fitting_model_of((*listings)->assembly(), roofs) : std::string();
}

Result<roofline::Roofs> measure_roofs(const Toolchain& toolchain, int threads,
                                      measure::WorkerPool& workers, const Progress& progress,
                                      const Cancellation& cancellation) {
  roofline::Roofs roofs =
      TRY(roofline::measure_roofs(toolchain.machine, threads, workers, progress, cancellation));
  runtime::CalibrationOptions options;
  options.cancellation = cancellation;
  roofs.launch_microseconds = TRY(runtime::time_of_a_call(compile_by_operator(toolchain), options));
  return roofs;
}

std::optional<DataDistance> data_distance(const NetworkRoofline& network) {
  DataDistance distance;
  for (const KernelVerdict& kernel : network.kernels) {
    if (kernel.network_ms <= 0) return std::nullopt;
    double near = kernel.verdict.milliseconds;
    for (const roofline::Trial& trial : kernel.verdict.trials)
      if (trial.experiment == roofline::Experiment::NearData)
        near = std::min(near, trial.milliseconds);
    distance.network_ms += kernel.network_ms;
    distance.alone_ms += kernel.verdict.milliseconds;
    distance.near_ms += near;
  }
  return network.kernels.empty() ? std::nullopt : std::optional(distance);
}

Result<NetworkRoofline> network_roofline(Session& session, const RooflineRequest& request,
                                         measure::WorkerPool& workers, const Progress& progress,
                                         const Cancellation& cancellation,
                                         const OnVerdict& on_verdict) {
  const auto& [groups, threads, trails, inputs] = request;
  const Machine& machine = session.toolchain().machine;
  NetworkRoofline result;
  result.roofs = TRY(measure_roofs(session.toolchain(), threads, workers, progress, cancellation));
  std::map<fusion::GroupId, double> in_network;
  if (groups.size() > 1) {
    if (progress) progress("the network as a whole", 0);
    runtime::BenchmarkOptions options;
    options.threads = threads;
    options.inputs = inputs;
    options.cancellation = cancellation;
    for (const runtime::KernelTiming& timing : TRY(session.benchmark(options)).kernels)
      if (!timing.is_view && !timing.missing) in_network[timing.group] = timing.time.median_ms;
  }
  std::map<std::string, roofline::Verdict> known;  // by nest, before and after its schedule
  std::size_t done = 0;
  for (const fusion::Group* group : groups) {
    if (cancellation.requested()) return fail(Code::Cancelled, "the roofline was cancelled");
    if (progress)
      progress(group->name, static_cast<double>(done++) / static_cast<double>(groups.size()));
    const auto stages = session.kernel(group->id, cancellation);
    if (!stages) {
      if (stages.error().code == Code::Cancelled) return std::unexpected(stages.error());
      result.left_out.push_back(group->name + ": " + stages.error().what);
      continue;
    }
    if ((*stages)->is_view) continue;
    roofline::Asked asked = roofline_question(**stages, machine, threads);
    asked.code = [&session, group,
                  &cancellation]() -> std::optional<codegen::InnermostInstructions> {
      const auto listings = session.listings(group->id, cancellation);
      if (!listings) return std::nullopt;
      return codegen::innermost_instructions((*listings)->assembly());
    };
    // What computes the same is called what it is called where it was met first.
    const std::string key = computation_of(asked);
    auto verdict = known.find(key);
    if (verdict == known.end()) {
      auto judged = roofline::verdict_of(asked, result.roofs, workers, cancellation);
      if (!judged) {
        if (judged.error().code == Code::Cancelled) return std::unexpected(judged.error());
        result.left_out.push_back(group->name + ": " + judged.error().what);
        continue;
      }
      verdict = known.emplace(key, *std::move(judged)).first;
    }
    const auto time = in_network.find(group->id);
    result.kernels.push_back(
        {group->id, group->name, time == in_network.end() ? 0 : time->second, verdict->second});
    result.kernels.back().schedule = digest_of((*stages)->trace);
    if (groups.size() == 1) {
      const auto listings = session.listings(group->id, cancellation);
      if (listings)
        result.kernels.back().pipeline =
            roofline::compare_with_model((*listings)->assembly(), verdict->second, result.roofs,
                                         fitting_model(session.toolchain(), result.roofs));
    }
    if (trails)
      result.kernels.back().trail = TRY(schedule_trail(
          session, *group, verdict->second, result.roofs, workers, progress, cancellation));
    if (on_verdict) on_verdict(result.roofs, result.kernels.back());
  }
  return result;
}

}  // namespace loopglass
