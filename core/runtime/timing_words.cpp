#include "core/runtime/timing_words.h"

#include <fmt/format.h>

namespace loopglass::runtime {

double spread(const Statistics& time) {
  return time.median_ms > 0 ? (time.upper_quartile_ms - time.lower_quartile_ms) / time.median_ms : 0;
}

std::string trust_words(const Statistics& time, const std::optional<MachineLoad>& load, int threads) {
  std::string words = fmt::format("spread {:.{}f} %", 100 * spread(time), spread(time) < 0.0995 ? 1 : 0);
  if (load)
    words += fmt::format(", others took {:.1f} of {} processors{}", load->others, load->processors,
                         is_busy(*load, threads) ? ": busy" : "");
  return words;
}

}  // namespace loopglass::runtime
