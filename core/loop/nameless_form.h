// What a Func is, whatever its names: two Funcs whose forms are equal compute the same in the same
// order, loop by loop. Object code and schedules are known by it.
#pragma once

#include "core/loop/func.h"

namespace loopglass::loop {

// Names are numbered as they come, variables of blocks within their block. Origins and packings,
// which say where things come from, and regions, which follow from blocks, are left out.
struct NamelessForm {
  std::string bytes;  // as good as the Func itself: no digest
  // By number: in Funcs of equal form, the same place means the same thing.
  std::vector<std::string> buffers, blocks, loops;
};
NamelessForm nameless_form(const Func& func);

}  // namespace loopglass::loop
