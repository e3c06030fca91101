// What a person asks of the compiler, as one history that can be taken back.
#include "core/session_costs.h"
#include "views/document/document.h"

#include <fmt/format.h>

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

QString Document::words_between(const Asked& from, const Asked& to) const {
  return change_words(from, to, history_->last_graph().get(), [this](const std::string& text) {
    std::vector<std::string> names;
    const auto pipeline = toolchain_.parse_pipeline(text);
    for (const pass::PipelineEntry& entry : pipeline ? pipeline->entries : pass::Pipeline().entries)
      std::ranges::copy(entry.passes, std::back_inserter(names));
    return names;
  });
}

QString Document::undo_words() const {
  const Asked* before = asked_history_.before();
  return before ? words_between(*before, asked()) : QString();
}

QString Document::redo_words() const {
  const Asked* after = asked_history_.after();
  return after ? words_between(asked(), *after) : QString();
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
    history_->remember_place();
    drop_history();
    history_->derive();
  } else {
    drop_plan();
    if (history_->recorded()) fusion_->derive();
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

// --- the passes ---

std::string Document::pipeline() const { return asked().pipeline; }

// What was asked of edges goes by nodes that other passes do not make.
Result<void> Document::set_pipeline(const std::string& text) {
  TRY_VOID(toolchain_.parse_pipeline(text));
  Asked asked = this->asked();
  if (std::exchange(asked.pipeline, text) == text) return {};
  asked.plan.constraints = {};
  ask(std::move(asked));
  return {};
}

pass::Settings Document::settings() const { return asked().settings; }

void Document::set_settings(const pass::Settings& settings) {
  Asked asked = this->asked();
  if (std::exchange(asked.settings, settings) == settings) return;
  asked.plan.constraints = {};
  ask(std::move(asked));
}

bool Document::can_run_passes() const {
  return model_ && !history_->recorded() && state(Stage::Model) != StageState::Working;
}

void Document::run_passes() {
  if (can_run_passes()) history_->derive();
}

// --- the plan ---

void Document::set_cost_model(std::shared_ptr<const fusion::CostModel> cost_model) {
  if (!cost_model || cost_model == cost_model_) return;
  cost_model_ = std::move(cost_model);
  toolchain_ = with_cost_model(std::move(toolchain_), cost_model_);
  if (!session_) return;
  session_->set_cost_model(cost_model_);
  if (fusion_->plan()) fusion_->weigh();
  else if (state(Stage::Plan) == StageState::Working) fusion_->derive();
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
    return board_->fail(Stage::Plan, diagnostic);
  plan_refusal_ = diagnostic;
  AskedHistory history = answered_.value_or(asked_history_);
  if (outlived) {
    Asked asked = this->asked();
    if (edits_outlived) asked.plan.strategy = strategy_without_edits();
    else asked.plan.constraints = {};
    history.amend(std::move(asked));
  }
  put_asked_history(std::move(history));
  fusion_->derive();
  // Nobody asked for another strategy: they asked for other passes, or came back to a session.
  if (edits_outlived) {
    Diagnostic told = diagnostic;
    told.what = fmt::format("the edits do not fit this graph, so the plan is that of '{}': {}",
                            plan_asked().strategy, told.what);
    board_->report(told);
  }
  emit planRefused(*plan_refusal_);
}

}  // namespace loopglass::views
