#include "app/loopglassc/turns_json.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

nlohmann::ordered_json to_json(const runtime::TimesInTurns& times) {
  return {{"ratio", times.ratio},
          {"lower_quartile_ratio", times.lower_ratio},
          {"upper_quartile_ratio", times.upper_ratio},
          {"turns", times.turns},
          {"agreeing", times.agreeing},
          {"chance", runtime::chance(times)},
          {"certain", runtime::is_certain(times)}};
}

}  // namespace loopglass::app
