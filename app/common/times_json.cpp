#include "app/common/times_json.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

nlohmann::ordered_json to_json(const runtime::Statistics& time) {
  return {{"median_us", microseconds(time.median_ms)},
          {"lower_quartile_us", microseconds(time.lower_quartile_ms)},
          {"upper_quartile_us", microseconds(time.upper_quartile_ms)},
          {"minimum_us", microseconds(time.minimum_ms)},
          {"rounds", time.rounds}};
}

nlohmann::ordered_json to_json(const std::optional<MachineLoad>& load, int threads) {
  if (!load) return nullptr;
  return {{"others", load->others},
          {"processors", load->processors},
          {"busy", is_busy(*load, threads)}};
}

}  // namespace loopglass::app
