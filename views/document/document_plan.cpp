// What a person asks of the compiler, and stage 4 of the document: the fusion plan.
#include "core/session_costs.h"
#include "views/document/document.h"
#include "views/document/first_kernel.h"
#include "views/document/groups_by_origin.h"
#include "views/document/lanes.h"

#include <algorithm>

namespace loopglass::views {
namespace {

const char* const by_hand = "manual";

std::string default_strategy(const Toolchain& toolchain) {
  return toolchain.strategies.empty() ? std::string() : toolchain.strategies.front().name;
}

}  // namespace

// --- what is asked of it ---

// A session may leave its strategy and passes to the toolchain; a person is told which they are.
void Document::begin_asked_history() {
  Asked first{options_.pipeline, options_.settings, {options_.strategy, {}, {}}};
  if (first.pipeline.empty() && !toolchain_.presets.empty())
    first.pipeline = toolchain_.presets.front().name;
  if (first.plan.strategy.empty()) first.plan.strategy = default_strategy(toolchain_);
  asked_history_ = AskedHistory(std::move(first));
}

QString Document::strategy() const { return QString::fromStdString(plan_asked().strategy); }

std::string Document::strategy_without_edits() const {
  const PlanAsked& asked = plan_asked();
  if (asked.strategy != by_hand) return asked.strategy;
  return asked.edits.base.empty() ? default_strategy(toolchain_) : asked.edits.base;
}

const Diagnostic* Document::plan_refusal() const {
  return plan_refusal_ ? &*plan_refusal_ : nullptr;
}

void Document::set_strategy(const QString& strategy) {
  PlanAsked asked = plan_asked();
  asked.strategy = strategy.toStdString();
  ask(std::move(asked));
}

void Document::set_constraints(fusion::Constraints constraints) {
  if (!session_) return;
  PlanAsked asked = plan_asked();
  asked.constraints = std::move(constraints);
  ask(std::move(asked));
}

void Document::set_edits(fusion::EditScript script) {
  if (!session_ || script == edits()) return;
  PlanAsked asked = plan_asked();
  if (!script.edits.empty()) asked.strategy = by_hand;
  else if (asked.strategy == by_hand)
    asked.strategy = script.base.empty() ? strategy_without_edits() : script.base;
  asked.edits = std::move(script);
  ask(std::move(asked));
}

void Document::add_edits(std::vector<fusion::Edit> edits) {
  fusion::EditScript script = this->edits();
  const std::string& shown = plan_asked().strategy;
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

void Document::leave_all_to_strategy() { ask(PlanAsked{strategy_without_edits(), {}, {}}); }

void Document::set_breakpoints(std::vector<pass::Breakpoint> breakpoints) {
  Asked asked = this->asked();
  asked.breakpoints = std::move(breakpoints);
  ask(std::move(asked));
}

void Document::set_bookmarks(std::vector<Bookmark> bookmarks) {
  if (!session_) return;
  Asked asked = this->asked();
  asked.bookmarks = std::move(bookmarks);
  ask(std::move(asked));
}

QString Document::undo_words() const {
  const Asked* before = asked_history_.before();
  return before ? change_words(*before, asked(), last_graph().get()) : QString();
}

QString Document::redo_words() const {
  const Asked* after = asked_history_.after();
  return after ? change_words(asked(), *after, last_graph().get()) : QString();
}

void Document::undo() {
  AskedHistory history = asked_history_;
  history.undo();
  change_asked(std::move(history));
}

void Document::redo() {
  AskedHistory history = asked_history_;
  history.redo();
  change_asked(std::move(history));
}

void Document::ask(Asked asked) {
  AskedHistory history = asked_history_;
  history.add(std::move(asked));
  change_asked(std::move(history));
}

void Document::ask(PlanAsked plan) {
  Asked asked = this->asked();
  asked.plan = std::move(plan);
  ask(std::move(asked));
}

// Of other passes everything is derived again; of another plan that, and what follows from it; of
// other schedules kernels and their times; for breakpoints and bookmarks nothing.
void Document::change_asked(AskedHistory history) {
  if (history == asked_history_) return;
  const bool same_passes = history.now().same_passes(asked());
  const bool same_network = history.now().same_network(asked());
  if (history.now().same_plan(asked())) {
    const AskedHistory before = asked_history_;
    put_asked_history(std::move(history));
    keep_answered(before);
    if (!same_network) schedules_changed();
    return;
  }
  plan_refusal_.reset();
  put_asked_history(std::move(history));
  if (!same_passes) emit pipelineChanged();
  if (!session_) return;
  if (!same_passes) {
    returning_to_ = places_to_return_to();
    drop_history();
    derive_history();
  } else {
    drop_plan();
    if (history_) derive_plan();
  }
}

// Where a plan is refused, what was changed meanwhile and has nothing to do with it stays.
void Document::keep_answered(const AskedHistory& before) {
  if (!answered_) return;
  if (*answered_ == before) {
    answered_ = asked_history_;
    return;
  }
  Asked asked = answered_->now();
  asked.breakpoints = this->asked().breakpoints;
  asked.bookmarks = this->asked().bookmarks;
  asked.schedules = this->asked().schedules;
  answered_->add(std::move(asked));
}

void Document::put_asked_history(AskedHistory history) {
  asked_history_ = std::move(history);
  hand_asked();
  emit askedChanged();
}

// Of another model nothing is asked yet but passes and strategy, and breakpoints go by what
// operators are.
void Document::forget_asked_history() {
  plan_refusal_.reset();
  put_asked_history(AskedHistory({asked().pipeline,
                                  asked().settings,
                                  {strategy_without_edits(), {}, {}},
                                  asked().breakpoints}));
}

void Document::hand_asked() {
  if (!session_) return;
  (void)session_->set_pipeline(this->asked().pipeline);  // was parsed when it was asked for
  session_->set_settings(this->asked().settings);
  const PlanAsked& asked = plan_asked();
  session_->set_strategy(asked.strategy);
  session_->set_constraints(asked.constraints);
  session_->set_fusion_edits(asked.edits.edits.empty()
                                 ? nullptr
                                 : std::make_shared<const fusion::EditScript>(asked.edits));
  hand_schedules();
}

// --- the plan ---

Result<Document::Planned> Document::plan_by(Session& session) {
  const auto graph = TRY(session.graph());
  const auto plan = TRY(session.plan());
  const fusion::BlockRules rules(*graph);
  return Planned{plan, fusion::summarise(rules, *plan, *session.cost_model()),
                 groups_by_origin(rules, *plan),
                 loopglass::measured_of(*graph, *plan, session.toolchain().machine),
                 fusion::plan_saving(rules, *plan)};
}

void Document::set_cost_model(std::shared_ptr<const fusion::CostModel> cost_model) {
  if (!cost_model || cost_model == cost_model_) return;
  cost_model_ = std::move(cost_model);
  toolchain_ = with_cost_model(std::move(toolchain_), cost_model_);
  if (!session_) return;
  session_->set_cost_model(cost_model_);
  if (plan_) weigh_plan();
  else if (state(Stage::Plan) == StageState::Working) derive_plan();
}

// What there is stays until the plan by the other model has arrived, which is mostly the same.
void Document::weigh_plan() {
  jobs_->run<Planned>(
      lanes::plan, tr("Weighing the plan"),
      [session = session_](const JobContext&) { return plan_by(*session); },
      [this](Planned planned) { replace_plan(std::move(planned)); },
      [this](const Diagnostic& diagnostic) { refuse_plan(diagnostic); });
}

void Document::replace_plan(Planned planned) {
  const auto members = [](const fusion::Plan& plan) {
    std::vector<std::vector<graph::NodeId>> groups;
    for (const fusion::Group& group : plan.groups) groups.push_back(group.nodes);
    return groups;
  };
  if (!plan_ || members(*plan_) != members(*planned.plan)) {
    drop_plan();
    return accept_plan(std::move(planned));
  }
  plan_ = std::move(planned.plan);
  plan_summary_ = std::move(planned.summary);
  emit planChanged();
}

void Document::derive_plan() {
  set_state(Stage::Plan, StageState::Working);
  jobs_->run<Planned>(
      lanes::plan, tr("Fusing operators"),
      [session = session_](const JobContext&) { return plan_by(*session); },
      [this](Planned planned) { accept_plan(std::move(planned)); },
      [this](const Diagnostic& diagnostic) { refuse_plan(diagnostic); });
}

// Whoever asks faster than plans are made is led back to the last plan there was. What was asked of
// another graph, by name, and does not fit this one is left.
void Document::refuse_plan(const Diagnostic& diagnostic) {
  const bool edits_outlived =
      !answered_ && plan_asked().strategy == by_hand && !edits().edits.empty();
  const bool edges_outlived = !answered_ && !constraints().empty();
  const bool outlived = edits_outlived || edges_outlived;
  if (diagnostic.code == Code::Cancelled ||
      (!outlived && (!answered_ || *answered_ == asked_history_)))
    return fail_stage(Stage::Plan, diagnostic);
  plan_refusal_ = diagnostic;
  AskedHistory history = answered_.value_or(asked_history_);
  if (outlived) {
    Asked asked = this->asked();
    if (edits_outlived) asked.plan.strategy = strategy_without_edits();
    else asked.plan.constraints = {};
    history.amend(std::move(asked));
  }
  put_asked_history(std::move(history));
  derive_plan();
  emit planRefused(*plan_refusal_);
}

void Document::accept_plan(Planned planned) {
  plan_ = std::move(planned.plan);
  plan_summary_ = std::move(planned.summary);
  measured_of_ = std::move(planned.measured_of);
  measured_of_.schedules = schedules_digest();
  plan_saving_ = planned.saving;
  answered_ = asked_history_;
  group_of_origin_ = std::move(planned.group_of_origin);
  set_state(Stage::Plan, StageState::Ready);
  emit planChanged();
  selection_->refresh();
  show_recalled_times();
  if (const auto benchmark = std::exchange(benchmark_wanted_, {}))
    start_benchmark(benchmark->threads, benchmark->rounds);
  const fusion::GroupId wanted = selection_->primary_group();
  show_kernel(wanted.valid() ? wanted : first_interesting_group(*plan_, *last_graph()));
}

fusion::GroupId Document::group_of(const graph::Node& node) const {
  return plan_ ? views::group_of(node, *plan_, group_of_origin_) : fusion::GroupId{};
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
