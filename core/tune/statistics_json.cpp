#include "core/tune/statistics_json.h"

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
  // From a picosecond to a century.
  const auto is_time = [](double ms) { return ms >= 1e-9 && ms <= 1e13; };
  if (!is_time(time.median_ms) || !is_time(time.lower_quartile_ms) ||
      !is_time(time.upper_quartile_ms) || !is_time(time.minimum_ms) || time.rounds < 1)
    throw std::invalid_argument("a time that is none");
  return time;
}

}  // namespace loopglass::tune
