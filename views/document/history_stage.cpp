#include "views/document/history_stage.h"

#include "core/pass/position_name.h"
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

// --- what the passes made ---

void HistoryStage::derive() {
  using History = std::shared_ptr<const pass::GraphHistory>;
  board_->set(Stage::Model, StageState::Working);
  jobs_->run<History>(
      lanes::model, tr("Running graph passes"),
      [session = session_](const JobContext& context) {
        return session->graph_history(context.progress, context.cancellation);
      },
      [this](History history) { accept(std::move(history)); },
      [this](const Diagnostic& diagnostic) { board_->fail(Stage::Model, diagnostic); });
}

void HistoryStage::accept(std::shared_ptr<const pass::GraphHistory> history) {
  recorded_ = std::move(history);
  position_ = wanted_position_ = {recorded_->steps.size() - 1};
  graph_ = recorded_->steps.back().result;
  if (position_.step > 0) base_graph_ = recorded_->steps[position_.step - 1].result;
  emit made();
  board_->set(Stage::Model, StageState::Ready);
  emit historyChanged();
  emit stepChanged();
  derive_dominators();
  emit ready();
}

void HistoryStage::drop(const std::function<void()>& drop_rest) {
  jobs_->cancel(lanes::dominators);
  jobs_->cancel(lanes::position);
  recorded_.reset();
  graph_.reset();
  base_graph_.reset();
  pinned_base_.reset();
  position_ = wanted_position_ = {};
  dominators_ = {};
  board_->set(Stage::Dominators, StageState::Empty);
  drop_rest();
  emit historyChanged();
  emit stepChanged();
  emit dominatorsChanged();
}

void HistoryStage::stay() { wanted_position_ = position_; }

// --- the position ---

std::shared_ptr<const graph::Graph> HistoryStage::last_graph() const {
  return recorded_ ? recorded_->steps.back().result : nullptr;
}

bool HistoryStage::can_walk(Walk walk) const {
  return recorded_ && walked(*recorded_, wanted_position_, walk, walks_changes_only_);
}

void HistoryStage::walk(Walk walk) {
  if (!recorded_) return;
  if (const auto to = walked(*recorded_, wanted_position_, walk, walks_changes_only_)) go_to(*to);
}

void HistoryStage::set_walks_changes_only(bool only) {
  if (std::exchange(walks_changes_only_, only) != only) emit stepChanged();
}

void HistoryStage::set_position(pass::Position position) {
  if (!recorded_) return;
  position = clamped(position, *recorded_);
  if (position != wanted_position_) go_to(position);
}

std::optional<pass::Position> HistoryStage::base() const {
  if (pinned_base_ || !recorded_) return pinned_base_;
  return place_before(*recorded_, position_);
}

void HistoryStage::pin_base(std::optional<pass::Position> place) {
  if (!recorded_) return;
  if (place) place = clamped(*place, *recorded_);
  wanted_base_ = place ? pass::position_name(*place, *recorded_) : std::string();
  if (place == pinned_base_) return;
  pinned_base_ = place;
  go_to(wanted_position_);
}

// Snapshots are at hand; in the middle of a step the pass runs again, in a job. The newest wish
// counts, and until it is met the window stays where it is.
void HistoryStage::go_to(pass::Position position) {
  wanted_position_ = position;
  const auto base = pinned_base_ ? pinned_base_ : place_before(*recorded_, position);
  if (is_recorded(position) && (!base || is_recorded(*base))) {
    jobs_->cancel(lanes::position);
    return arrive(position, recorded_->steps[position.step].result,
                  base ? recorded_->steps[base->step].result : nullptr);
  }
  using Graphs = std::pair<GraphPtr, GraphPtr>;
  jobs_->run<Graphs>(
      lanes::position,
      tr("Stepping into %1").arg(QString::fromStdString(recorded_->steps[position.step].pass.name)),
      [session = session_, position, base](const JobContext& context) -> Result<Graphs> {
        return Graphs(TRY(graph_of(*session, position, context.cancellation)),
                      TRY(graph_of(*session, base, context.cancellation)));
      },
      [this, position](Graphs graphs) {
        arrive(position, std::move(graphs.first), std::move(graphs.second));
      },
      [this](const Diagnostic& diagnostic) {
        wanted_position_ = position_;
        board_->report(diagnostic);
      });
}

void HistoryStage::arrive(pass::Position position, GraphPtr graph, GraphPtr base) {
  const bool moved = graph != graph_;
  position_ = position;
  graph_ = std::move(graph);
  base_graph_ = std::move(base);
  emit stepChanged();
  if (moved || board_->state(Stage::Dominators) == StageState::Empty) derive_dominators();
  selection_->refresh();
}

// Where somebody stands when other passes are asked for they stand afterwards; where that pass is
// gone, after the last before it that is still there. At the end one stays at the end.
std::vector<std::string> HistoryStage::places_to_return_to() const {
  if (!recorded_) return returning_to_;
  if (wanted_position_ == pass::Position{recorded_->steps.size() - 1}) return {};
  std::vector<std::string> places{pass::position_name(wanted_position_, *recorded_)};
  for (std::size_t step = wanted_position_.step + 1; step-- > 0;)
    places.push_back(pass::position_name({step}, *recorded_));
  return places;
}

void HistoryStage::return_to_place() {
  if (!wanted_base_.empty())
    if (const auto base = pass::parse_position(wanted_base_, *recorded_)) pin_base(*base);
  for (const std::string& place : std::exchange(returning_to_, {})) {
    const auto position = pass::parse_position(place, *recorded_);
    if (position) return set_position(*position);
  }
}

void HistoryStage::remember_place() { returning_to_ = places_to_return_to(); }

void HistoryStage::forget_place() {
  returning_to_.clear();
  wanted_base_.clear();
}

// --- dominator trees ---

std::shared_ptr<const graph::DominatorTree> HistoryStage::dominators(
    graph::Direction direction) const {
  return dominators_[static_cast<std::size_t>(direction)];
}

void HistoryStage::derive_dominators() {
  using Trees = std::array<std::shared_ptr<const graph::DominatorTree>, 2>;
  dominators_ = {};
  board_->set(Stage::Dominators, StageState::Working);
  emit dominatorsChanged();
  jobs_->run<Trees>(
      lanes::dominators, tr("Dominator trees"),
      [session = session_, position = position_,
       graph = graph_](const JobContext&) -> Result<Trees> {
        Trees trees;
        for (const auto direction :
             {graph::Direction::Dominators, graph::Direction::PostDominators}) {
          auto& tree = trees[static_cast<std::size_t>(direction)];
          if (position.rewrites == pass::Report::all)
            tree = TRY(session->dominators(position.step, direction));
          else tree = std::make_shared<const graph::DominatorTree>(*graph, direction);
        }
        return trees;
      },
      [this](Trees trees) {
        dominators_ = std::move(trees);
        board_->set(Stage::Dominators, StageState::Ready);
        emit dominatorsChanged();
      },
      [this](const Diagnostic& diagnostic) { board_->fail(Stage::Dominators, diagnostic); });
}

}  // namespace loopglass::views
