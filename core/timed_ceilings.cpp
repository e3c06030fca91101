#include "core/timed_ceilings.h"

#include "core/network_roofline.h"

#include <algorithm>
#include <map>
#include <set>

namespace loopglass {

namespace {

double constant_bytes(const runtime::KernelUse& use, const graph::Graph& graph) {
  std::set<graph::ValueId> constants;
  for (const graph::ValueId id : use.arguments)
    if (graph.value(id).is_constant()) constants.insert(id);
  double bytes = 0;
  for (const graph::ValueId id : constants)
    bytes += static_cast<double>(graph.value(id).type.bytes());
  return bytes;
}

// Whether between two runs of a kernel the others take the last cache for their constants.
bool outgrows_caches(const graph::Graph& graph, const Machine& machine) {
  double bytes = 0;
  for (const graph::ValuePtr& value : graph.values())
    if (value->is_constant() && !graph.uses(value->id).empty())
      bytes += static_cast<double>(value->type.bytes());
  return bytes > static_cast<double>(machine.l3.bytes);
}

// Of a kernel whose constants each run fetches from memory anew.
roofline::Traffic with_cold_constants(roofline::Traffic traffic, double bytes) {
  for (double* level : {&traffic.l2, &traffic.l3, &traffic.memory})
    *level = std::max(*level, bytes);
  return traffic;
}

}  // namespace

Result<std::vector<std::optional<TimedCeilings>>> timed_ceilings(
    Session& session, const runtime::BenchmarkReport& report, const roofline::Roofs& roofs,
    const Cancellation& cancellation) {
  const Machine& machine = session.toolchain().machine;
  const auto graph = TRY(session.graph());
  const bool is_cold = outgrows_caches(*graph, machine);
  std::map<std::string, roofline::Traffic> known;
  std::vector<std::optional<TimedCeilings>> all;
  for (const runtime::KernelTiming& timing : report.kernels) {
    all.emplace_back();
    if (timing.is_view || timing.missing) continue;
    const auto stages = TRY(session.kernel(timing.group, cancellation));
    const auto asked = roofline_question(*stages, machine, report.threads);
    const auto [traffic, fresh] = known.try_emplace(computation_of(asked));
    if (fresh)
      traffic->second = roofline::traffic_of(asked.lowered, asked.initial, asked.symbols, machine);
    const double milliseconds = timing.time.median_ms;
    TimedCeilings& timed = all.back().emplace();
    timed.ceilings = roofline::ceilings_of(
        is_cold ? with_cold_constants(traffic->second, constant_bytes(stages->use, *graph))
                : traffic->second,
        roofs, milliseconds);
    if (const double peak = roofs.gflops(traffic->second.type); peak > 0 && milliseconds > 0)
      timed.share_of_peak = traffic->second.useful_flops / milliseconds * 1e-6 / peak;
  }
  return all;
}

}  // namespace loopglass
