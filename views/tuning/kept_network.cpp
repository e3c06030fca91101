#include "views/tuning/kept_network.h"

#include "core/support/whole_file.h"
#include "core/tune/statistics_json.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace loopglass::views {

namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 2;

Json statistics(const runtime::Statistics& time) {
  Json json = Json::object();
  tune::add_statistics(json, time);
  return json;
}

Json in_turns(const runtime::TimesInTurns& turns) {
  return {{"ratio", turns.ratio},
          {"lower_ratio", turns.lower_ratio},
          {"upper_ratio", turns.upper_ratio},
          {"turns", turns.turns},
          {"agreeing", turns.agreeing}};
}
// Throws where they are none.
runtime::TimesInTurns turns_in(const Json& json) {
  return {.ratio = json.at("ratio").get<double>(),
          .lower_ratio = json.at("lower_ratio").get<double>(),
          .upper_ratio = json.at("upper_ratio").get<double>(),
          .turns = json.at("turns").get<int>(),
          .agreeing = json.at("agreeing").get<int>()};
}

}  // namespace

std::filesystem::path network_file(const std::filesystem::path& folder, std::uint64_t graph) {
  return folder / "networks" / fmt::format("{:016x}.json", graph);
}

Result<void> keep_network(const std::filesystem::path& file, const KeptNetwork& network) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  Json json{{"loopglass_network", version}, {"run", network.run}, {"threads", network.threads}};
  if (network.times)
    json["times"] = {{"untuned", statistics(network.times->untuned)},
                     {"tuned", statistics(network.times->tuned)},
                     {"in_turns", in_turns(network.times->turns)}};
  WholeFile whole = TRY(WholeFile::create(file));
  TRY_VOID(whole.write(json.dump() + "\n"));
  return whole.put_in_place();
}

std::optional<KeptNetwork> kept_network(const std::filesystem::path& file) {
  std::ifstream stream(file);
  try {
    const Json json = Json::parse(stream);
    if (json.at("loopglass_network").get<int>() != version) return std::nullopt;
    KeptNetwork network{json.at("run").get<std::string>(), json.at("threads").get<int>()};
    if (network.threads < 1) return std::nullopt;
    if (const auto times = json.find("times"); times != json.end()) {
      const auto untuned = tune::statistics_in(times->at("untuned")),
                 tuned = tune::statistics_in(times->at("tuned"));
      if (untuned && tuned)
        network.times = NetworkTimes{*untuned, *tuned, turns_in(times->at("in_turns"))};
    }
    return network;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace loopglass::views
