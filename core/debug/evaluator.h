// Runs a graph operator by operator and hands out every value asked for as soon as it is computed:
// what the debugger looks at networks with. Each operator is compiled alone, so that
// nothing is hidden inside a fused kernel; small operators, and those that cannot be compiled, are
// interpreted. A value lives until its last use, so memory stays what a run takes. Random numbers
// stand in for what opaque operators would give, the same in every graph of a history: what follows
// from them means nothing, but must not change from pass to pass.
#pragma once

#include "core/session.h"

#include <map>
#include <set>

namespace loopglass::debug {

// Values of graph inputs by name, so that they fit every graph of a history.
using Inputs = std::map<std::string, Tensor>;

// What `loopglassc run` takes with the same seed.
Inputs random_inputs(const graph::Graph& graph, std::uint64_t seed);

// In the order of the graph's inputs. InputMismatch: one has no value.
Result<std::vector<Tensor>> in_order(const Inputs& inputs, const graph::Graph& graph);

// How a longer piece of work is followed and stopped.
struct Control {
  Progress progress;
  Cancellation cancellation;
};
// How networks are timed under it: each round says how many there will be.
runtime::TurnOptions in_turns(int rounds, int warm_up, const Control& control);

// Thread-safe: one run at a time, others wait. Machine code is kept from run to run, and an
// operator that two graphs of a history share is compiled once.
class Evaluator {
 public:
  // `cache`: of object code that outlives it; null: none.
  explicit Evaluator(Toolchain toolchain, int threads = runtime::hardware_threads(),
                     std::shared_ptr<codegen::ObjectCache> cache = nullptr);
  ~Evaluator();

  // A tensor is only valid while it is visited; a copy of it (cheap) is valid for good. A failure
  // ends the run.
  using Visit = std::function<Result<void>(const graph::Value&, const Tensor&)>;

  // Visits the wanted values once each: inputs and constants first, then results as they come, in
  // topological order. Only what they depend on is computed. GraphEntityUnknown: a wanted value is
  // not in the graph. InputMismatch: an input that is needed is missing or of another type.
  Result<void> run(const graph::Graph& graph, const Inputs& inputs,
                   const std::set<graph::ValueId>& wanted, const Visit& visit,
                   const Control& control = {});
  // The graph's outputs, in their order.
  Result<std::vector<Tensor>> outputs(const graph::Graph& graph, const Inputs& inputs,
                                      const Control& control = {});

  // Operators computed so far, either way: for tests and the status bar.
  struct Counts {
    int compiled = 0, interpreted = 0;
  };
  Counts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loopglass::debug
