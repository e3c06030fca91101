// Brute force over small nests: what a transformation of a nest changed, found by running it.
//
// Both nests run in the plain interpreter, on several inputs, outputs holding values before as
// well (a nest may go on from them). Results must be the same: to the bit, or, where terms of a
// declared reduction may be added in another order, on whole numbers, with which that shows
// nothing. Where the statement instances stay what they were, every element must besides meet them
// in an order that keeps all dependences: flow, anti and output, but for the terms of one declared
// reduction among themselves. Loops whose iterations may run at once must carry none.
#pragma once

#include "core/loop/func.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loopglass::schedule {

enum class Terms : bool { InOrder, InAnyOrder };         // of declared reductions
enum class Instances : bool { Rearranged, AsTheyWere };  // block instances

// Runs a nest once, and what is made of it as often as wanted.
class Oracle {
 public:
  explicit Oracle(loop::Func before);
  ~Oracle();

  // Whether the nest has a meaning of its own to keep: it is sound, leaves no buffer, and reads
  // nothing of its own buffers that was not written.
  bool has_meaning() const;
  // What speaks against taking `after` for the nest; empty if nothing does.
  std::string objection(const loop::Func& after, Terms terms, Instances instances);

 private:
  struct Runs;
  loop::Func before_;
  std::unique_ptr<Runs> runs_;
};

// Arguments for the nest: whole numbers where terms are in any order.
std::vector<Tensor> oracle_arguments(const loop::Func& func, std::uint64_t seed, Terms terms);

}  // namespace loopglass::schedule
