#include "core/default_schedule/near_copies.h"

#include "core/default_schedule/loop_cost.h"
#include "core/loop/blocks.h"

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// The block that makes the operand, if none but the sum reads it; else null.
const Block* maker_of(const Func& func, const BlockAnalysis& sum, const Operand& operand) {
  if (operand.is_store || operand.parameter) return nullptr;
  const auto makers = writers_of(func.body, operand.buffer);
  const auto readers = readers_of(func.body, operand.buffer);
  return makers.size() == 1 && readers.size() == 1 && readers[0]->name == sum.name &&
                 !has_reduction(*makers[0])
             ? makers[0]
             : nullptr;
}

// Whether each of the iterations has a part of the operand to itself: a dimension each.
bool are_apart(const Operand& operand, const BlockAnalysis& sum,
               const std::vector<std::size_t>& iters) {
  return std::ranges::all_of(iters, [&](std::size_t iter) {
    return sum.extents[iter] == 1 || std::ranges::any_of(operand.indices, [&](const Expr& index) {
             const auto* variable = index.as<expr::Variable>();
             return variable && variable->name == sum.iter_names[iter];
           });
  });
}

}  // namespace

Result<bool> bring_copies_near(Draft& draft, const BlockAnalysis& sum, const OuterLoops& outer,
                               const Machine& machine) {
  std::int64_t parts = 1;
  for (const std::size_t iter : outer.iters) parts *= sum.extents[iter];
  if (outer.names.empty() || parts < least_chunks) return false;
  bool has_moved = false;
  for (const Operand& operand : sum.operands) {
    const Block* maker = maker_of(draft.func(), sum, operand);
    // Half of the cache is for what else the sum reads.
    if (!maker || !are_apart(operand, sum, outer.iters) ||
        bytes_of(operand) / parts > machine.l2.bytes / 2)
      continue;
    const std::string name = maker->name;
    const std::int64_t lanes = machine.lanes(sum.widest_bytes);
    Draft attempt = draft;
    const auto move = [&]() -> Result<void> {
      const Draft::Names loops = TRY(attempt.compute_at(name, outer.names.back()));
      if (loops.empty()) return fail(Code::ScheduleIllegal, "nothing is left to walk along", name);
      return attempt.vectorize(TRY(attempt.split(loops.back(), {-1, 2 * lanes}))[1]);
    };
    if (!move()) continue;
    draft = std::move(attempt);
    has_moved = true;
  }
  return has_moved;
}

}  // namespace loopglass::schedule
