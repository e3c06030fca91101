// The schedule a kernel gets when nobody says otherwise: elementwise producers inlined, operands
// that a stride leaves apart brought together, the anchor tiled for registers with its constant
// operand packed, the epilogue computed in the tile, the outer loop parallel and the inner one
// vectorised. Tiles need not divide an axis: the loop passes make a smaller one of what stands out
// beyond an edge. A trace like any other; nothing in codegen knows it.
#pragma once

#include "core/default_schedule/tile_plan.h"
#include "core/machine/machine.h"
#include "core/script/scheduled.h"

#include <functional>
#include <set>
#include <string>

namespace loopglass::schedule {

// Whoever wants other tiles than counting would choose: asked of each reduction that is tiled, and
// of each block that is walked along memory instead.
struct TileChooser {
  std::set<std::string> left = {};  // blocks that are somebody else's to schedule
  // nullopt: as counted.
  std::function<std::optional<TileChoice>(const BlockAnalysis&)> choose = {};
  // How many vectors at a time, a power of two: of an elementwise block, or of the parts of a sum;
  // what counting would take, and the most there may be.
  std::function<int(const BlockAnalysis&, int counted, int most)> vectors = {};
  // Whether what was chosen could be written; else the rules go on to what they would try next.
  std::function<void(const std::string& block, const Result<void>& written)> told = {};
};

// In time linear in the number of loop nests: each is scheduled with the few that it has to do
// with.
Result<Scheduled> schedule_by_default(const loop::Func& func, const Machine& machine,
                                      const TileChooser& chooser = {});
Result<Trace> default_schedule(const loop::Func& func, const Machine& machine);

}  // namespace loopglass::schedule
