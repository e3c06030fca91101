// Stage 4 of the document: the fusion plan, and what a person asks of it.
#include "views/document/document.h"
#include "views/document/lanes.h"

#include <algorithm>

namespace loopglass::views {
namespace {

const char* const by_hand = "manual";

// The kernel shown before anyone chooses: the first that multiplies matrices or convolves, since
// that is where the interesting loop nests are.
fusion::GroupId first_interesting_group(const fusion::Plan& plan, const graph::Graph& graph) {
  for (const fusion::Group& group : plan.groups) {
    const ops::Family family = graph.node(group.anchor).op->family;
    if (family == ops::Family::Convolution || family == ops::Family::MatrixProduct) return group.id;
  }
  return plan.groups.empty() ? fusion::GroupId{} : plan.groups.front().id;
}

}  // namespace

// --- what is asked of it ---

QString Document::strategy() const {
  const auto& strategies = toolchain_.strategies;
  if (!plan_inputs_.strategy.empty() || strategies.empty())
    return QString::fromStdString(plan_inputs_.strategy);
  return QString::fromStdString(strategies.front().name);
}

const Diagnostic* Document::plan_refusal() const {
  return plan_refusal_ ? &*plan_refusal_ : nullptr;
}

void Document::set_strategy(const QString& strategy) {
  if (strategy == this->strategy()) return;
  PlanInputs inputs = plan_inputs_;
  inputs.strategy = strategy.toStdString();
  change_plan(std::move(inputs));
}

void Document::set_constraints(fusion::Constraints constraints) {
  if (!session_) return;
  PlanInputs inputs = plan_inputs_;
  inputs.constraints = std::move(constraints);
  change_plan(std::move(inputs));
}

void Document::forget_constraints() {
  plan_inputs_.constraints = {};
  hand_plan_inputs();
}

void Document::set_edits(fusion::EditScript script) {
  PlanInputs inputs = plan_inputs_;
  inputs.edits.set(std::move(script));
  change_edits(std::move(inputs));
}

void Document::add_edits(std::vector<fusion::Edit> edits) {
  fusion::EditScript script = this->edits();
  const std::string shown = strategy().toStdString();
  if (shown != by_hand && shown != script.base) script = {shown, {}};
  std::ranges::move(edits, std::back_inserter(script.edits));
  set_edits(std::move(script));
}

void Document::remove_edit(std::size_t index) {
  fusion::EditScript script = edits();
  if (index >= script.edits.size()) return;
  script.edits.erase(script.edits.begin() + static_cast<std::ptrdiff_t>(index));
  set_edits(std::move(script));
}

void Document::undo_edit() {
  PlanInputs inputs = plan_inputs_;
  inputs.edits.undo();
  change_edits(std::move(inputs));
}

void Document::redo_edit() {
  PlanInputs inputs = plan_inputs_;
  inputs.edits.redo();
  change_edits(std::move(inputs));
}

void Document::change_edits(PlanInputs inputs) {
  if (!session_ || inputs.edits == plan_inputs_.edits) return;
  const fusion::EditScript& script = inputs.edits.script();
  if (!script.edits.empty())
    inputs.strategy = by_hand;
  else if (inputs.strategy == by_hand)
    inputs.strategy = script.base.empty() ? edits().base : script.base;
  change_plan(std::move(inputs));
}

void Document::drop_edits() {
  plan_refusal_.reset();
  if (plan_inputs_.strategy == by_hand) plan_inputs_.strategy = edits().base;
  plan_inputs_.edits = {};
  emit editsChanged();
}

void Document::change_plan(PlanInputs inputs) {
  if (inputs == plan_inputs_) return;
  plan_refusal_.reset();
  put_plan_inputs(std::move(inputs));
  if (!session_) return;
  drop_plan();
  if (history_) derive_plan();
}

void Document::put_plan_inputs(PlanInputs inputs) {
  const bool edited = inputs.edits != plan_inputs_.edits;
  plan_inputs_ = std::move(inputs);
  hand_plan_inputs();
  if (edited) emit editsChanged();
}

void Document::hand_plan_inputs() {
  if (!session_) return;
  session_->set_strategy(plan_inputs_.strategy);
  session_->set_constraints(plan_inputs_.constraints);
  session_->set_fusion_edits(
      edits().edits.empty() ? nullptr : std::make_shared<const fusion::EditScript>(edits()));
}

// --- the plan ---

void Document::derive_plan() {
  using Plan = std::shared_ptr<const fusion::Plan>;
  set_state(Stage::Plan, StageState::Working);
  jobs_->run<Plan>(
      lanes::plan, tr("Fusing operators"),
      [session = session_](const JobContext&) { return session->plan(); },
      [this](Plan plan) { accept_plan(std::move(plan)); },
      [this](const Diagnostic& diagnostic) { refuse_plan(diagnostic); });
}

// Whoever asks faster than plans are made is led back to the last plan there was.
void Document::refuse_plan(const Diagnostic& diagnostic) {
  const bool edits_outlived =
      !answered_ && plan_inputs_.strategy == by_hand && !edits().edits.empty();
  if (diagnostic.code == Code::Cancelled ||
      (!edits_outlived && (!answered_ || *answered_ == plan_inputs_)))
    return fail_stage(Stage::Plan, diagnostic);
  plan_refusal_ = diagnostic;
  PlanInputs inputs = answered_.value_or(plan_inputs_);
  if (edits_outlived) inputs.strategy = edits().base;
  put_plan_inputs(std::move(inputs));
  derive_plan();
  emit planRefused(*plan_refusal_);
}

void Document::accept_plan(std::shared_ptr<const fusion::Plan> plan) {
  plan_ = std::move(plan);
  answered_ = plan_inputs_;
  const auto last = last_graph();
  for (const fusion::Group& group : plan_->groups)
    for (const graph::NodeId id : group.nodes)
      for (const std::uint32_t source : last->node(id).origin.sources)
        group_of_origin_.try_emplace(source, group.id);
  set_state(Stage::Plan, StageState::Ready);
  emit planChanged();
  selection_->refresh();
  const fusion::GroupId wanted = selection_->primary_group();
  follow(wanted.valid() ? wanted : first_interesting_group(*plan_, *last));
}

fusion::GroupId Document::group_of(const graph::Node& node) const {
  if (!plan_) return {};
  if (const auto member = plan_->membership.find(node.id); member != plan_->membership.end())
    return member->second;
  for (const std::uint32_t source : node.origin.sources)
    if (const auto group = group_of_origin_.find(source); group != group_of_origin_.end())
      return group->second;
  return {};
}

fusion::GroupId Document::group_of(graph::NodeId id) const {
  if (!plan_) return {};
  if (const auto member = plan_->membership.find(id); member != plan_->membership.end())
    return member->second;
  const graph::Node* node = graph()->find(id);
  return node ? group_of(*node) : fusion::GroupId{};
}

// --- what is shown of it ---

void Document::compare_plans(std::optional<ComparedPlans> plans) {
  if (!plans && !compared_plans_) return;
  compared_plans_ = std::move(plans);
  emit comparedPlansChanged();
}

void Document::show_plan_moment(std::optional<PlanMoment> moment) {
  if (moment == plan_moment_) return;
  plan_moment_ = std::move(moment);
  emit planMomentChanged();
}

void Document::set_guessing(bool guessing) {
  if (guessing == guessing_) return;
  guessing_ = guessing;
  revealed_.clear();
  emit guessingChanged();
}

void Document::reveal(const fusion::Edge& edge) {
  if (guessing_ && revealed_.insert(edge).second) emit guessingChanged();
}

}  // namespace loopglass::views
