#include "core/schedule/initial_block.h"

#include "core/dependence/dependence.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/schedule/move.h"

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

struct BegunSum {
  const Block *initial = nullptr, *sum = nullptr;
};

// What stores to a buffer, where it is such a pair.
BegunSum begun_sum(const Func& func, const std::string& buffer) {
  const std::vector<Access> accesses = accesses_of(func.body);
  if (std::ranges::any_of(accesses, [&](const Access& access) {
        return access.is_store && access.buffer == buffer && !access.block;
      }))
    return {};
  const std::vector<const Block*> writers = writers_of(func.body, buffer);
  if (writers.size() != 2) return {};
  const BegunSum pair{writers[0], writers[1]};
  const loop::Store* set = only_store(*pair.initial);
  const bool sets = set && !pair.initial->init && !has_reduction(*pair.initial) &&
                    !loads_itself(*pair.initial) && plain_store_axes(*pair.initial, *set);
  const bool goes_on = only_store(*pair.sum) && !pair.sum->init && updates_by_reducer(*pair.sum);
  return sets && goes_on ? pair : BegunSum{};
}

}  // namespace

const Block* initial_block_of(const Func& func, const Block& sum) {
  const loop::Store* store = only_store(sum);
  const BegunSum pair = store ? begun_sum(func, store->buffer) : BegunSum{};
  return pair.sum && pair.sum->name == sum.name ? pair.initial : nullptr;
}

const Block* sum_begun_by(const Func& func, const Block& initial) {
  const loop::Store* store = only_store(initial);
  const BegunSum pair = store ? begun_sum(func, store->buffer) : BegunSum{};
  return pair.initial && pair.initial->name == initial.name ? pair.sum : nullptr;
}

}  // namespace loopglass::schedule
