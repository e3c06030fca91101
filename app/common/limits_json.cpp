#include "app/common/limits_json.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

std::string to_json(const std::vector<schedule::LimitRemark>& limits) {
  auto json = nlohmann::ordered_json::array();
  for (const schedule::LimitRemark& limit : limits)
    json.push_back({{"limit", schedule::name(limit.limit)}, {"text", limit.text}});
  return json.dump();
}

}  // namespace loopglass::app
