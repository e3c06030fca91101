#include "core/default_schedule/term_copies.h"

#include "core/support/ceil_div.h"

#include <algorithm>

namespace loopglass::schedule {

namespace {

// The innermost loop over terms that turns more than once; the end of them where none does.
std::size_t innermost_terms(const BlockAnalysis& block) {
  std::size_t place = block.reductions.size();
  for (std::size_t i = 0; i < block.reductions.size(); ++i)
    if (block.extents[block.reductions[i]] > 1) place = i;
  return place;
}

// Whether a tile's rows read what they read a term before, as pixels under a window do: copies
// would have registers hold that, which there are none for.
bool terms_overlap(const BlockAnalysis& block, const TilePlan& plan) {
  const std::size_t place = innermost_terms(block);
  if (place == block.reductions.size()) return false;
  for (std::size_t o = 1; o < block.operands.size(); ++o) {
    const auto term = block.operands[o].steps[block.reductions[place]];
    for (const auto& axis : {plan.vector_axis, plan.repeat_axis})
      if (axis && term != 0 && block.axes[*axis].steps[o] == term) return true;
  }
  return false;
}

}  // namespace

std::optional<std::size_t> shared_pair_of_terms(const BlockAnalysis& block, const TilePlan& plan,
                                                const Machine& machine) {
  const std::size_t place = innermost_terms(block);
  const bool is_pair =
      place > 0 && place < block.reductions.size() && block.extents[block.reductions[place]] == 2;
  if (!is_pair || !terms_overlap(block, plan) || !is_tight(block, plan, machine))
    return std::nullopt;
  return place;
}

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
