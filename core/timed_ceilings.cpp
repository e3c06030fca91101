#include "core/timed_ceilings.h"

#include "core/network_roofline.h"

#include <map>

namespace loopglass {

Result<std::vector<std::optional<TimedCeilings>>> timed_ceilings(
    Session& session, const runtime::BenchmarkReport& report, const roofline::Roofs& roofs,
    const Cancellation& cancellation) {
  const Machine& machine = session.toolchain().machine;
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
    timed.ceilings = roofline::ceilings_of(traffic->second, roofs, milliseconds);
    if (const double peak = roofs.gflops(traffic->second.type); peak > 0 && milliseconds > 0)
      timed.share_of_peak = traffic->second.useful_flops / milliseconds * 1e-6 / peak;
  }
  return all;
}

}  // namespace loopglass
