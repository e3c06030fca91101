// Runs a nest to see what it touches: by the plain interpreter, on numbers of its own, up to a
// number of accesses. Floating-point numbers are of either sign, for conditions on them; integers
// are 0, for they may be indices.
#pragma once

#include "core/loop/reference_interpreter.h"

namespace loopglass::loop {

class WatchedRun {
 public:
  WatchedRun(const Func& func, std::map<std::string, std::int64_t> symbols,
             std::int64_t most_accesses);

  // False where extents are not known or arguments too large to be made.
  bool can_run() const { return can_run_; }
  const Shape& shape(const std::string& buffer) const { return shapes_.at(buffer); }

  // Thrown by a watch that has seen enough.
  struct Enough {};
  // Whether the nest came to its end. The watch is told the number of each access, from 0.
  bool operator()(const std::function<void(const AccessEvent&, std::int64_t)>& watch) const;

 private:
  const Func& func_;
  std::map<std::string, std::int64_t> symbols_;
  std::int64_t most_accesses_;
  std::map<std::string, Shape> shapes_;
  bool can_run_ = false;
};

}  // namespace loopglass::loop
