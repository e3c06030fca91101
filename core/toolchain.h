// Everything a person can step through, as tables; passes/pipeline.h fills it.
#pragma once

#include "core/fusion/plan.h"
#include "core/machine/machine.h"
#include "core/pass/pipeline.h"
#include "core/pass/runner.h"

namespace loopglass {

struct Toolchain {
  std::vector<pass::GraphPass> graph_passes;
  std::vector<fusion::Strategy> strategies;  // the first is the default
  std::vector<pass::FuncPass> loop_passes;
  std::vector<pass::Preset> presets;  // of graph passes; the first is the default
  Machine machine;                    // that the passes were made for, and kernels are

  // A preset's name or a pipeline's text, of these passes; empty: the first preset.
  // UsageInvalid, as pass::parse_pipeline says it.
  Result<pass::Pipeline> parse_pipeline(std::string_view text) const;
};

}  // namespace loopglass
