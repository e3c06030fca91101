#include "core/tune/statistics_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace loopglass::tune {

void add_statistics(nlohmann::ordered_json& json, const runtime::Statistics& time) {
  json["median_ms"] = time.median_ms;
  json["lower_quartile_ms"] = time.lower_quartile_ms;
  json["upper_quartile_ms"] = time.upper_quartile_ms;
  json["minimum_ms"] = time.minimum_ms;
  json["rounds"] = time.rounds;
}

std::optional<runtime::Statistics> statistics_in(const nlohmann::ordered_json& json) {
  if (!json.contains("median_ms")) return std::nullopt;
  runtime::Statistics time;
  json.at("median_ms").get_to(time.median_ms);
  json.at("lower_quartile_ms").get_to(time.lower_quartile_ms);
  json.at("upper_quartile_ms").get_to(time.upper_quartile_ms);
  json.at("minimum_ms").get_to(time.minimum_ms);
  json.at("rounds").get_to(time.rounds);
  if (!(time.median_ms > 0) || !std::isfinite(time.median_ms))
    throw std::invalid_argument("a time that is none");
  return time;
}

}  // namespace loopglass::tune
