#include "app/common/roofline_json.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

using Json = nlohmann::ordered_json;

Json to_json(const roofline::Roofs& roofs) {
  Json json{{"threads", roofs.threads},
            {"float32_gflops", roofs.float32_gflops},
            {"float64_gflops", roofs.float64_gflops},
            {"launch_us", roofs.launch_microseconds},
            {"gigahertz", roofs.gigahertz}};
  json["levels"] = Json::array();
  for (const roofline::LevelRoof& level : roofs.levels)
    json["levels"].push_back({{"name", level.name},
                              {"bytes", level.bytes > 0 ? Json(level.bytes) : Json()},
                              {"gigabytes_per_second", level.gigabytes_per_second}});
  return json;
}

Json to_json(const KernelVerdict& kernel) {
  const roofline::Verdict& verdict = kernel.verdict;
  const roofline::Traffic& traffic = verdict.traffic;
  Json json{
      {"name", kernel.kernel},
      {"ms", verdict.milliseconds},
      {"network_ms", kernel.network_ms > 0 ? Json(kernel.network_ms) : Json()},
      {"threads", verdict.threads},
      {"flops", traffic.useful_flops},
      {"flops_computed", traffic.flops},
      {"type", name(traffic.type)},
      {"gflops", verdict.gflops()},
      {"bytes",
       {{"L1", traffic.l1}, {"L2", traffic.l2}, {"L3", traffic.l3}, {"memory", traffic.memory}}},
      {"share_of_roof", verdict.share_of_roof()},
      {"bound", roofline::name(verdict.bound)},
      {"sentence", kernel.sentence()},
      {"notes", verdict.notes},
      {"otherwise_ms", verdict.otherwise_ms},
      {"advice", roofline::advice(verdict.bound)}};
  json["ceilings"] = Json::array();
  for (const roofline::Ceiling& ceiling : verdict.ceilings)
    json["ceilings"].push_back({{"bound", roofline::name(ceiling.bound)},
                                {"ms", ceiling.milliseconds},
                                {"share", ceiling.share}});
  json["experiments"] = Json::array();
  for (const roofline::Trial& trial : verdict.trials)
    json["experiments"].push_back(
        {{"name", roofline::name(trial.experiment)}, {"ms", trial.milliseconds}});
  if (const auto& pipeline = kernel.pipeline)
    json["pipeline"] = {{"processor", pipeline->processor},
                        {"modelled_cycles", pipeline->modelled_cycles},
                        {"measured_cycles", pipeline->measured_cycles},
                        {"busiest_port", pipeline->busiest_port},
                        {"busy_cycles", pipeline->busy_cycles},
                        {"waiting_for_ports", pipeline->waiting_for_ports},
                        {"waiting_for_results", pipeline->waiting_for_results}};
  return json;
}

}  // namespace loopglass::app
