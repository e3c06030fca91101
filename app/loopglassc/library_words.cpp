#include "app/loopglassc/library_words.h"

#include "app/common/times_json.h"
#include "core/support/readable_time.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopglass::app {

using Json = nlohmann::ordered_json;

Json to_json(library::Library& library) {
  return {{"library", library.name()},
          {"version", library.version()},
          {"instruction_set", library.instruction_set()},
          {"threading_runtime", library.threading_runtime()}};
}

Json to_json(const library::Attempt& attempt) {
  Json json{{"implementation", attempt.implementation}, {"layouts", attempt.layouts}};
  const Json times = median_and_quartiles(attempt.time);
  for (const auto& [key, time] : times.items()) json[key] = attempt.is_reference ? Json() : time;
  return json;
}

Json to_json(const library::Ratio& ratio) {
  return {{"median", ratio.median}, {"low", ratio.low}, {"high", ratio.high}};
}

Json median_and_quartiles(const runtime::Statistics& time) {
  return {{"median_us", microseconds(time.median_ms)},
          {"lower_quartile_us", microseconds(time.lower_quartile_ms)},
          {"upper_quartile_us", microseconds(time.upper_quartile_ms)}};
}

std::string words(const library::Attempt& attempt) {
  return attempt.is_reference ? "none" : readable_milliseconds(attempt.time.median_ms);
}

std::string words(const library::Ratio& ratio) {
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", ratio.median, ratio.low, ratio.high);
}

}  // namespace loopglass::app
