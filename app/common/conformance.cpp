#include "app/common/conformance.h"

#include "app/common/model_options.h"
#include "app/common/tensor_file.h"
#include "core/loop/interpret_graph.h"
#include "core/loop/interpreter.h"
#include "core/ops/opaque.h"
#include "core/support/counted.h"
#include "core/support/fault.h"
#include "core/support/file_refusal.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace loopglass::app {

namespace fs = std::filesystem;

namespace {

// The share of the tolerance that the worst element takes.
Result<double> compare(const Tensor& actual, const Tensor& expected) {
  if (actual.type() != expected.type())
    return fail(Code::ResultMismatch, fmt::format("{} instead of {}", to_string(actual.type()),
                                                  to_string(expected.type())));
  const bool exact = !is_float(expected.data_type());
  std::int64_t wrong = 0, first = 0;
  double worst = 0;
  double farthest = 0, reach = 0;  // of differences, and of what is expected
  for (std::int64_t i = 0; i < expected.elements(); ++i) {
    bool equal;
    if (exact) {
      equal = actual.integer_at(i) == expected.integer_at(i);
    } else {
      const double a = actual.double_at(i), b = expected.double_at(i);
      const double allowed = absolute_tolerance + relative_tolerance * std::abs(b);
      const bool same = a == b || (std::isnan(a) && std::isnan(b));
      // Of an infinity everything is as far away as the tolerance that follows from it.
      equal = same || (std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= allowed);
      if (equal && !same) worst = std::max(worst, std::abs(a - b) / allowed);
      if (!equal) farthest = std::max(farthest, std::abs(a - b));
      if (std::isfinite(b)) reach = std::max(reach, std::abs(b));
    }
    if (!equal && wrong++ == 0) first = i;
  }
  if (wrong == 0) return worst;
  std::string words =
      fmt::format("{} of {} elements differ; at {}: {} instead of {}", wrong, expected.elements(),
                  first, actual.double_at(first), expected.double_at(first));
  // Where a long sum cancels out, its last digits are many of the result's.
  if (!exact && std::isfinite(farthest))
    words += fmt::format("; by {:.2g} at the most, where values reach {:.3g}", farthest, reach);
  return fail(Code::ResultMismatch, std::move(words));
}

std::unexpected<Diagnostic> unreadable(const fs::path& path, const std::error_code& error) {
  if (is_out_of_files(error.value()))
    return refuse_file({Code::TestDataUnreadable, "it"}, "read", error.value(), path);
  return fail(Code::TestDataUnreadable, fmt::format("it cannot be read: {}", error.message()),
              path.string());
}

// Whether there is such a file; what forbids to look is an error, not a "no".
Result<bool> is_there(const fs::path& path) {
  std::error_code error;
  const bool found = fs::exists(path, error);
  if (error) return unreadable(path, error);
  return found;
}

// What lies in a folder, by name.
Result<std::vector<fs::path>> entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    paths.push_back(entry->path());
  if (error) return unreadable(folder, error);
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<std::optional<fs::path>> first_there(const std::vector<fs::path>& files) {
  for (const fs::path& file : files)
    if (TRY(is_there(file))) return file;
  return std::nullopt;
}

// A data set may have both forms.
Result<std::vector<fs::path>> numbered(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> files;
  for (std::size_t i = 0;; ++i) {
    const std::string name = fmt::format("{}_{}", prefix, i);
    const auto found = TRY(first_there({folder / (name + ".pb"), folder / (name + ".npy")}));
    if (!found) return files;
    files.push_back(*found);
  }
}

Result<Tensor> read_test_tensor(const fs::path& file) {
  auto tensor = read_tensor_file(file);
  if (!tensor && !is_unsupported(tensor.error().code) &&
      tensor.error().code != Code::OpenFilesExhausted)
    tensor.error().code = Code::TestDataUnreadable;
  return tensor;
}

Result<void> run_data_set(const fs::path& folder, const fs::path& data_set, const RunModel& run,
                          CaseResult& result) {
  const fs::path file = folder / "model.onnx";
  onnx::ImportOptions options;
  const SessionOptions usual = session_options();
  options.evaluate = usual.import.evaluate;
  options.evaluate_data = usual.import.evaluate_data;
  const std::vector<onnx::Signature> signature = TRY(onnx::read_inputs(file));
  for (const onnx::Signature& input : signature)
    if (!input.opaque.empty())
      return fail(Code::ValueKindUnsupported,
                  fmt::format("input '{}' is {}", input.name, input.opaque));
  options.bound_inputs = TRY(read_test_inputs(data_set, signature));
  for (const auto& [name, tensor] : options.bound_inputs) options.shapes[name] = tensor.shape();
  onnx::Model model = TRY(onnx::import(file, options));
  for (const auto& [name, value] : model.inputs_bound) result.inputs_bound.push_back(name);
  const graph::Graph graph = model.graph;
  for (const graph::NodePtr& node : graph.nodes())
    if (is_opaque(*node)) {
      Diagnostic reason = ops::opaque_reason(node->attributes);
      reason.where = fmt::format("node '{}' ({})", node->name, operator_name(*node));
      return std::unexpected(std::move(reason));
    }
  std::vector<Tensor> inputs;
  for (const graph::ValueId id : graph.inputs()) {
    const auto given = options.bound_inputs.find(graph.value(id).name);
    if (given == options.bound_inputs.end())
      return fail(Code::TestDataUnreadable,
                  fmt::format("the test data has no value for input '{}'", graph.value(id).name));
    inputs.push_back(given->second);
  }
  const std::vector<Tensor> outputs = TRY(run(std::move(model), inputs));
  TRY(compare_outputs(outputs, TRY(read_test_outputs(data_set)), graph));
  return {};
}

}  // namespace

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Passed: return "passed";
    case Outcome::Failed: return "failed";
    case Outcome::Unsupported: return "unsupported";
  }
  __builtin_unreachable();
}

Result<std::vector<Tensor>> interpret_model(onnx::Model model, std::span<const Tensor> inputs) {
  return loop::interpret(model.graph, inputs);
}

Result<std::vector<fs::path>> find_cases(const fs::path& folder) {
  if (TRY(is_there(folder / "model.onnx"))) return std::vector{folder};
  std::vector<fs::path> cases;
  for (const fs::path& entry : TRY(entries(folder))) {
    std::error_code error;
    if (fs::is_directory(entry, error) && TRY(is_there(entry / "model.onnx")))
      cases.push_back(entry);
  }
  if (cases.empty())
    return fail(Code::TestDataUnreadable,
                "there is no model.onnx in the folder or in its subfolders", folder.string());
  return cases;
}

Result<std::map<std::string, Tensor>> read_test_inputs(const fs::path& folder,
                                                       const std::vector<onnx::Signature>& inputs) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return fail(Code::TestDataUnreadable, error ? error.message() : "this is not a folder",
                folder.string(),
                "a data set is a folder with input_0.pb, ... and output_0.pb, ..., or .npy");
  std::map<std::string, Tensor> tensors;
  const std::vector<fs::path> files = TRY(numbered(folder, "input"));
  if (files.size() > inputs.size())
    return fail(Code::TestDataUnreadable,
                fmt::format("{} inputs for a model that takes {}", files.size(), inputs.size()),
                folder.string());
  for (std::size_t i = 0; i < files.size(); ++i)
    tensors[inputs[i].name] = TRY(read_test_tensor(files[i]));
  return tensors;
}

Result<std::vector<Tensor>> read_test_outputs(const fs::path& folder) {
  std::vector<Tensor> tensors;
  for (const fs::path& file : TRY(numbered(folder, "output")))
    tensors.push_back(TRY(read_test_tensor(file)));
  if (tensors.empty())
    return fail(Code::TestDataUnreadable,
                "there is no output_0.pb and no output_0.npy in the folder", folder.string());
  return tensors;
}

Result<double> compare_outputs(std::span<const Tensor> actual, std::span<const Tensor> expected,
                               const graph::Graph& graph) {
  if (actual.size() != expected.size())
    return fail(Code::ResultMismatch,
                fmt::format("{} instead of {}", counted(actual.size(), "output"), expected.size()));
  double worst = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    auto same = compare(actual[i], expected[i]);
    if (same) {
      worst = std::max(worst, *same);
      continue;
    }
    same.error().what =
        fmt::format("output '{}': {}", graph.value(graph.outputs()[i]).name, same.error().what);
    return same;
  }
  return worst;
}

std::string case_name(const fs::path& folder) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  return (error ? folder : real).filename().string();
}

CaseResult run_case(const fs::path& folder, const RunModel& run) {
  CaseResult result{case_name(folder), Outcome::Passed, {}, {}};
  const auto run_all = [&]() -> Result<void> {
    std::vector<fs::path> data_sets = TRY(entries(folder));
    std::erase_if(data_sets, [](const fs::path& entry) {
      return !entry.filename().string().starts_with("test_data_set_");
    });
    if (data_sets.empty()) return fail(Code::TestDataUnreadable, "the folder has no test_data_set");
    for (const fs::path& data_set : data_sets)
      TRY_VOID(run_data_set(folder, data_set, run, result));
    return {};
  };
  const auto guarded = [&]() -> Result<void> {
    try {
      return run_all();
    } catch (...) {
      return std::unexpected(diagnose_current_exception());
    }
  };
  if (const auto done = guarded(); !done) {
    if (done.error().code == Code::OpenFilesExhausted) result.refusal = done.error();
    result.outcome = is_unsupported(done.error().code) ? Outcome::Unsupported : Outcome::Failed;
    result.message = fmt::format("{}: {}", code_name(done.error().code), done.error().what);
    if (!done.error().where.empty()) result.message += fmt::format(" ({})", done.error().where);
  }
  return result;
}

}  // namespace loopglass::app
