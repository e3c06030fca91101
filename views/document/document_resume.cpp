// Opening a model as it was left: what was asked of it, and the place.
#include "views/document/document.h"
#include "views/document/saved_asked.h"

#include <algorithm>

namespace loopglass::views {
namespace {

// Edges of other passes go by number, which means something only where all is as it was.
AskedHistory history_of(const SavedGraph& session, Asked now, const Toolchain& toolchain) {
  std::vector<Diagnostic> ignored;
  std::vector<Asked> states;
  for (const SavedAsked& change : session.undo)
    states.push_back(from_saved(change, toolchain, ignored));
  const std::size_t at = states.size();
  states.push_back(std::move(now));
  for (const SavedAsked& change : session.redo)
    states.push_back(from_saved(change, toolchain, ignored));
  if (!ignored.empty()) return AskedHistory(std::move(states[at]));
  return AskedHistory(std::move(states), at);
}

}  // namespace

void Document::resume_asked() {
  resume_problems_.clear();
  const SavedGraph saved = graph_of(*resume_, subgraph_path(source_));
  Asked now = from_saved(saved.asked, toolchain_, resume_problems_);
  workloads_ = saved.workloads;
  for (const SavedSchedule& draft : saved.drafts) drafts_[draft.workload] = draft;
  for (const RefusedSchedule& refused : refused_schedules_)
    if (std::ranges::find(now.schedules, refused.schedule) != now.schedules.end())
      resume_problems_.push_back(refused.reason);
  put_asked_history(history_of(saved, std::move(now), toolchain_));
  history_->set_walks_changes_only(resume_->changed_only);
  emit pipelineChanged();
}

// Before there is a plan. What was asked of the same passes names its edges, too.
void Document::resume_edges() {
  const SavedGraph graph = graph_of(*resume_, subgraph_path(source_));
  std::vector<const SavedAsked*> saved;
  for (const SavedAsked& change : graph.undo) saved.push_back(&change);
  const std::size_t now = saved.size();
  saved.push_back(&graph.asked);
  for (const SavedAsked& change : graph.redo) saved.push_back(&change);
  std::vector<Asked> states = asked_history_.states();
  const bool all = states.size() == saved.size();
  std::vector<Diagnostic> ignored;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!states[i].same_passes(asked())) continue;
    const bool is_now = i == asked_history_.at();
    const SavedAsked& asked = *saved[all ? i : now];
    states[i].plan.constraints = find_constraints(asked.request, *history_->last_graph(),
                                                  is_now ? resume_problems_ : ignored);
    if (!is_now || !asked.request.uses_edits()) continue;
    PlanAsked& plan = states[i].plan;
    plan.edits.edits = find_edits(asked.request, *history_->last_graph(), resume_problems_).edits;
    if (plan.edits.edits.empty()) plan.strategy = strategy_without_edits();
  }
  AskedHistory history(std::move(states), asked_history_.at());
  if (source_.is_other_graph) history.share_with_model();
  put_asked_history(std::move(history));
}

void Document::resume_place() {
  const auto find = [&](const std::string& text) -> std::optional<pass::Position> {
    if (text.empty()) return {};
    auto place = pass::parse_position(text, *history_->recorded());
    if (place) return *place;
    resume_problems_.push_back(std::move(place).error());
    return {};
  };
  const SavedGraph saved = graph_of(*resume_, subgraph_path(source_));
  history_->pin_base(find(saved.compared_with));
  history_->set_position(find(saved.place.at).value_or(history_->position()));
  const auto session = std::exchange(resume_, nullptr);
  emit resumed(*session, std::exchange(resume_problems_, {}));
}

// Where operators go by number and another Loopglass gave them others.
void Document::leave_unknown_edges() {
  const auto is_unknown = [graph = history_->last_graph()](const fusion::Edge& edge) {
    return !graph->find(edge.producer) || !graph->find(edge.consumer);
  };
  Asked asked = this->asked();
  if (std::erase_if(asked.plan.constraints.forced, is_unknown) +
          std::erase_if(asked.plan.constraints.forbidden, is_unknown) ==
      0)
    return;
  AskedHistory history = asked_history_;
  history.amend(std::move(asked));
  put_asked_history(std::move(history));
}

// Whichever of its graphs is open, a model has the same breakpoints and bookmarks.
void Document::keep_of_model(const Asked& asked) {
  Asked now = this->asked();
  now.breakpoints = asked.breakpoints;
  now.bookmarks = asked.bookmarks;
  if (now == this->asked()) return;
  AskedHistory history = asked_history_;
  history.amend(std::move(now));
  put_asked_history(std::move(history));
}

}  // namespace loopglass::views
