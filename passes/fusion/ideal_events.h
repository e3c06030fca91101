// What a search over ideals tells of itself: the sets that it followed, and what it did not follow.
#pragma once

#include "core/fusion/estimate_words.h"
#include "passes/fusion/ideal.h"
#include "passes/fusion/ideal_search.h"

namespace loopglass::passes {

class IdealEvents {
 public:
  // Nothing is told unless the options ask for it; all are kept.
  IdealEvents(const fusion::BlockRules& rules, const Units& units, const fusion::CostModel& cost,
              const IdealSearchOptions& options)
      : graph_(rules.graph()), units_(units), options_(options), words_(cost, options.whole) {}

  void followed(const Ideal& ideal, const Way& way);
  void pruned_by_bound(const Way& way);
  void outside_beam(const Ideal& ideal, const Way& way);

  std::vector<fusion::PlanEvent> take() { return std::move(events_); }

 private:
  void record(fusion::PlanEvent::Kind kind, fusion::Reason reason, std::string sentence,
              const Way& way);
  void add_nodes(const Block& block);  // to the last event
  std::string names(const Block& block) const;

  const graph::Graph& graph_;
  const Units& units_;
  const IdealSearchOptions& options_;
  const fusion::EstimateWords words_;
  std::vector<fusion::PlanEvent> events_;
};

}  // namespace loopglass::passes
