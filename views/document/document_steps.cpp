// Where the document is in its history, what that is compared with, and the passes it came from.
#include "core/pass/position_name.h"
#include "views/document/document.h"
#include "views/document/lanes.h"

#include <algorithm>
#include <utility>

namespace loopglass::views {
namespace {

using GraphPtr = std::shared_ptr<const graph::Graph>;

std::size_t rewrites_of(const pass::GraphHistory& history, std::size_t step) {
  return history.steps[step].rewrites.size();
}

// Equal places are equal: nothing made of a step is the whole of the one before.
pass::Position clamped(pass::Position place, const pass::GraphHistory& history) {
  place.step = std::min(place.step, history.steps.size() - 1);
  if (place.rewrites == 0 && place.step > 0) return {place.step - 1};
  return pass::normalised(place, history);
}

bool is_recorded(const pass::Position& place) { return place.rewrites == pass::Report::all; }

Result<GraphPtr> graph_of(Session& session, const std::optional<pass::Position>& place,
                          const Cancellation& cancellation) {
  if (!place) return GraphPtr();
  return session.graph_at(place->step, place->rewrites, cancellation);
}

}  // namespace

// --- ways through a history ---

std::optional<pass::Position> place_before(const pass::GraphHistory& history,
                                           pass::Position place) {
  place = clamped(place, history);
  if (!is_recorded(place)) return clamped({place.step, place.rewrites - 1}, history);
  if (place.step == 0) return {};
  return pass::Position{place.step - 1};
}

namespace {

std::optional<pass::Position> walked_once(const pass::GraphHistory& history, pass::Position from,
                                          Walk walk) {
  from = clamped(from, history);
  const std::size_t last = history.steps.size() - 1;
  const bool inside = !is_recorded(from);
  switch (walk) {
    case Walk::PassForward:
      if (inside) return pass::Position{from.step};
      if (from.step == last) return {};
      return pass::Position{from.step + 1};
    case Walk::PassBack:
      if (from.step == 0) return {};
      return pass::Position{from.step - 1};
    case Walk::RewriteForward:
      if (inside) return clamped({from.step, from.rewrites + 1}, history);
      if (from.step == last) return {};
      if (rewrites_of(history, from.step + 1) == 0) return pass::Position{from.step + 1};
      return clamped({from.step + 1, 1}, history);
    case Walk::RewriteBack: {
      if (from.step == 0) return {};
      const std::size_t made = inside ? from.rewrites : rewrites_of(history, from.step);
      return clamped({from.step, made == 0 ? 0 : made - 1}, history);
    }
    case Walk::Start:
      if (from.step == 0) return {};
      return pass::Position{0};
    case Walk::End:
      if (!inside && from.step == last) return {};
      return pass::Position{last};
  }
  __builtin_unreachable();
}

}  // namespace

std::optional<pass::Position> walked(const pass::GraphHistory& history, pass::Position from,
                                     Walk walk, bool only_changes) {
  const auto is_left_out = [&](const pass::Position& place) {
    return is_recorded(place) && place.step > 0 && place.step + 1 < history.steps.size() &&
           !history.steps[place.step].changed;
  };
  std::optional<pass::Position> to = walked_once(history, from, walk);
  while (only_changes && to && is_left_out(*to)) to = walked_once(history, *to, walk);
  return to;
}

// --- the position ---

std::shared_ptr<const graph::Graph> Document::last_graph() const {
  return history_ ? history_->steps.back().result : nullptr;
}

bool Document::can_walk(Walk walk) const {
  return history_ && walked(*history_, wanted_position_, walk, walks_changes_only_);
}

void Document::walk(Walk walk) {
  if (!history_) return;
  if (const auto to = walked(*history_, wanted_position_, walk, walks_changes_only_)) go_to(*to);
}

void Document::set_walks_changes_only(bool only) {
  if (std::exchange(walks_changes_only_, only) != only) emit stepChanged();
}

void Document::set_position(pass::Position position) {
  if (!history_) return;
  position = clamped(position, *history_);
  if (position != wanted_position_) go_to(position);
}

std::optional<pass::Position> Document::base() const {
  if (pinned_base_ || !history_) return pinned_base_;
  return place_before(*history_, position_);
}

void Document::pin_base(std::optional<pass::Position> place) {
  if (!history_) return;
  if (place) place = clamped(*place, *history_);
  if (place == pinned_base_) return;
  pinned_base_ = place;
  go_to(wanted_position_);
}

// Snapshots are at hand; in the middle of a step the pass runs again, in a job. The newest wish
// counts, and until it is met the window stays where it is.
void Document::go_to(pass::Position position) {
  wanted_position_ = position;
  const auto base = pinned_base_ ? pinned_base_ : place_before(*history_, position);
  if (is_recorded(position) && (!base || is_recorded(*base))) {
    jobs_->cancel(lanes::position);
    return arrive(position, history_->steps[position.step].result,
                  base ? history_->steps[base->step].result : nullptr);
  }
  using Graphs = std::pair<GraphPtr, GraphPtr>;
  jobs_->run<Graphs>(
      lanes::position,
      tr("Stepping into %1").arg(QString::fromStdString(history_->steps[position.step].pass.name)),
      [session = session_, position, base](const JobContext& context) -> Result<Graphs> {
        return Graphs(TRY(graph_of(*session, position, context.cancellation)),
                      TRY(graph_of(*session, base, context.cancellation)));
      },
      [this, position](Graphs graphs) {
        arrive(position, std::move(graphs.first), std::move(graphs.second));
      },
      [this](const Diagnostic& diagnostic) {
        wanted_position_ = position_;
        if (diagnostic.code != Code::Cancelled) emit failed(diagnostic);
      });
}

void Document::arrive(pass::Position position, GraphPtr graph, GraphPtr base) {
  const bool moved = graph != graph_;
  position_ = position;
  graph_ = std::move(graph);
  base_graph_ = std::move(base);
  emit stepChanged();
  if (moved || state(Stage::Dominators) == StageState::Empty) derive_dominators();
  selection_->refresh();
}

// --- the passes ---

std::string Document::pipeline() const { return asked().pipeline; }

// What was asked of edges goes by nodes that other passes do not make.
// Where somebody stands when other passes are asked for they stand afterwards; where that pass is
// gone, after the last before it that is still there. At the end one stays at the end.
std::vector<std::string> Document::places_to_return_to() const {
  if (!history_) return returning_to_;
  if (wanted_position_ == pass::Position{history_->steps.size() - 1}) return {};
  std::vector<std::string> places{pass::position_name(wanted_position_, *history_)};
  for (std::size_t step = wanted_position_.step + 1; step-- > 0;)
    places.push_back(pass::position_name({step}, *history_));
  return places;
}

void Document::return_to_place() {
  for (const std::string& place : std::exchange(returning_to_, {})) {
    const auto position = pass::parse_position(place, *history_);
    if (position) return set_position(*position);
  }
}

Result<void> Document::set_pipeline(const std::string& text) {
  std::vector<pass::PassInfo> passes;
  for (const pass::GraphPass& pass : toolchain_.graph_passes) passes.push_back(pass.info);
  TRY_VOID(pass::parse_pipeline(text, passes, toolchain_.presets));
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
  return model_ && !history_ && state(Stage::Model) != StageState::Working;
}

void Document::run_passes() {
  if (can_run_passes()) derive_history();
}

}  // namespace loopglass::views
