// A whole network beside ONNX Runtime's run of the same model: their results, and their times in
// one run.
//
// Both read the same random inputs and write into outputs that are kept from run to run. They take
// turns in blocks, so that the machine's moods fall on both.
#pragma once

#include "core/library/block_times.h"
#include "core/library/onnx_runtime.h"
#include "core/runtime/executor.h"
#include "core/support/cancellation.h"

namespace loopglass::library {

struct NetworkComparison {
  runtime::Statistics ours, theirs;  // over the blocks
  Ratio ratio;                       // of ours by theirs
  // Of the output that differs most, by what it may: its name, the largest difference of its
  // elements, the largest of these, and what may differ.
  std::string output;
  double difference = 0, largest = 0, tolerance = 0;
  bool agrees() const { return difference <= tolerance; }
};

// LibraryRefused with ONNX Runtime's own words, OutOfMemory, Cancelled. `blocks` of each. `bound`:
// inputs of the model that are constants of ours.
Result<NetworkComparison> compare_network(runtime::Executor& ours, OnnxRuntimeModel& theirs,
                                          const std::map<std::string, Tensor>& bound,
                                          runtime::ThreadPool& pool, int blocks,
                                          const Cancellation& cancellation);

}  // namespace loopglass::library
