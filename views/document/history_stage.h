// Stages 1 to 3 of the document: what the graph passes made of the model, where in that history the
// window is, and the dominator trees of the graph there.
#pragma once

#include "core/pass/position.h"
#include "views/document/document_stage.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::views {

// Ways through a history. A pass is one step of it; a rewrite is a place inside one.
enum class Walk : std::uint8_t { PassForward, PassBack, RewriteForward, RewriteBack, Start, End };
// Where a walk leads; nullopt: nowhere. `only_changes`: not to passes that changed nothing, but for
// the first and the last step.
std::optional<pass::Position> walked(const pass::GraphHistory& history, pass::Position from,
                                     Walk walk, bool only_changes = false);
// The place just before: of a step the step before it, of a rewrite the rewrite before it; nullopt
// at the start.
std::optional<pass::Position> place_before(const pass::GraphHistory& history, pass::Position place);

class HistoryStage : public DocumentStage {
  Q_OBJECT

 public:
  using DocumentStage::DocumentStage;

  // Null until the passes have run.
  std::shared_ptr<const pass::GraphHistory> recorded() const { return recorded_; }

  // Where in the history the window is. The graph in the middle of a step comes from a job: the
  // position changes when it has arrived. Positions are clamped.
  const pass::Position& position() const { return position_; }
  void set_position(pass::Position position);
  std::size_t step() const { return position_.step; }
  void set_step(std::size_t step) { set_position({step}); }
  // Where the window is about to be, when that graph is still on its way.
  const pass::Position& wanted_position() const { return wanted_position_; }
  bool is_walking() const { return wanted_position_ != position_; }
  bool can_walk(Walk walk) const;  // from where the window is, or is about to be
  void walk(Walk walk);
  // Whether walks pass over what changes nothing.
  bool walks_changes_only() const { return walks_changes_only_; }
  void set_walks_changes_only(bool only);

  // The graph at the position, and the last one (which the plan is about).
  std::shared_ptr<const graph::Graph> graph() const { return graph_; }
  std::shared_ptr<const graph::Graph> last_graph() const;

  // What the graph at the position is compared with: a place that was pinned, else the place
  // before.
  std::shared_ptr<const graph::Graph> base_graph() const { return base_graph_; }  // null: nothing
  std::optional<pass::Position> base() const;
  const std::optional<pass::Position>& pinned_base() const { return pinned_base_; }
  void pin_base(std::optional<pass::Position> place);

  // Of the graph at the position; null until ready.
  std::shared_ptr<const graph::DominatorTree> dominators(graph::Direction direction) const;

  // --- for the document ---

  void derive();  // runs the passes
  // `drop_rest` drops what was made of it, before anybody is told.
  void drop(const std::function<void()>& drop_rest);
  void stay();  // what is on its way will not come
  // While other passes run: where somebody stands, and what they compare with, by name.
  void remember_place();
  void forget_place();
  void return_to_place();

 signals:
  void made();            // recorded(), for the document, before anybody else is told
  void ready();           // and after
  void historyChanged();  // recorded()
  void stepChanged();     // position() and graph(), or what it is compared with
  void dominatorsChanged();

 private:
  void accept(std::shared_ptr<const pass::GraphHistory> history);
  std::vector<std::string> places_to_return_to() const;
  void go_to(pass::Position position);
  void arrive(pass::Position position, std::shared_ptr<const graph::Graph> graph,
              std::shared_ptr<const graph::Graph> base);
  void derive_dominators();

  std::shared_ptr<const pass::GraphHistory> recorded_;
  pass::Position position_, wanted_position_;  // shown, and on its way
  std::optional<pass::Position> pinned_base_;
  std::vector<std::string> returning_to_;  // places, the best first
  // The place that was pinned, also while the passes of the moment do not lead there; empty: none.
  std::string wanted_base_;
  bool walks_changes_only_ = false;
  std::shared_ptr<const graph::Graph> graph_, base_graph_;
  std::array<std::shared_ptr<const graph::DominatorTree>, 2> dominators_;
};

}  // namespace loopglass::views
