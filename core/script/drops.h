// What a nest's loops and blocks become when one is dragged onto another: a loop takes another
// place in its chain, a block is computed in a loop. Each as the line that says so, legal or not.
#pragma once

#include "core/script/judge.h"

namespace loopglass::schedule {

struct Drop {
  std::string target;  // a loop
  Verdict verdict;
};

// All places that `entity`, a loop or a block, may be dropped on, in the order of the nest. A loop
// that is dropped on one further out goes around it, on one further in directly inside it; beyond
// its chain it may not be dropped, and it is said why. A block is computed in a loop of its
// readers, or of what it reads. Cancelled.
Result<std::vector<Drop>> drops(const Replayer& replayer, const std::string& entity,
                                const Cancellation& cancellation = {}, Clash clash = Clash::Ignore);

}  // namespace loopglass::schedule
