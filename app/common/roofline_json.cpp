#include "app/common/roofline_json.h"
#include "app/common/times_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace loopglass::app {

using Json = nlohmann::ordered_json;

Json to_json(const roofline::Roofs& roofs) {
  Json json{{"threads", roofs.threads},
            {"float32_gflops", roofs.float32_gflops},
            {"float64_gflops", roofs.float64_gflops},
            {"byte_products_gflops", roofs.byte_products_gflops},
            {"launch_us", roofs.launch_microseconds},
            {"gigahertz", roofs.gigahertz}};
  json["levels"] = Json::array();
  for (const roofline::LevelRoof& level : roofs.levels)
    json["levels"].push_back({{"name", level.name},
                              {"bytes", level.bytes > 0 ? Json(level.bytes) : Json()},
                              {"gigabytes_per_second", level.gigabytes_per_second}});
  return json;
}

std::optional<roofline::Roofs> roofs_from_json(const Json& json) {
  const auto number = [](const Json& object, const char* key) {
    const auto found = object.find(key);
    const double value = found != object.end() && found->is_number() ? found->get<double>() : 0;
    return std::isfinite(value) && value > 0 ? value : 0;
  };
  if (!json.is_object()) return std::nullopt;
  roofline::Roofs roofs;
  roofs.threads = static_cast<int>(number(json, "threads"));
  roofs.float32_gflops = number(json, "float32_gflops");
  roofs.float64_gflops = number(json, "float64_gflops");
  roofs.byte_products_gflops = number(json, "byte_products_gflops");
  roofs.launch_microseconds = number(json, "launch_us");
  roofs.gigahertz = number(json, "gigahertz");
  const auto levels = json.find("levels");
  if (levels == json.end() || !levels->is_array() || levels->size() != roofline::levels.size())
    return std::nullopt;
  for (std::size_t l = 0; l < levels->size(); ++l) {
    const Json& level = levels->at(l);
    if (!level.is_object()) return std::nullopt;
    roofs.levels.push_back(
        {level.value("name", Json()).is_string() ? level["name"].get<std::string>() : "",
         static_cast<std::int64_t>(number(level, "bytes")), number(level, "gigabytes_per_second")});
    if (roofs.levels.back().gigabytes_per_second <= 0) return std::nullopt;
  }
  const bool is_whole = roofs.threads > 0 && roofs.float32_gflops > 0 && roofs.float64_gflops > 0 &&
                        roofs.byte_products_gflops > 0 && roofs.gigahertz > 0;
  return is_whole ? std::optional(std::move(roofs)) : std::nullopt;
}

namespace {

Json to_json(const roofline::Traffic& traffic) {
  return {{"L1", traffic.l1}, {"L2", traffic.l2}, {"L3", traffic.l3}, {"memory", traffic.memory}};
}

Json to_json(const ScheduleTrail& trail) {
  Json steps = Json::array();
  for (const TrailStep& step : trail.steps) {
    const roofline::Verdict& verdict = step.verdict;
    steps.push_back({{"step", step.step},
                     {"primitive", step.primitive},
                     {"line", step.line},
                     {"time_us", microseconds(verdict.milliseconds)},
                     {"gflops", verdict.gflops()},
                     {"traffic_bytes", to_json(verdict.traffic)},
                     {"share_of_roof", verdict.share_of_roof()},
                     {"bound", roofline::name(verdict.bound)},
                     {"sentence", verdict.sentence}});
  }
  return {{"steps", std::move(steps)}, {"left_out", trail.left_out}};
}

}  // namespace

Json to_json(const KernelVerdict& kernel) {
  const roofline::Verdict& verdict = kernel.verdict;
  const roofline::Traffic& traffic = verdict.traffic;
  Json json{{"name", kernel.kernel},
            {"alone_us", microseconds(verdict.milliseconds)},
            {"network_us", kernel.network_ms > 0 ? Json(microseconds(kernel.network_ms)) : Json()},
            {"threads", verdict.threads},
            {"flops", traffic.useful_flops},
            {"flops_computed", traffic.flops},
            {"type", name(traffic.type)},
            {"gflops", verdict.gflops()},
            {"traffic_bytes", to_json(traffic)},
            {"share_of_roof", verdict.share_of_roof()},
            {"bound", roofline::name(verdict.bound)},
            {"sentence", kernel.sentence()},
            {"notes", verdict.notes},
            {"otherwise_us", microseconds(verdict.otherwise_ms)},
            {"advice", roofline::advice(verdict.bound)}};
  json["ceilings"] = Json::array();
  for (const roofline::Ceiling& ceiling : verdict.ceilings)
    json["ceilings"].push_back({{"bound", roofline::name(ceiling.bound)},
                                {"time_us", microseconds(ceiling.milliseconds)},
                                {"share", ceiling.share}});
  json["experiments"] = Json::array();
  for (const roofline::Trial& trial : verdict.trials)
    json["experiments"].push_back({{"name", roofline::name(trial.experiment)},
                                   {"time_us", microseconds(trial.milliseconds)}});
  if (const auto& pipeline = kernel.pipeline)
    json["pipeline"] = {{"processor", pipeline->processor},
                        {"modelled_cycles", pipeline->modelled_cycles},
                        {"measured_cycles", pipeline->measured_cycles},
                        {"busiest_port", pipeline->busiest_port},
                        {"busy_cycles", pipeline->busy_cycles},
                        {"waiting_for_ports", pipeline->waiting_for_ports},
                        {"waiting_for_results", pipeline->waiting_for_results}};
  if (kernel.trail) json["trail"] = to_json(*kernel.trail);
  return json;
}

}  // namespace loopglass::app
