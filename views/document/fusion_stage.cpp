#include "views/document/fusion_stage.h"

#include "core/fusion/edits.h"
#include "core/session_costs.h"
#include "views/document/history_stage.h"
#include "views/document/lanes.h"
#include "views/document/saved_asked.h"

#include <algorithm>
#include <utility>

namespace loopglass::views {

auto FusionStage::plan_by(Session& session) -> Result<Planned> {
  const auto graph = TRY(session.graph());
  const auto plan = TRY(session.plan());
  const fusion::BlockRules rules(*graph);
  return Planned{plan, fusion::summarise(rules, *plan, *session.cost_model()),
                 groups_by_origin(rules, *plan),
                 loopglass::measured_of(*graph, *plan, session.toolchain().machine),
                 fusion::plan_saving(rules, *plan)};
}

void FusionStage::ask(const QString& title, std::function<void(Planned)> done) {
  jobs_->run<Planned>(
      lanes::plan, title, [session = session_](const JobContext&) { return plan_by(*session); },
      std::move(done), [this](const Diagnostic& diagnostic) { emit refused(diagnostic); });
}

void FusionStage::derive() {
  board_->set(Stage::Plan, StageState::Working);
  ask(tr("Fusing operators"), [this](Planned planned) { accept(std::move(planned)); });
}

void FusionStage::accept(Planned planned) {
  plan_ = std::move(planned.plan);
  summary_ = std::move(planned.summary);
  measured_of_ = std::move(planned.measured_of);
  saving_ = planned.saving;
  group_of_origin_ = std::move(planned.group_of_origin);
  for (const std::string& edge : std::exchange(to_reveal_, {}))
    if (const auto found = fusion::find_edge(*history_.last_graph(), edge)) {
      revealed_.insert(*found);
      remember_told(*found);
    }
  // What somebody was told they know still, where another plan says the same.
  for (const auto& [edge, fused] : told_)
    if (const auto found = fusion::find_edge(*history_.last_graph(), edge);
        found && guessing_ && is_fused(*found) == fused)
      revealed_.insert(*found);
  emit made();
  board_->set(Stage::Plan, StageState::Ready);
  emit planChanged();
  selection_->refresh();
  emit ready();
}

void FusionStage::weigh() {
  ask(tr("Weighing the plan"), [this](Planned planned) { replace(std::move(planned)); });
}

void FusionStage::replace(Planned planned) {
  const auto members = [](const fusion::Plan& plan) {
    std::vector<std::vector<graph::NodeId>> groups;
    for (const fusion::Group& group : plan.groups) groups.push_back(group.nodes);
    return groups;
  };
  if (!plan_ || members(*plan_) != members(*planned.plan)) {
    emit replacing();
    return accept(std::move(planned));
  }
  plan_ = std::move(planned.plan);
  summary_ = std::move(planned.summary);
  emit planChanged();
}

void FusionStage::drop(const std::function<void()>& drop_rest) {
  jobs_->cancel(lanes::plan);
  plan_.reset();
  group_of_origin_.clear();
  revealed_.clear();
  if (std::holds_alternative<SelectedGroup>(selection_->current())) selection_->clear();
  board_->set(Stage::Plan, StageState::Empty);
  drop_rest();
  emit planChanged();
}

fusion::GroupId FusionStage::group_of(const graph::Node& node) const {
  return plan_ ? views::group_of(node, *plan_, group_of_origin_) : fusion::GroupId{};
}

fusion::GroupId FusionStage::group_of(graph::NodeId id) const {
  if (!plan_) return {};
  if (const auto member = plan_->membership.find(id); member != plan_->membership.end())
    return member->second;
  const graph::Node* node = history_.graph()->find(id);
  return node ? group_of(*node) : fusion::GroupId{};
}

// --- what is shown of it ---

void FusionStage::compare(std::optional<ComparedPlans> plans) {
  if (!plans && !compared_) return;
  compared_ = std::move(plans);
  emit comparedPlansChanged();
}

void FusionStage::show_moment(std::optional<PlanMoment> moment) {
  if (moment == moment_) return;
  moment_ = std::move(moment);
  emit planMomentChanged();
}

void FusionStage::set_guessing(bool guessing) {
  if (guessing == guessing_) return;
  guessing_ = guessing;
  forget_guesses();
  emit guessingChanged();
}

std::optional<bool> FusionStage::is_fused(const fusion::Edge& edge) const {
  const auto found = std::ranges::find_if(plan_->decisions, [&](const fusion::Decision& decision) {
    return decision.producer == edge.producer && decision.consumer == edge.consumer;
  });
  return found == plan_->decisions.end() ? std::nullopt : std::optional(found->fused);
}

void FusionStage::remember_told(const fusion::Edge& edge) {
  if (const auto fused = plan_ ? is_fused(edge) : std::nullopt)
    told_[edge_texts({edge}, history_.last_graph().get()).front()] = *fused;
}

void FusionStage::forget_guesses() {
  told_.clear();
  revealed_.clear();
  to_reveal_.clear();
  score_ = {};
}

void FusionStage::count_guess(bool right) {
  ++score_.guesses;
  score_.right += right;
}

std::optional<SavedGuesses> FusionStage::saved_guesses() const {
  if (!guessing_) return std::nullopt;
  SavedGuesses saved{edge_texts(revealed_, history_.last_graph().get()), score_.right,
                     score_.guesses};
  saved.told.insert(saved.told.end(), to_reveal_.begin(), to_reveal_.end());
  return saved;
}

void FusionStage::resume(const std::optional<SavedGuesses>& guesses) {
  set_guessing(guesses.has_value());
  if (!guesses) return;
  to_reveal_ = guesses->told;
  score_ = {guesses->right, guesses->count};
}

void FusionStage::reveal(const fusion::Edge& edge) {
  if (!guessing_ || !revealed_.insert(edge).second) return;
  remember_told(edge);
  emit guessingChanged();
}

}  // namespace loopglass::views
