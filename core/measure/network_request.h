// Networks that a worker is asked to time in turns, and what it tells and answers: values that
// become frames and come back from them (network_frames.cpp).
//
// A network is handed over compiled: object code, wiring and constants. So nothing is compiled
// twice, no model is read again, and what is timed is what the asking process has, whatever it was
// made of. Tensors come through memory that both see, since there may be gigabytes of them.
#pragma once

#include "core/codegen/object_code.h"
#include "core/measure/frame.h"
#include "core/runtime/turns.h"

#include <string_view>

namespace loopglass::measure {

// The job's name in frames.
inline constexpr std::string_view networks_job_name = "networks";

struct NetworksRequest {
  struct Shared {
    TensorType type;
    std::size_t offset = 0;  // in the memory
  };
  struct Network {
    runtime::Wiring wiring;
    std::vector<codegen::ObjectCode> code;       // of the kernels that have some, in their order
    std::vector<std::size_t> constants, inputs;  // the wiring's, by their places in `tensors`
  };
  std::vector<Network> networks;
  std::vector<Shared> tensors;  // of all networks: what several read is there once
  std::string memory;           // SharedBytes' path
  std::size_t memory_bytes = 0;
  std::string enough;  // the path of one byte more: no further rounds once it is not zero
  int threads = 1, warm_up = 0, rounds = 0;
  bool want_outputs = false;
};

// What is told meanwhile.
struct NetworksProgress {
  bool has_tensors = false;  // the shared memory is no longer needed
  int round = -1;            // that has been timed, with these milliseconds; -1: none yet
  std::vector<double> milliseconds;
};

Frame to_frame(NetworksRequest request);
Frame to_frame(NetworksProgress progress);
Frame to_frame(Result<runtime::TurnTimes> answer);
// UsageInvalid: not such a frame.
Result<NetworksRequest> networks_request_from(const Frame& frame);
Result<NetworksProgress> networks_progress_from(const Frame& frame);
Result<runtime::TurnTimes> turn_times_from(const Frame& frame);  // or what was answered instead

}  // namespace loopglass::measure
