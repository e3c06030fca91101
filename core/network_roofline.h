// Every kernel of a session under the roofs of its machine, each with what keeps it from going
// faster.
#pragma once

#include "core/kernel_verdict.h"
#include "core/session.h"

namespace loopglass {

struct NetworkRoofline {
  roofline::Roofs roofs;
  std::vector<KernelVerdict> kernels;  // in the plan's order; kernels that are not run left out
  std::vector<std::string> left_out;   // "conv1: why there is no verdict on it"
};

// What it costs a network that its data are far: what its kernels take in it, by themselves, where
// their data are in the caches from the run before, and where the experiment near-data left all of
// them in the first cache (of kernels that it was not made for, or that are no faster then, by
// themselves). So much at the most is saved by whatever brings data nearer, as a kernel does that
// computes its operand tile by tile: constants that come from memory are in it, too.
struct DataDistance {
  double network_ms = 0, alone_ms = 0, near_ms = 0;
  double share() const { return network_ms > 0 ? 1 - near_ms / network_ms : 0; }
};
// Nothing where they were not timed in their network.
std::optional<DataDistance> data_distance(const NetworkRoofline& network);

// With what a network takes to call a kernel, which is of one thread. What
// roofline::measure_roofs says.
Result<roofline::Roofs> measure_roofs(const Toolchain& toolchain, int threads,
                                      measure::WorkerPool& workers, const Progress& progress = {},
                                      const Cancellation& cancellation = {});

struct RooflineRequest {
  std::vector<const fusion::Group*> kernels;
  int threads = 1;
  bool trails = false;  // of each kernel, the verdict after each line of its schedule, too
  // What the network as a whole is timed on; random for those it does not name.
  std::map<std::string, Tensor> inputs = {};
};

// As soon as there is one, with the roofs as they are known by then.
using OnVerdict = std::function<void(const roofline::Roofs&, const KernelVerdict&)>;

// Kernels that compute the same by the same schedule are timed once. `workers` must be there: wrong
// code must not take the process with it. Cancelled, and what measure_roofs says.
Result<NetworkRoofline> network_roofline(Session& session, const RooflineRequest& request,
                                         measure::WorkerPool& workers,
                                         const Progress& progress = {},
                                         const Cancellation& cancellation = {},
                                         const OnVerdict& on_verdict = {});

// Whose model of a processor foretells best what the multiply-adds of the roofs take here; empty:
// none is known to.
std::string fitting_model(const Toolchain& toolchain, const roofline::Roofs& roofs);

// What is asked about a kernel.
roofline::Asked roofline_question(const KernelStages& kernel, const Machine& machine, int threads);
// The same of kernels that compute the same by the same schedule, whatever their names.
std::string computation_of(const roofline::Asked& asked);

}  // namespace loopglass
