// What if? The same model through two pipelines: their timelines aligned, and their networks
// compared in results, in what they are made of, and in time.
#pragma once

#include "core/debug/lens.h"
#include "core/graph/counts.h"

namespace loopglass::debug {

struct CounterfactualOptions {
  std::optional<Inputs> inputs;  // none: random
  Tolerance tolerance;
  int threads = runtime::hardware_threads();
  bool run = true;     // compiles both and compares their results
  bool bench = false;  // times both, round by round in turns
  int rounds = 15, warm_up = 3;
  Control control;
  std::shared_ptr<measure::WorkerPool> workers = nullptr;  // that run them; null: this process
};

// One of the two networks.
struct Side {
  std::string pipeline;  // written out, without passes that are switched off
  std::shared_ptr<const pass::GraphHistory> history;
  graph::Counts counts;  // of the graph it ends in
  // With fusion:
  std::size_t kernels = 0;
  std::int64_t kernel_flops = 0;  // with what is computed more than once
  std::shared_ptr<const runtime::MemoryPlan> memory;
  std::optional<runtime::Statistics> time;  // with `bench`
};

// Steps of both sides that are the same pass in the same round stand in one row.
struct AlignedStep {
  std::optional<std::size_t> left, right;  // indices into the histories
  bool same_graph = false;                 // both are there and their results have the same content
};

struct Counterfactual {
  Side left, right;
  // The longest common subsequence, and between it what one side has.
  std::vector<AlignedStep> steps;
  std::vector<Difference> outputs;       // of the networks; empty when not run
  bool agree = true;                     // within the tolerance
  std::optional<MachineLoad> load = {};  // while both were timed; nothing: not known
  int threads = 1;                       // they were timed on
};

// `options` with a pass switched off where it is on, and on where it is off. PassUnknown, or
// UsageInvalid when the pipeline does not name it.
Result<SessionOptions> toggled(const Toolchain& toolchain, SessionOptions options,
                               const std::string& pass);

std::vector<AlignedStep> align(const pass::GraphHistory& left, const pass::GraphHistory& right);

// Of the sides' options the pipeline, disabled passes, stop, settings and strategy count.
Result<Counterfactual> counterfactual(const Toolchain& toolchain,
                                      std::shared_ptr<const onnx::Model> model,
                                      const SessionOptions& left, const SessionOptions& right,
                                      const CounterfactualOptions& options = {});

}  // namespace loopglass::debug
