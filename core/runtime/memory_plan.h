// Where every intermediate of a compiled network lives: lifetimes over the kernels' order, results
// written over operands that die, offsets in one arena. Known before anything is compiled; the
// executor goes by exactly this plan.
#pragma once

#include "core/dependence/in_place.h"
#include "core/graph/graph.h"
#include "core/loop/func.h"
#include "core/placement/placement.h"
#include "core/runtime/arena.h"

namespace loopglass::runtime {

// What planning needs of a kernel.
struct KernelUse {
  std::vector<graph::ValueId> arguments;  // per Func parameter
  std::vector<loop::Buffer> parameters;
  std::vector<schedule::InPlace> in_place;  // what it was scheduled, and compiled, to bear
  std::int64_t workspace_bytes = 0;
  std::vector<placement::Place> places = {};  // of the arguments; empty: each has its own memory
  // Results that lie ready once it has run, or been skipped.
  std::vector<graph::ValueId> handed_on = {};

  placement::Place place(std::size_t argument) const {
    return places.empty() ? placement::Place{arguments[argument], 0} : places[argument];
  }
};

// Of a kernel without a program: its operands and results, each as a whole.
KernelUse use_of_missing(const graph::Graph& graph, const placement::PlacedKernel& placed);

// An intermediate, or several that share memory: what kernels write and others read. Graph inputs,
// outputs and constants have memory of their own.
struct PlannedBuffer {
  graph::ValueId value;
  std::string name;
  std::int64_t bytes = 0;
  int first = 0, last = 0;     // kernels that write it first and that read it last
  std::int64_t offset = 0;     // in the arena
  graph::ValueId in_place_of;  // the value it is written over; invalid: none
};

struct MemoryPlan {
  std::vector<PlannedBuffer> buffers;  // in the order in which they are written
  std::vector<placement::SharedValue>
      shared;  // values in memory of others, the caller's too, by value id
  std::size_t kernels = 0;
  // Bytes of intermediates alive during each kernel, in-place pairs once.
  std::vector<std::int64_t> live;

  std::int64_t separate_bytes = 0;  // if every buffer had memory of its own
  std::int64_t live_peak = 0;       // most bytes alive at once, if nothing were written in place
  std::int64_t lower_bound = 0;     // the same with what is written in place: no arena is smaller
  std::int64_t arena_bytes = 0;     // what the plan takes
  // Behind it, where rows with gaps end that no kernel touches there.
  std::int64_t margin_bytes = 0;

  // What a run takes beside the arena.
  std::int64_t workspace_bytes = 0;  // of the greediest kernel
  std::int64_t input_bytes = 0, output_bytes = 0;
  std::int64_t constant_bytes = 0;  // as the graph has them
  std::int64_t packed_bytes = 0;    // copies in the layout that kernels want

  const PlannedBuffer* find(graph::ValueId value) const;  // nullptr: not in the arena
  // The kernel during which most is alive; -1 when there is no intermediate.
  int peak_kernel() const;
};

// ModelTooLarge when the sizes add up to more than can be addressed.
// `shared`: what places of the kernels' arguments follow from; it is kept with the plan.
Result<MemoryPlan> plan_memory(const graph::Graph& graph, std::span<const KernelUse> kernels,
                               std::vector<placement::SharedValue> shared = {});

// For running operator by operator, each result let go after its last use, as the reference
// interpreter does: ModelTooLarge or OutOfMemory when that is more than the machine has.
Result<void> check_memory_of_operators(const graph::Graph& graph);

}  // namespace loopglass::runtime
