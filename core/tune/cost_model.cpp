#include "core/tune/cost_model.h"

#include "core/tune/models/models.h"

namespace loopglass::tune {

const std::vector<CostModelKind>& all_cost_model_kinds() {
  static const std::vector<CostModelKind> table{
      {"none", "a black box: only what was measured counts",
       [](std::uint64_t) { return std::unique_ptr<CostModel>(); }},
      {"trees-loops", "boosted trees over AutoTVM's features, loop by loop", trees_over_loops},
      {"trees-stores", "boosted trees over Ansor's 164 features of each store", trees_over_stores},
      {"net", "a feed-forward net over the features of each store", feed_forward_net},
      {"analytical", "counted from the nest and the machine: registers, loads, caches",
       [](std::uint64_t) { return analytical_model(); }},
  };
  return table;
}

const CostModelKind* find_cost_model_kind(std::string_view name) {
  for (const CostModelKind& kind : all_cost_model_kinds())
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace loopglass::tune
