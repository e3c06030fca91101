// Which results of a kernel may be written over an operand: decided on the scheduled Func, because
// a schedule decides how often and in what order elements are read.
#pragma once

#include "core/loop/func.h"

namespace loopglass::schedule {

// Positions among a Func's parameters.
struct InPlace {
  std::size_t read, written;
  friend bool operator==(const InPlace&, const InPlace&) = default;
};

// All pairs of a parameter that is read and one that is written for which the Func computes the
// same when both are one memory: they have as many elements of one size, the written one is stored
// to by a single statement, once per element, and the other is loaded nowhere but in that
// statement, at the place it stores to, and in loop nests that are over before it. Nests that come
// after may read what was written. An operand that a later nest or another tile reads again is
// therefore not among them. Each pair is right by itself; who uses two at once gives each parameter
// only one partner. Loop passes keep the order of loads and stores, so what holds here holds for
// the lowered Func.
std::vector<InPlace> in_place_pairs(const loop::Func& scheduled);

}  // namespace loopglass::schedule
