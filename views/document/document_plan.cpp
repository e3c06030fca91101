// What a person asks of the compiler, and stage 4 of the document: the fusion plan.
#include "views/document/document.h"
#include "views/document/lanes.h"

#include <algorithm>

namespace loopglass::views {
namespace {

const char* const by_hand = "manual";

std::string default_strategy(const Toolchain& toolchain) {
  return toolchain.strategies.empty() ? std::string() : toolchain.strategies.front().name;
}

// The kernel shown before anyone chooses: the first that multiplies matrices or convolves, since
// that is where the interesting loop nests are.
fusion::GroupId first_interesting_group(const fusion::Plan& plan, const graph::Graph& graph) {
  for (const fusion::Group& group : plan.groups) {
    const ops::Family family = graph.node(group.anchor).op->family;
    if (family == ops::Family::Convolution || family == ops::Family::MatrixProduct) return group.id;
  }
  for (const fusion::Group& group : plan.groups)
    if (!is_opaque(graph.node(group.anchor))) return group.id;
  return plan.groups.empty() ? fusion::GroupId{} : plan.groups.front().id;
}

// Where each ONNX node ends up: of several operators that came from it in the kernel of the one that
// computes most, not in that of the layout transform before it.
std::unordered_map<std::uint32_t, fusion::GroupId> groups_by_origin(const fusion::BlockRules& rules,
                                                                    const fusion::Plan& plan) {
  std::unordered_map<std::uint32_t, std::pair<std::int64_t, fusion::GroupId>> best;
  const graph::Graph& graph = rules.graph();
  for (const fusion::Group& group : plan.groups)
    for (const graph::NodeId id : group.nodes) {
      const std::int64_t flops = rules.flops(graph.position(id));
      for (const std::uint32_t source : graph.node(id).origin.sources) {
        const auto [known, fresh] = best.try_emplace(source, flops, group.id);
        if (!fresh && flops > known->second.first) known->second = {flops, group.id};
      }
    }
  std::unordered_map<std::uint32_t, fusion::GroupId> groups;
  for (const auto& [source, entry] : best) groups.emplace(source, entry.second);
  return groups;
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
  if (!script.edits.empty())
    asked.strategy = by_hand;
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

// Of other passes everything is derived again; else the plan, and what follows from it.
void Document::change_asked(AskedHistory history) {
  if (history == asked_history_) return;
  const bool same_passes = history.now().same_passes(asked());
  plan_refusal_.reset();
  put_asked_history(std::move(history));
  if (!same_passes) emit pipelineChanged();
  if (!session_) return;
  if (!same_passes) {
    drop_history();
    derive_history();
  } else {
    drop_plan();
    if (history_) derive_plan();
  }
}

void Document::put_asked_history(AskedHistory history) {
  asked_history_ = std::move(history);
  hand_asked();
  emit askedChanged();
}

// Of another model nothing is asked yet but passes and strategy.
void Document::forget_asked_history() {
  plan_refusal_.reset();
  put_asked_history(AskedHistory({asked().pipeline, asked().settings, {strategy_without_edits(), {}, {}}}));
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
}

// --- the plan ---

void Document::derive_plan() {
  set_state(Stage::Plan, StageState::Working);
  jobs_->run<Planned>(
      lanes::plan, tr("Fusing operators"),
      [session = session_](const JobContext&) -> Result<Planned> {
        const auto graph = TRY(session->graph());
        const auto plan = TRY(session->plan());
        const fusion::BlockRules rules(*graph);
        return Planned{plan, fusion::summarise(rules, *plan, *session->cost_model()),
                       groups_by_origin(rules, *plan)};
      },
      [this](Planned planned) { accept_plan(std::move(planned)); },
      [this](const Diagnostic& diagnostic) { refuse_plan(diagnostic); });
}

// Whoever asks faster than plans are made is led back to the last plan there was.
void Document::refuse_plan(const Diagnostic& diagnostic) {
  const bool edits_outlived =
      !answered_ && plan_asked().strategy == by_hand && !edits().edits.empty();
  if (diagnostic.code == Code::Cancelled ||
      (!edits_outlived && (!answered_ || *answered_ == asked_history_)))
    return fail_stage(Stage::Plan, diagnostic);
  plan_refusal_ = diagnostic;
  AskedHistory history = answered_.value_or(asked_history_);
  if (edits_outlived) {
    Asked asked = this->asked();
    asked.plan.strategy = strategy_without_edits();
    history.amend(std::move(asked));
  }
  put_asked_history(std::move(history));
  derive_plan();
  emit planRefused(*plan_refusal_);
}

void Document::accept_plan(Planned planned) {
  plan_ = std::move(planned.plan);
  plan_summary_ = std::move(planned.summary);
  answered_ = asked_history_;
  group_of_origin_ = std::move(planned.group_of_origin);
  set_state(Stage::Plan, StageState::Ready);
  emit planChanged();
  selection_->refresh();
  const fusion::GroupId wanted = selection_->primary_group();
  follow(wanted.valid() ? wanted : first_interesting_group(*plan_, *last_graph()));
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
