// A perfect nest around one store, which the interpreter runs in batches of lanes where the order
// of the iterations cannot matter, and one by one elsewhere.
#pragma once

#include "core/loop/lanes.h"

namespace loopglass::loop::lanes {

// One resolved statement, ready to run.
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(Slots& slots) = 0;
};
using StepPtr = std::unique_ptr<Step>;

struct NestLoop {
  int slot;
  std::int64_t extent;
};

// The innermost statement of a nest, with everything in terms of loop variables.
struct Leaf {
  std::vector<Expr> conditions;  // all must hold, tested in this order
  Expr init_condition;           // undefined: no init
  const Store* init = nullptr;
  std::vector<Expr> init_zeros;  // where known: init_condition is that all of these are 0
  const Store* store = nullptr;
};

// How many of the innermost loops `make_kernel` takes for its own; the caller makes loops of the
// others.
std::size_t batched_loops(const std::vector<NestLoop>& loops, const Leaf& leaf,
                          const Environment& environment);

StepPtr make_kernel(std::span<const NestLoop> batched, const Leaf& leaf,
                    const Environment& environment);

}  // namespace loopglass::loop::lanes
