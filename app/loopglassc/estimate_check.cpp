#include "app/loopglassc/estimate_check.h"

#include "app/common/status_line.h"
#include "app/loopglassc/declare.h"
#include "core/fusion/cost_model.h"
#include "core/fusion/estimate_quality.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;
using fusion::EstimateQuality;

struct Predictions {
  std::string kind;  // of kernels
  std::vector<fusion::Prediction> each;
};

// Of all kernels, then kind by kind. The constants alone: what was measured is no estimate.
Result<std::vector<Predictions>> predictions(Session& session, int rounds) {
  const auto graph = TRY(session.graph());
  const auto plan = TRY(session.plan());
  const fusion::BlockRules rules(*graph);
  const fusion::CostModel cost(session.cost_model()->machine());
  StatusLine status;
  const runtime::BenchmarkReport report = TRY(session.benchmark(
      {.threads = 1, .rounds = rounds, .on_round = {}, .cancellation = {}}, status.progress()));
  status.end();
  std::vector<Predictions> found{{"all", {}}};
  for (const fusion::KernelClass kind : fusion::kernel_classes)
    found.push_back({std::string(name(kind)), {}});
  for (const runtime::KernelTiming& kernel : report.kernels) {
    if (kernel.is_view || kernel.time.minimum_ms <= 0) continue;
    std::vector<std::size_t> nodes;
    for (const graph::NodeId id : plan->group(kernel.group).nodes)
      nodes.push_back(graph->position(id));
    std::sort(nodes.begin(), nodes.end());
    // The fastest round: whatever else the machine did only adds to it.
    const fusion::Prediction prediction{cost.cost(rules, nodes).total,
                                        kernel.time.minimum_ms * 1e3};
    found.front().each.push_back(prediction);
    found[1 + static_cast<std::size_t>(cost.kernel_class(rules, nodes))].each.push_back(prediction);
  }
  return found;
}

Json to_json(const EstimateQuality& quality, const std::string& kind) {
  return {{"kind", kind},
          {"kernel_count", quality.kernels},
          {"rank_correlation", quality.rank_correlation},
          {"median_ratio", quality.median_ratio},
          {"lower_quartile_ratio", quality.lower_quartile_ratio},
          {"upper_quartile_ratio", quality.upper_quartile_ratio}};
}

void print(const EstimateQuality& quality, const std::string& kind) {
  fmt::print("{:<16}{:>9}{:>13.3f}{:>12.3f}{:>12.3f}{:>12.3f}\n", kind, quality.kernels,
             quality.rank_correlation, quality.lower_quartile_ratio, quality.median_ratio,
             quality.upper_quartile_ratio);
}

}  // namespace

Result<Exit> check_estimates(const std::string& model, int rounds, bool json) {
  ModelOptions options;
  options.model = model;
  TRY_VOID(take_session(options));
  const auto session = TRY(open_session(options));
  Json rows = Json::array();
  if (!json)
    fmt::print("{:<16}{:>9}{:>13}  measured / estimated: quartile, median, quartile\n", "kernels",
               "number", "rank corr.");
  for (const Predictions& of : TRY(predictions(*session, rounds))) {
    if (of.each.empty()) continue;
    const EstimateQuality quality = fusion::quality_of(of.each);
    if (json) rows.push_back(to_json(quality, of.kind));
    else print(quality, of.kind);
  }
  if (json)
    print_json(Schema::CalibrateCheck, session->model_name(), Json{{"kinds", std::move(rows)}});
  return Exit::Good;
}

}  // namespace loopglass::app
