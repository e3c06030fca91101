// A whole network beside ONNX Runtime's run of the same model: their results, and their times in
// one run.
//
// Both read the same inputs, random where they are not known, and write into outputs that are kept
// from run to run. They take turns in blocks, so that the machine's moods fall on both.
#pragma once

#include "core/library/block_times.h"
#include "core/library/onnx_runtime.h"
#include "core/runtime/executor.h"
#include "core/support/cancellation.h"

#include <algorithm>
#include <cmath>

namespace loopglass::library {

struct OutputComparison {
  std::string output;
  double difference = 0;  // the largest of its elements
  double largest = 0;     // of these
  double tolerance = 0;   // what rounding in layers explains
  // Where that is less: how far our own result moves when the inputs do by a millionth, as it does
  // in networks that round to integers on their way.
  double moved = 0;
  double may_differ() const { return std::max(tolerance, std::isfinite(moved) ? 2 * moved : 0); }
  bool agrees() const { return difference <= may_differ(); }
};

struct NetworkComparison {
  runtime::Statistics ours, theirs;  // over the blocks
  Ratio ratio;                       // of ours by theirs
  OutputComparison worst;            // the output that differs most, by what it may
};

// LibraryRefused with ONNX Runtime's own words, OutOfMemory, Cancelled. `blocks` of each. `known`:
// inputs by their names; `bound`: those of the model that are constants of ours.
Result<NetworkComparison> compare_network(runtime::Executor& ours, OnnxRuntimeModel& theirs,
                                          const std::map<std::string, Tensor>& known,
                                          const std::map<std::string, Tensor>& bound,
                                          runtime::ThreadPool& pool, int blocks,
                                          const Cancellation& cancellation);

}  // namespace loopglass::library
