#include "core/default_schedule/term_copies.h"

#include "core/support/ceil_div.h"

#include <algorithm>

namespace loopglass::schedule {

namespace {

// Whether a tile's rows read what they read a term before, as pixels under a window do: copies
// would have registers hold that, which there are none for.
bool terms_overlap(const BlockAnalysis& block, const TilePlan& plan) {
  const auto turning = std::find_if(block.reductions.rbegin(), block.reductions.rend(),
                                    [&](std::size_t r) { return block.extents[r] > 1; });
  if (turning == block.reductions.rend()) return false;
  for (std::size_t o = 1; o < block.operands.size(); ++o) {
    const auto term = block.operands[o].steps[*turning];
    for (const auto& axis : {plan.vector_axis, plan.repeat_axis})
      if (axis && term != 0 && block.axes[*axis].steps[o] == term) return true;
  }
  return false;
}

}  // namespace

bool is_tight(const BlockAnalysis& block, const TilePlan& plan, const Machine& machine) {
  const std::int64_t vectors =
      plan.vector_axis ? ceil_div(plan.vector_length, machine.lanes(block.widest_bytes)) : 1;
  return 4 * ((plan.repeats + 1) * vectors + 1) > 3 * machine.vector_registers;
}

std::int64_t usual_copies(const BlockAnalysis& block, const TilePlan& plan, const Machine& machine,
                          std::int64_t turns) {
  if (terms_overlap(block, plan)) return 1;
  // What is no multiply-add takes a register before it is added: where few are left, LLVM stores
  // some of four terms.
  const std::int64_t most = block.multiplies_and_adds || !is_tight(block, plan, machine) ? 4 : 2;
  for (std::int64_t copies = most; copies > 1; copies /= 2)
    if (turns % copies == 0 && turns >= 2 * copies) return copies;
  return 1;
}

}  // namespace loopglass::schedule
