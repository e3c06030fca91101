// What a person asks of the fusion plan, with what was asked before and what was taken back.
#pragma once

#include "core/fusion/edits.h"

#include <QString>

#include <vector>

namespace loopglass::views {

struct PlanAsked {
  std::string strategy;
  fusion::Constraints constraints;  // by nodes of the last graph
  fusion::EditScript edits;
  friend bool operator==(const PlanAsked&, const PlanAsked&) = default;
};

// What was done between the two, as it would be typed: "force conv1:relu1", "strategy dp",
// "merge conv1, relu1".
QString change_words(const PlanAsked& from, const PlanAsked& to, const graph::Graph* graph);

class PlanHistory {
 public:
  explicit PlanHistory(PlanAsked first = {});

  const PlanAsked& now() const { return states_[at_]; }
  const PlanAsked* before() const { return at_ > 0 ? &states_[at_ - 1] : nullptr; }
  const PlanAsked* after() const { return at_ + 1 < states_.size() ? &states_[at_ + 1] : nullptr; }

  void add(PlanAsked asked);    // what was undone is forgotten
  void amend(PlanAsked asked);  // in the place of what is asked now
  // Another graph has other nodes. Steps that asked for nothing else go.
  void forget_constraints();
  void undo() { at_ -= before() != nullptr; }
  void redo() { at_ += after() != nullptr; }

  friend bool operator==(const PlanHistory&, const PlanHistory&) = default;

 private:
  std::vector<PlanAsked> states_;  // never empty
  std::size_t at_ = 0;
};

}  // namespace loopglass::views
