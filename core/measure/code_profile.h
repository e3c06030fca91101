// In which lines of its assembly a kernel spends its time: it runs again and again, and a timer
// looks where it is (sampler.h).
#pragma once

#include "core/codegen/kernel_listings.h"
#include "core/kernel/stages.h"
#include "core/measure/worker_pool.h"

#include <map>
#include <string>
#include <vector>

namespace loopglass::measure {

struct CodeProfile {
  std::vector<std::int64_t> samples;  // of each line of the assembly
  std::int64_t all = 0;               // of the lines, and
  std::int64_t elsewhere = 0;         // in functions of the C library, and where they are called
  double milliseconds = 0;            // that a run takes

  // Of the time, of one line; 0 where nothing was seen.
  double share(std::size_t line) const;
};

struct ProfileAsked {
  const kernel::Lowered& kernel;
  const codegen::KernelListings& listings;  // of it
  Machine machine = {};
  std::map<std::string, std::int64_t> symbols = {};  // values of the nest's
  double milliseconds = 400;                         // to look for
};

// On one thread, in a worker, on random numbers. What generate() and WorkerPool::diagnose say;
// CodegenFailed where the listing is not of the kernel's code.
Result<CodeProfile> profile_code(const ProfileAsked& asked, WorkerPool& workers,
                                 const Cancellation& cancellation = {});

// A loop of machine code by itself, or what lies outside of all: its lines that are in no loop
// within it.
struct CodeRegion {
  codegen::LoopSpan span;
  bool is_loop = false, is_innermost = false;
  std::vector<std::size_t> lines;
  std::int64_t samples = 0;
};
// Those in which something was seen, most first.
std::vector<CodeRegion> hot_regions(const codegen::SourceLines& assembly,
                                    const CodeProfile& profile);

}  // namespace loopglass::measure
