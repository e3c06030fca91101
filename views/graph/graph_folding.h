// How a graph pane folds: by what, what of it is open, and the bands around what is.
#pragma once

#include "core/saved_session.h"
#include "views/graph/plan_overlays.h"

#include <memory>

namespace loopglass::views {

enum class Folded : std::uint8_t { No, Blocks, Names };

Folded folded_by(const SavedFolds& folds);
const char* name_of(Folded by);  // as sessions have it; empty: not folded
graph::OpenFolds open_folds_of(const SavedFolds& folds);
void put_open_folds(const graph::OpenFolds& open, SavedFolds& folds);

// Null: nothing is to be folded. Kernels are boxes where there is a plan.
std::shared_ptr<const graph::Folding> folding_of(const graph::Graph& graph, Folded by,
                                                 const GroupsOfGraph& kernels);

// The folding made last, and what it was made of: held, so that no other graph or plan comes to lie
// in its place and is taken for it.
class FoldingMemo {
 public:
  std::shared_ptr<const graph::Folding> of(
      const std::shared_ptr<const graph::Graph>& graph, Folded by,
      const std::shared_ptr<const fusion::Plan>& kernels,
      const std::function<fusion::GroupId(const graph::Node&)>& group_of);

 private:
  struct Key {
    std::shared_ptr<const graph::Graph> graph;
    std::shared_ptr<const fusion::Plan> plan;
    Folded by = Folded::No;
    friend bool operator==(const Key&, const Key&) = default;
  };
  Key key_;
  std::shared_ptr<const graph::Folding> folding_;
};

// Around what an open fold holds, the innermost for each box.
void add_fold_bands(const Drawn& drawn, CanvasOverlay& overlay);

}  // namespace loopglass::views
