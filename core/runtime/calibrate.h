// The machine as kernels of this compiler find it: small networks, timed on one thread, give the
// rates that plans, layouts and tiles are weighed by, and some more what the cost model is wrong
// by.
#pragma once

#include "core/fusion/cost_model.h"
#include "core/runtime/executor.h"
#include "core/support/cancellation.h"

namespace loopglass::runtime {

// Compiles a network with every operator its own kernel, as given.
using CompileNetwork = std::function<Result<std::shared_ptr<Executor>>(graph::Graph)>;

// One measurement that a constant follows from.
struct CalibrationRow {
  std::string name;  // "matrix product 384x384x384"
  double microseconds = 0;
  // 0: not what it is about. A copy computes nothing worth counting, a call neither computes nor
  // moves.
  double gflops = 0, gigabytes_per_second = 0;
};

struct CalibrationOptions {
  int rounds = 20;  // of each network, at least; small ones run more often
  Progress progress;
  Cancellation cancellation;
  // The first rows of a calibration that was interrupted: they are not measured again, and the new
  // ones are added. Null: all are measured.
  std::vector<CalibrationRow>* begun = nullptr;
};

struct Calibration {
  Machine machine;
  std::vector<CalibrationRow> rows;
};

// Microseconds that a network takes to call a kernel, which is the first thing calibrate()
// measures.
Result<double> time_of_a_call(const CompileNetwork& compile,
                              const CalibrationOptions& options = {});

// `machine`, whose sizes say what to time, with measured rates.
Result<Calibration> calibrate(Machine machine, const CompileNetwork& compile,
                              const CalibrationOptions& options = {});

}  // namespace loopglass::runtime
