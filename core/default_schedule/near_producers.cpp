#include "core/default_schedule/near_producers.h"

#include "core/default_schedule/block_analysis.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"

namespace loopglass::schedule {

using namespace loop;

namespace {

// What neighbouring iterations both read is made for each of them: of all, so much at the most.
constexpr double most_made_twice = 0.25;

// What the loops from this one on turn together; nullopt where an extent is no number.
std::optional<std::int64_t> turns(const std::vector<const For*>& loops, std::size_t first) {
  std::int64_t product = 1;
  for (std::size_t l = first; l < loops.size(); ++l) {
    const auto extent = expr::as_integer(loops[l]->extent);
    if (!extent) return std::nullopt;
    product *= *extent;
  }
  return product;
}

}  // namespace

bool is_far(const Block& stage, const Machine& machine) {
  const Store* store = only_store(stage);
  if (!store) return false;
  std::int64_t elements = 1;
  for (const IterVar& iter : stage.iters) elements *= expr::as_integer(iter.extent).value_or(0);
  return elements > machine.l2.bytes / static_cast<std::int64_t>(byte_size(store->value.type()));
}

Result<void> bring_producer_near(Draft& draft, const std::string& producer,
                                 const std::string& consumer, const Machine& machine) {
  const auto illegal = [&](const char* why) { return fail(Code::ScheduleIllegal, why, producer); };
  const auto made = analyse(draft.func(), producer);
  if (!made || !made->reductions.empty()) return illegal("it is no elementwise stage");
  const Draft::Names around = TRY(draft.loops(consumer));
  if (around.empty()) return illegal("its consumer has no loop");
  const Draft::Names own = TRY(draft.compute_at(producer, around.front()));
  if (own.empty()) return illegal("nothing is left to walk along");
  const Path path = TRY(find_block(draft.func(), producer));
  const std::vector<const For*> loops = path.loops();
  const auto each = turns(loops, 1), all = turns(loops, 0);
  if (!each || !all ||
      static_cast<double>(*all) > (1 + most_made_twice) * static_cast<double>(made->spatial_points))
    return illegal("parts would be made several times");
  if (*each * static_cast<std::int64_t>(byte_size(made->store().type)) > machine.l2.bytes / 2)
    return illegal("a part of it does not stay near");
  const std::int64_t lanes = machine.lanes(made->widest_bytes);
  return draft.vectorize(TRY(draft.split(own.back(), {-1, 2 * lanes}))[1]);
}

}  // namespace loopglass::schedule
