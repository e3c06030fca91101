// All strategies over the same graph, with what is asked of the plan, and a partition by hand where
// there is one; two of them compared. A row can be made the strategy in use.
#pragma once

#include "views/fusion/plan_trials.h"

namespace loopglass::views {

class StrategyTable : public PlanTrials {
  Q_OBJECT

 public:
  explicit StrategyTable(Document* document, QWidget* parent = nullptr);

 private:
  void follow();

  Document* document_;
  // What the outcomes are of.
  std::shared_ptr<const graph::Graph> graph_;
  fusion::Constraints constraints_;
  fusion::EditScript edits_;
};

}  // namespace loopglass::views
