// Small nests with dependences that tensor expressions cannot make, as loop text.
#pragma once

#include <string>
#include <vector>

namespace loopglass::schedule {

// One block under two or three loops: stores that overlap, are strided or wrap round, scans,
// values carried from iteration to iteration, updates with and without a reducer, predicates,
// triangular bounds.
std::vector<std::string> single_block_nests();

// A buffer's writers, the block that reads it, and what happens in between and after: beside one
// another, in one loop, or repeated; statements outside blocks among them.
std::vector<std::string> several_block_nests();

}  // namespace loopglass::schedule
