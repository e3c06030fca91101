// What handles stand for that have been decided (sampling.h), put in the places where they are
// used.
#pragma once

#include "core/script/trace.h"

#include <map>

namespace loopglass::schedule {

class Settling {
 public:
  void bind(const std::string& handle, ScriptArgument value) {
    values_.insert_or_assign(handle, std::move(value));
  }
  void forget(const std::string& handle) { values_.erase(handle); }
  bool knows(const std::string& handle) const { return values_.contains(handle); }

  // In a list of handles, one that stands for several becomes these; in a text, "{t}" and "{t.1}"
  // become numbers.
  ScriptArgument operator()(const ScriptArgument& argument) const;
  Instruction operator()(Instruction line) const;

 private:
  std::string filled_in(const std::string& text) const;

  std::map<std::string, ScriptArgument> values_;
};

}  // namespace loopglass::schedule
