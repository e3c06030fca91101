// The ordered, visible table of everything a person can step through, each with the reason for its
// place.
#pragma once

#include "core/session.h"

namespace loopglass::passes {

// In the order in which it makes sense to read about them; presets say what runs when.
std::vector<pass::GraphPass> graph_passes(const Machine& machine);
std::vector<pass::Preset> presets();
std::vector<fusion::Strategy> fusion_strategies();
std::vector<pass::FuncPass> loop_passes();
Toolchain toolchain(const Machine& machine);
// For the machine at hand, as far as it can be looked up; nothing measured: a network is compiled
// alike before and after a calibration, which only estimates follow.
Toolchain toolchain();

}  // namespace loopglass::passes
