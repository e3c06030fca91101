// What dynamic programming tells of itself, step by step: what was contracted, the regions, each
// round of the search with its beam, the sets of operators of the last one, and the way that was
// chosen.
#pragma once

#include "core/fusion/estimate_words.h"
#include "passes/fusion/ideal_search.h"

namespace loopglass::passes {

class SearchSteps {
 public:
  // Tells nothing unless `record`; all are kept.
  // `known`: what the greedy plan costs, which is 100 % where there are no times.
  SearchSteps(const fusion::BlockRules& rules, const Units& units, const fusion::CostModel& cost,
              double known, bool record)
      : rules_(rules), units_(units), words_(cost, known), record_(record) {}

  void begin_region(std::size_t number, std::size_t regions, std::size_t first, std::size_t last);
  // Of a structure that was planned before.
  void same_as(std::size_t number);
  // What a search found. Of all rounds of a region, the sets of the last one that had time to end
  // are shown.
  void round(const IdealSearchOptions& options, IdealSearchResult& result);
  void end_region();

  // All that was told, between what the plan began with and the kernels that it ended with.
  // `greedy`: what the plan costs that the search had to get below; `kept`: it was kept.
  std::vector<fusion::PlanEvent> of(const fusion::Plan& plan, const fusion::CostModel& cost,
                                    const std::set<fusion::Edge>& forced, double greedy, bool kept);

 private:
  using Numbers = std::vector<std::pair<std::string, double>>;

  void phase(std::string sentence, Numbers numbers = {});
  void tell_units(const fusion::Plan& plan, const std::set<fusion::Edge>& forced,
                  std::vector<fusion::PlanEvent>& events) const;
  void tell_kernels(const fusion::Plan& plan, const fusion::CostModel& cost,
                    std::vector<fusion::PlanEvent>& events) const;

  const fusion::BlockRules& rules_;
  const Units& units_;
  const fusion::EstimateWords words_;
  bool record_;
  std::size_t rounds_ = 0;                 // of the region
  std::vector<fusion::PlanEvent> events_;  // of all regions
  std::vector<fusion::PlanEvent> sets_;    // of the round that is shown
  std::size_t shown_ = 0;                  // where in events_ these belong
};

// "conv1, relu1, ..., conv3, relu3 (6 operators)"; of few, all; positions.
std::string names_of(const graph::Graph& graph, const std::vector<std::size_t>& nodes);

}  // namespace loopglass::passes
