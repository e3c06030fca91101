// What it gains and costs to make matrix products or convolutions of the same input one wider
// operator: an estimate from shapes and the rates of a machine, in nanoseconds on one core.
//
// Measured on products of 16 to 2048 rows: what gains is that the columns of several narrow
// products fill vectors which each of them alone leaves idle (four products of 4 columns as one of
// 16: 3 times as fast). Products that fill their vectors gain next to nothing, since reading the
// input again hides behind the arithmetic; and a slice that must be copied costs more than a saved
// reading.
#pragma once

#include "core/machine/machine.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace loopglass::passes {

struct HorizontalBranch {
  std::int64_t columns;  // output channels
  std::int64_t result_bytes;
  bool copied_anyway;  // what reads the result moves its elements about, and can slice as it does
};

// Of all branches: rows x inner by inner x columns.
struct HorizontalWork {
  std::int64_t rows, inner, input_bytes;
  int element_bytes;
  // Whether vectors lie along the columns; along the image in convolutions.
  bool columns_in_vectors;
};

struct HorizontalCost {
  double flops = 0;                        // the same before and after
  double idle_before = 0, idle_after = 0;  // flops done in vain in lanes that no column fills
  double input_bytes = 0;                  // read again by each branch but the first, before
  double slice_bytes = 0;                  // written and read once more by slices, after
  double time = 0;                         // nanoseconds, before
  double gained = 0, lost = 0;

  // By a margin that measurements can tell from noise.
  bool pays() const;
  std::vector<std::pair<std::string, double>> numbers() const;
};

HorizontalCost horizontal_cost(const HorizontalWork& work,
                               std::span<const HorizontalBranch> branches, const Machine& machine);

}  // namespace loopglass::passes
