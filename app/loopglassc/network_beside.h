// A whole network beside ONNX Runtime's run of the same model, as text and as JSON.
#pragma once

#include "core/library/network_comparison.h"
#include "core/library/onnx_runtime.h"
#include "core/session.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace loopglass::app {

struct NetworkBeside {
  std::optional<library::NetworkComparison> comparison = {};
  std::optional<Diagnostic> refusal = {};  // why there is none
  // Products of which the model lets who computes them round an operand to bytes, and of how many
  // that is done here.
  std::int64_t may_round = 0, rounded = 0;
  library::ByteProducts products = library::ByteProducts::Exact;  // that it was asked for
};

struct NetworkAsked {
  onnx::Source model = {};  // that the session was opened from
  bool is_inside_operator = false;
  std::map<std::string, Tensor> inputs = {};  // by name; the others are random
};

// Of the file that the session was opened from, or of the graph that it imported where that is a
// graph inside an operator. What ONNX Runtime does not run, or has kernels missing here, is a
// refusal; LibraryMissing and Cancelled are errors.
Result<NetworkBeside> network_beside(Session& session, const NetworkAsked& asked,
                                     runtime::ThreadPool& pool, int blocks,
                                     const Progress& progress, const Cancellation& cancellation);

void print(const NetworkBeside& network);
// {refusal, ours, theirs, ratio, output, difference, largest, tolerance, agrees, may_round,
// rounded, exact_products}
nlohmann::ordered_json to_json(const NetworkBeside& network);

}  // namespace loopglass::app
