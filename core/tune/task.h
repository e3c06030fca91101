// What is tuned: a kernel's loop nest on a machine.
#pragma once

#include "core/loop/func.h"
#include "core/machine/machine.h"
#include "core/script/trace.h"

#include <map>
#include <string>

namespace loopglass::tune {

struct Task {
  std::string kernel;                                // its name
  loop::Func nest;                                   // before anything is scheduled
  std::map<std::string, std::int64_t> symbols = {};  // extents that it is measured with
  Machine machine = {};
  int threads = 1;
  int times = 1;  // how often a run of the network computes it
};

// What records know it by: 16 digits.
std::string workload_of(const Task& task);
double flops_of(const Task& task);

}  // namespace loopglass::tune
