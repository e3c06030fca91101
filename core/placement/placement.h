// Values that need no memory of their own. What concatenates writes nothing where its operands can
// be written into its result at once; a part of a tensor, or a tensor under another shape, is read
// where it lies. Which kernels copy is read off what they compute (copies.h), and what is left for
// each to compute becomes its program.
//
// Values that share memory form trees: one of them is the buffer, all others lie in it. Every byte
// of a buffer is written by one kernel alone, once in a run, so what lies in it means the same for
// as long as the buffer lives, whoever reads it and in whatever order. Memory that a caller sees
// (inputs and outputs of the graph, constants) is always a buffer, never part of one.
#pragma once

#include "core/fusion/kernel.h"
#include "core/placement/copy_reason.h"
#include "core/placement/rows.h"

namespace loopglass::placement {

// A part of a kernel's result that is copied from `operand`.
struct KeptCopy {
  graph::ValueId result, operand;
  std::int64_t bytes = 0;
  CopyReason reason;
};

// Where a value lies: `buffer` is a value with memory of its own, perhaps the value itself.
struct Place {
  graph::ValueId buffer;
  std::int64_t offset = 0;  // in bytes
  friend bool operator==(const Place&, const Place&) = default;
};

// A value in another's memory.
struct SharedValue {
  graph::ValueId value;
  Rows rows;
  Place place;
  bool dense = true;  // one run of bytes; else rows with gaps
};

// What is left of a group's kernel.
struct PlacedKernel {
  fusion::KernelProgram kernel;  // without what others have written; a result may come in parts
  std::vector<Place> places;     // of its inputs, then of its outputs
  std::vector<graph::ValueId> handed_on;  // results that lie ready, and need no code
  std::vector<KeptCopy> copies;

  // There is no program: what it would compute is not known here.
  bool is_missing() const { return fusion::is_missing(kernel); }
  // Nothing is left to compute.
  bool is_view() const { return kernel.outputs.empty(); }
};

struct Placement {
  std::vector<PlacedKernel> kernels;  // as given
  std::vector<SharedValue> shared;    // by value id

  const SharedValue* find(graph::ValueId value) const;  // nullptr: it has memory of its own
};

// `kernels` in the order they run; one without a program (fusion::interface_of) finds all that it
// reads and makes in memory of its own. `share` false: every value has memory of its own.
Placement place_values(const graph::Graph& graph, const std::vector<fusion::KernelProgram>& kernels,
                       bool share = true);

// "concat2 in memory of concat1, ...": what a view's results are, for people.
std::string describe_view(const PlacedKernel& kernel, const Placement& placement,
                          const graph::Graph& graph);

}  // namespace loopglass::placement
