// ONNX backend-test folders: a model.onnx with test_data_set_* folders of inputs and expected
// outputs. Each is imported, run and compared as ONNX's own backend runner does.
#pragma once

#include "core/onnx/import.h"

#include <filesystem>

namespace loopglass::app {

enum class Outcome : std::uint8_t { Passed, Failed, Unsupported };
std::string_view name(Outcome outcome);

struct CaseResult {
  std::string name;  // the folder's
  Outcome outcome = Outcome::Passed;
  std::string message;                    // why not passed
  std::vector<std::string> inputs_bound;  // graph inputs that became constants
  // What the process may not do, which says nothing of the case: it has not been tried.
  std::optional<Diagnostic> refusal = {};
};

// Runs an imported model on the inputs of its graph; injected, so that the interpreter and the
// compiler answer the same cases.
using RunModel =
    std::function<Result<std::vector<Tensor>>(onnx::Model, std::span<const Tensor> inputs)>;

// Through the reference interpreter, operator by operator.
Result<std::vector<Tensor>> interpret_model(onnx::Model model, std::span<const Tensor> inputs);

// The folder itself when it is a case, else its subfolders that are, by name. TestDataUnreadable
// when there are none.
Result<std::vector<std::filesystem::path>> find_cases(const std::filesystem::path& folder);

// The folder's own name, whatever it was called by.
std::string case_name(const std::filesystem::path& folder);

// Never throws: a defect of ours counts as a failed case.
CaseResult run_case(const std::filesystem::path& folder, const RunModel& run);

// Tensors of a test_data_set folder: inputs by name (files are numbered as the model lists them)
// and expected outputs in order, at least one. TestDataUnreadable.
Result<std::map<std::string, Tensor>> read_test_inputs(const std::filesystem::path& folder,
                                                       const std::vector<onnx::Signature>& inputs);
Result<std::vector<Tensor>> read_test_outputs(const std::filesystem::path& folder);

// ONNX's tolerance: integers and bools are the same, numbers of floating point differ by no more
// than absolute_tolerance + relative_tolerance |expected|. ResultMismatch; else how much of that
// the worst element takes, in [0, 1].
constexpr double absolute_tolerance = 1e-7, relative_tolerance = 1e-3;
Result<double> compare_outputs(std::span<const Tensor> actual, std::span<const Tensor> expected,
                               const graph::Graph& graph);

}  // namespace loopglass::app
