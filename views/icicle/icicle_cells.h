// An icicle of a network: a row for each depth of its parts, with what each part costs as its
// width, and kernels at the foot.
#pragma once

#include "core/debug/part_costs.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopglass::views {

enum class IcicleMeasure : std::uint8_t { Time, Arithmetic };

struct IcicleCell {
  std::string title;
  double from = 0, to = 0;  // of the whole width, which is 1
  int depth = 0;            // 0: the network
  int parent = -1;          // place of the cell above; -1: the network's
  int fold = -1;            // of the folding; -1: none
  int item = -1;            // of the folding, where the cell is one kernel; -1: not
  PartCost cost;
};

// The network first, every cell before those below it, side by side in the order they run. Parts
// that cost nothing by the measure have no cell; where nothing costs anything there is the network
// alone.
std::vector<IcicleCell> icicle_cells(const graph::Folding& folding, const PartCosts& costs,
                                     IcicleMeasure measure, const std::string& network);

}  // namespace loopglass::views
