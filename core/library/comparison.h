// A kernel beside what a library makes of the same operators: their results, and their times in one
// run.
//
// The library is an oracle that shares nothing with the compiler: its result, carried through what
// operators of the kernel it does not have by the reference interpreter, has to be the kernel's.
// Times are of the kernel by itself, with its operands in the caches as the run before leaves them;
// the contestants take turns in blocks, so that the machine's moods fall on all. Constant weights
// lie where each wants them before anything is timed, and so do, unless that is asked for, tensors
// in layouts of the library's own.
#pragma once

#include "core/library/block_times.h"
#include "core/library/kernel_alone.h"
#include "core/library/kernel_part.h"
#include "core/library/library.h"
#include "core/support/cancellation.h"

namespace loopglass::library {

struct ComparisonOptions {
  int threads = 1;
  int blocks = 10;  // of each contestant
  // Whether the library's times have in them what it takes to bring tensors to its layouts and
  // back, as where it computes a kernel of a network that has others.
  bool with_moves = false;
  Cancellation cancellation;
};

// How the library did, with tensors in one kind of layouts.
struct Attempt {
  std::string implementation, layouts;  // as the library calls them
  runtime::Statistics time;             // over the blocks
  // It has only a reference there, which is neither run nor timed.
  bool is_reference = false;
};

struct Comparison {
  runtime::Statistics ours;
  Attempt given, own;
  Layouts best = Layouts::Own;  // which the ratio is to: what took less
  Ratio ratio;
  // The largest difference of the results, and the largest of these; what may differ.
  double difference = 0, largest = 0, tolerance = 0;
  // Where all that comes in is NaN: false where the library makes numbers of what generated code
  // leaves NaN, as ONNX lets it.
  bool keeps_nan = true;
  bool agrees() const { return difference <= tolerance; }
  const Attempt& theirs() const { return best == Layouts::Own ? own : given; }
};

// LibraryRefused (also where the library has a reference alone), OutOfMemory, Cancelled. On as many
// threads as `pool` has, which the library was told of.
Result<Comparison> compare(const Subject& subject, const KernelPart& part, Library& library,
                           runtime::ThreadPool& pool, const ComparisonOptions& options);

}  // namespace loopglass::library
