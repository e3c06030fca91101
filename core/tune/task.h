// What is tuned: a kernel's loop nest on a machine, and what a person says of it.
#pragma once

#include "core/loop/func.h"
#include "core/machine/machine.h"
#include "core/script/trace.h"
#include "core/tune/knob_rule.h"

#include <map>
#include <string>
#include <vector>

namespace loopglass::tune {

struct Task {
  std::string kernel;                                // its name
  loop::Func nest;                                   // before anything is scheduled
  std::map<std::string, std::int64_t> symbols = {};  // extents that it is measured with
  Machine machine = {};
  int threads = 1;
  int times = 1;  // how often a run of the network computes it
  // What a person says of it from the beginning.
  std::vector<KnobRule> rules = {};
  std::vector<std::string> own_scripts = {};  // that are tried first
};

// What records know it by: 16 digits.
std::string workload_of(const Task& task);
double flops_of(const Task& task);

}  // namespace loopglass::tune
