// What keeps a kernel from running faster: its time held against the roofs, and where it is far
// from all of them, against experiments (experiment.h), the assembly, and what its innermost loop
// is by counting.
//
// A kernel runs by itself, over and over: what fits a cache is there when the next run begins.
#pragma once

#include "core/codegen/innermost_code.h"
#include "core/loop/func.h"
#include "core/measure/worker_pool.h"
#include "core/roofline/experiment.h"
#include "core/roofline/roofs.h"
#include "core/roofline/traffic.h"
#include "core/support/result.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::roofline {

enum class Bound : std::uint8_t {
  Compute,    // multiply-adds
  Functions,  // exp, tanh and the like, and divisions
  L1,         // reading from the level, at its bandwidth or in an order that does not reach it
  L2,
  L3,
  Memory,
  Latency,     // too few sums at a time: each waits for its last multiply-add
  Loads,       // the processor asks for more than it may in a cycle
  Spills,      // vector registers go to the stack
  Shuffles,    // lanes change places
  Scalar,      // no vectors
  Tail,        // a part of what is computed is never wanted
  Imbalance,   // some threads wait for others
  Launch,      // the kernel is shorter than it takes to call it
  Unexplained  // nothing of the above
};
inline constexpr std::array all_bounds{
    Bound::Compute, Bound::Functions, Bound::L1,        Bound::L2,     Bound::L3,
    Bound::Memory,  Bound::Latency,   Bound::Loads,     Bound::Spills, Bound::Shuffles,
    Bound::Scalar,  Bound::Tail,      Bound::Imbalance, Bound::Launch, Bound::Unexplained};
std::string_view name(Bound bound);  // "COMPUTE"
std::string_view doc(Bound bound);   // what it means, a sentence
// What is to be tried, a sentence.
std::string_view advice(Bound bound);
std::optional<Bound> bound_named(std::string_view name);

// What the kernel would take if this alone were in its way.
struct Ceiling {
  Bound bound;
  double milliseconds = 0;
  double share = 0;  // of the measured time
};

struct Trial {
  Experiment experiment;
  double milliseconds = 0;
};

struct Verdict {
  double milliseconds = 0;  // measured
  int threads = 1;
  Traffic traffic;
  std::vector<Ceiling> ceilings;  // the highest first
  std::vector<Trial> trials;      // those that were run
  Bound bound = Bound::Unexplained;
  std::string sentence;            // why, with the numbers
  std::vector<std::string> notes;  // what speaks against it, and what else is in the way
  // What it would take if this did not bind, at the least: what the next thing asks for.
  double otherwise_ms = 0;

  double gflops() const { return traffic.useful_flops / milliseconds * 1e-6; }
  // Of the highest roof that it can have: min(peak, FLOPs a byte times a level's bandwidth).
  double share_of_roof() const { return ceilings.empty() ? 0 : ceilings.front().share; }
};

struct Asked {
  loop::Func initial;
  loop::Func scheduled;  // with the symbols' values in their place
  std::string script;
  std::map<std::string, std::int64_t> symbols = {};  // of `initial`
  Machine machine = {};
  int threads = 1;
  // Of its machine code, which is looked at only where nothing else explains its time. Undefined:
  // nobody looks.
  std::function<std::optional<codegen::InnermostInstructions>()> code = {};
};

// Times the kernel, and what is needed of experiments, in a worker. What WorkerPool::diagnose says,
// of the kernel as it is; an experiment that does not run is left out.
Result<Verdict> verdict_of(const Asked& asked, const Roofs& roofs, measure::WorkerPool& workers,
                           const Cancellation& cancellation = {});

}  // namespace loopglass::roofline
