// A person's edits of the fusion plan, with what was undone.
#pragma once

#include "core/fusion/edits.h"

#include <vector>

namespace loopglass::views {

class EditHistory {
 public:
  const fusion::EditScript& script() const { return states_[at_]; }
  void set(fusion::EditScript script) {  // what was undone is forgotten
    if (script == this->script()) return;
    states_.resize(at_ + 1);
    states_.push_back(std::move(script));
    ++at_;
  }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  void undo() { at_ -= can_undo(); }
  void redo() { at_ += can_redo(); }
  friend bool operator==(const EditHistory&, const EditHistory&) = default;

 private:
  std::vector<fusion::EditScript> states_{1};
  std::size_t at_ = 0;
};

}  // namespace loopglass::views
