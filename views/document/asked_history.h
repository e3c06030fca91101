// What a person asks of the compiler, with what was asked before and what was taken back.
#pragma once

#include "core/saved_session.h"

#include <QString>

#include <functional>
#include <string>
#include <vector>

namespace loopglass::views {

struct PlanAsked {
  std::string strategy;
  fusion::Constraints constraints;  // by nodes of the last graph
  fusion::EditScript edits;
  friend bool operator==(const PlanAsked&, const PlanAsked&) = default;
};

struct Asked {
  std::string pipeline;  // of graph passes: a preset's name or a pipeline's text
  pass::Settings settings;
  PlanAsked plan;
  // Of these nothing that is compiled depends.
  std::vector<pass::Breakpoint> breakpoints = {};
  std::vector<Bookmark> bookmarks = {};
  // A person's own, of kernels that are different; of these the plan does not depend.
  std::vector<SavedSchedule> schedules = {};
  friend bool operator==(const Asked&, const Asked&) = default;
  // Whether the graphs are those of the other one, too.
  bool same_passes(const Asked& other) const {
    return pipeline == other.pipeline && settings == other.settings;
  }
  bool same_plan(const Asked& other) const { return same_passes(other) && plan == other.plan; }
  bool same_network(const Asked& other) const {
    return same_plan(other) && schedules == other.schedules;
  }
};

// The passes that a pipeline's text or a preset's name means, in their order.
using PassesOf = std::function<std::vector<std::string>(const std::string& pipeline)>;

// What was done between the two, as it would be typed: "force conv1:relu1", "strategy dp",
// "merge conv1, relu1", "passes without fold-constants", "passes fold-constants, simplify",
// "breakpoint remove op=Relu", "bookmark before folding", "schedule of conv1".
QString change_words(const Asked& from, const Asked& to, const graph::Graph* graph,
                     const PassesOf& passes_of);

class AskedHistory {
 public:
  explicit AskedHistory(Asked first = {});
  // `at` of the states is what is asked now.
  AskedHistory(std::vector<Asked> states, std::size_t at);

  const Asked& now() const { return states_[at_]; }
  const Asked* before() const { return at_ > 0 ? &states_[at_ - 1] : nullptr; }
  const Asked* after() const { return at_ + 1 < states_.size() ? &states_[at_ + 1] : nullptr; }

  const std::vector<Asked>& states() const { return states_; }  // the oldest first
  std::size_t at() const { return at_; }

  void add(Asked asked);    // what was undone is forgotten
  void amend(Asked asked);  // in the place of what is asked now
  // What was asked before and after takes on the breakpoints and bookmarks of now. Changes of these
  // alone are no longer any.
  void share_with_model();
  void undo() { at_ -= before() != nullptr; }
  void redo() { at_ += after() != nullptr; }

  friend bool operator==(const AskedHistory&, const AskedHistory&) = default;

 private:
  std::vector<Asked> states_;  // never empty
  std::size_t at_ = 0;
};

}  // namespace loopglass::views
