#include "core/runtime/timing_words.h"

#include "core/support/readable_time.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::runtime {

double spread(const Statistics& time) {
  return time.median_ms > 0 ? (time.upper_quartile_ms - time.lower_quartile_ms) / time.median_ms
                            : 0;
}

bool is_unsteady(const Statistics& time) {
  constexpr double much = 0.3;
  return spread(time) > much;
}

std::string trust_words(const Statistics& time, const std::optional<MachineLoad>& load,
                        int threads) {
  std::string words =
      fmt::format("spread {:.{}f} %{}", 100 * spread(time), spread(time) < 0.0995 ? 1 : 0,
                  is_unsteady(time) ? ": unsteady" : "");
  if (load) words += ", " + load_words(*load, threads);
  return words;
}

std::string load_words(const MachineLoad& load, int threads) {
  return fmt::format("others took {:.1f} of {} processors{}", load.others, load.processors,
                     is_busy(load, threads) ? ": busy" : "");
}

double sum_of_kernels(const BenchmarkReport& report) {
  double sum = 0;
  for (const KernelTiming& kernel : report.kernels)
    if (!kernel.is_view && !kernel.missing) sum += kernel.time.median_ms;
  return sum;
}

std::string sum_words(const BenchmarkReport& report) {
  const double sum = sum_of_kernels(report);
  std::string words = fmt::format("the kernels' medians, of which shares are, add up to {}",
                                  readable_time(Milliseconds(sum)));
  if (const double more = report.network.median_ms - sum; more > 0.05 * sum)
    words += fmt::format(
        "; a round takes {} more, between kernels and where now one, now another is interrupted",
        readable_time(Milliseconds(more)));
  return words;
}

bool is_nothing_timed(const BenchmarkReport& report) {
  const auto is_missing = [](const KernelTiming& kernel) { return kernel.missing.has_value(); };
  return std::ranges::any_of(report.kernels, is_missing) &&
         std::ranges::all_of(report.kernels, [&](const KernelTiming& kernel) {
           return kernel.is_view || is_missing(kernel);
         });
}

}  // namespace loopglass::runtime
