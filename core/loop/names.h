// Names for what is put into a nest.
#pragma once

#include "core/loop/func.h"

#include <set>
#include <string>

namespace loopglass::loop {

// Names not yet taken by any loop, block, buffer, iteration variable or symbol of a Func.
class Names {
 public:
  explicit Names(const Func& func);
  std::string fresh(const std::string& wanted);
  // Of a block that stands nowhere while loops for it are named.
  void keep_clear_of(const Block& block);

 private:
  std::set<std::string> taken_;
};

// What to call a new loop over a block's iteration: as the loop it is bound to, where it is just
// one.
std::string loop_name(const IterVar& iter);

}  // namespace loopglass::loop
