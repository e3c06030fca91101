// The innermost loop of machine code on LLVM's model of a processor: llvm-mca as a library. It
// knows which ports an instruction may take and how long results are awaited, and takes for granted
// that everything lies in the first cache and every jump is foreseen.
//
// Models may be wrong: of processors that are newer than the library by a factor (fitting_model).
#pragma once

#include "core/codegen/innermost_code.h"
#include "core/support/result.h"

#include <string>
#include <vector>

namespace loopglass::codegen {

struct ModelledInstruction {
  std::size_t line = 0;  // of the assembly
  int micro_operations = 0, latency = 0;
  std::vector<double> pressure;  // cycles in an iteration that it takes of each port
  // Of the iterations that are told moment by moment, the cycles at which it is handed out, begun,
  // done and retired; as many as these iterations.
  struct Moments {
    int dispatched = 0, issued = 0, executed = 0, retired = 0;
  };
  std::vector<Moments> timeline;
};

struct PipelineModel {
  std::string processor;  // whose model
  LoopSpan loop;
  double cycles = 0;               // of an iteration, in the long run
  std::vector<std::string> ports;  // those that are used
  std::vector<double> pressure;    // cycles in an iteration, of each
  // Parts of all cycles in which something had to wait for a port, or for a result.
  double waiting_for_ports = 0, waiting_for_results = 0;
  std::vector<ModelledInstruction> instructions;
};

// `processor`: as LLVM calls it ("znver4"); empty: this one. CodegenUnsupported where an
// instruction is not known there, or the processor is none.
Result<PipelineModel> model_pipeline(const SourceLines& assembly, const LoopSpan& loop,
                                     const std::string& processor = {});

// Of models that know this machine's instructions one that comes as near to `cycles` for an
// iteration of the loop, so many as were measured, as a measurement tells: this processor's own
// before all others.
Result<std::string> fitting_model(const SourceLines& assembly, const LoopSpan& loop, double cycles);

}  // namespace loopglass::codegen
