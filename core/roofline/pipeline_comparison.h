// What LLVM's model of a processor foretells of a kernel's main loop, beside what was measured.
#pragma once

#include "core/codegen/pipeline_model.h"
#include "core/roofline/verdict.h"

namespace loopglass::roofline {

struct PipelineComparison {
  std::string processor;       // whose model
  double modelled_cycles = 0;  // of an iteration of the loop
  double measured_cycles = 0;
  std::string busiest_port;
  double busy_cycles = 0;                                 // of it, in an iteration
  double waiting_for_ports = 0, waiting_for_results = 0;  // parts of all cycles
  bool is_bound_by_memory = false;                        // by the verdict
  // A sentence.
  std::string words() const;
  friend bool operator==(const PipelineComparison&, const PipelineComparison&) = default;
};

// Of an iteration of a kernel's main loop, by what all of the kernel takes: its multiply-adds are
// in that loop. nullopt: it has none, or other arithmetic beside them, or the clock is not known.
std::optional<double> measured_cycles(const codegen::SourceLines& assembly, const Traffic& traffic,
                                      double milliseconds, const Roofs& roofs);

// Of a kernel whose multiply-adds are in one loop, that with the most of them; nullopt where it has
// none, or the clock is not known. `model`: as fitting_model_of() found it.
std::optional<PipelineComparison> compare_with_model(const codegen::SourceLines& assembly,
                                                     const Verdict& verdict, const Roofs& roofs,
                                                     const std::string& model);

// Whose model foretells best what multiply-adds take here: `assembly` of multiply_adds().
std::string fitting_model_of(const codegen::SourceLines& assembly, const Roofs& roofs);

}  // namespace loopglass::roofline
