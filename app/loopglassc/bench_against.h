// loopglassc bench --against: each kernel beside a library of hand-written ones, and beside ONNX
// Runtime the whole network, too.
#pragma once

#include "app/common/exit_codes.h"
#include "app/loopglassc/network_beside.h"
#include "core/session.h"

#include <optional>

namespace loopglass::app {

struct AgainstOptions {
  std::string library;  // "onednn" or "onnxruntime"
  std::string kernel;   // by name or number; empty: all
  int threads = 1;
  int blocks = 10;                            // of each contestant
  std::optional<std::uint64_t> kernels = {};  // that are listed
  bool json = false;
  NetworkAsked network = {};
};

// Prints a row for each kernel with a convolution or a product. Exit::Bad where a result is not the
// library's. LibraryMissing; LibraryRefused where the library computes none of them.
Result<Exit> bench_against(Session& session, const AgainstOptions& options);

}  // namespace loopglass::app
