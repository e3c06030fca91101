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

// The folding made last, and what it was made of.
class FoldingMemo {
 public:
  // `kernels` are boxes; without a plan there are none. Null: nothing is to be folded.
  std::shared_ptr<const graph::Folding> of(const std::shared_ptr<const graph::Graph>& graph,
                                           Folded by, const GroupsOfGraph& kernels);

 private:
  struct Key {
    const void *graph = nullptr, *plan = nullptr;
    Folded by = Folded::No;
    friend bool operator==(const Key&, const Key&) = default;
  };
  Key key_;
  std::shared_ptr<const graph::Folding> folding_;
};

// Around what an open fold holds, the innermost for each box.
void add_fold_bands(const Drawn& drawn, CanvasOverlay& overlay);

}  // namespace loopglass::views
