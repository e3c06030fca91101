// The calls that a nest offers: every primitive, with what its parameters have to choose from. What
// a menu on a loop or block lists, legal or greyed.
#pragma once

#include "core/script/trace.h"

namespace loopglass::schedule {

struct OfferedCall {
  const Primitive* primitive;
  std::vector<Argument> arguments;
};

// Those that name the loop, block or buffer `entity`; all where it is empty. In the table's order.
std::vector<OfferedCall> offered_calls(const loop::Func& func, const std::string& entity = {});

// As a line of script that stands by itself: what can be written without quotes is.
Instruction to_instruction(const OfferedCall& call);

}  // namespace loopglass::schedule
