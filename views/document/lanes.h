// The lanes of the document's jobs: one per stage, so that a newer request replaces an older one.
#pragma once

#include <QString>

namespace loopglass::views::lanes {

inline const QString opening = "opening", model = "model", position = "position",
                     dominators = "dominators", plan = "plan", kernel = "kernel",
                     machine_code = "machine code", llvm_step = "llvm step",
                     code_times = "code times", benchmark = "benchmark", script = "script",
                     script_times = "script times", nest_menu = "nest menu",
                     iterations = "iterations", nodes = "node history", stops = "stops",
                     diff = "diff", memory = "memory", tuning = "tuning",
                     tuning_records = "tuning records", tuned_network = "tuned network",
                     tuned_kernels = "tuned kernels", roofline = "roofline";

}  // namespace loopglass::views::lanes
