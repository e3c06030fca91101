// What is refused as absurd before anything is allocated for it. Real models stay far below;
// hostile ones do not get to recurse, overflow or fill the memory.
#pragma once

#include "core/support/result.h"
#include "core/tensor/tensor.h"

namespace loopglass::onnx {

// Loop nests and index expressions recurse over these.
inline constexpr std::size_t maximum_rank = 32;
inline constexpr int maximum_node_inputs = 1000;
inline constexpr int maximum_function_depth = 32;
inline constexpr std::size_t maximum_nodes = 400'000;          // after functions are expanded
inline constexpr std::int64_t maximum_unrolled_nodes = 5'000;  // of one loop, written out
// Scalar operations spent on computing one constant at import.
inline constexpr std::int64_t maximum_constant_work = std::int64_t{1} << 26;
// Arithmetic operations spent on what decides one shape and hangs on data: seconds, compiled.
inline constexpr std::int64_t maximum_data_work = std::int64_t{1} << 40;

// Extents are counts, not too many, and their product (zeros left out, for strides multiply them
// all the same) fits one tensor. ModelCorrupt or ModelTooLarge.
Result<void> check_type(const TensorType& type);

// Half of this machine's memory: what a model's constants may take together.
std::int64_t default_constant_budget();

}  // namespace loopglass::onnx
