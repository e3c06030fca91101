#include "app/common/conformance.h"

#include "core/loop/interpret_graph.h"
#include "core/loop/interpreter.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>

namespace loopglass::app {

namespace fs = std::filesystem;

namespace {

// Codes that say "not supported", as opposed to "wrong".
bool is_refusal(Code code) {
  switch (code) {
    case Code::OpsetUnsupported:
    case Code::ValueKindUnsupported:
    case Code::OperatorUnsupported:
    case Code::AttributeUnsupported:
    case Code::TypeUnsupported:
    case Code::InputNotConstant:
    case Code::DynamicShapeUnsupported:
    case Code::CodegenUnsupported:
      return true;
    default:
      return false;
  }
}

Result<void> compare(const Tensor& actual, const Tensor& expected) {
  if (actual.type() != expected.type())
    return fail(Code::ResultMismatch, fmt::format("{} instead of {}", to_string(actual.type()),
                                                  to_string(expected.type())));
  const bool exact = !is_float(expected.data_type());
  std::int64_t wrong = 0, first = 0;
  for (std::int64_t i = 0; i < expected.elements(); ++i) {
    bool equal;
    if (exact) {
      equal = actual.integer_at(i) == expected.integer_at(i);
    } else {
      const double a = actual.double_at(i), b = expected.double_at(i);
      equal = a == b || (std::isnan(a) && std::isnan(b)) ||
              std::abs(a - b) <= 1e-7 + 1e-3 * std::abs(b);
    }
    if (!equal && wrong++ == 0) first = i;
  }
  if (wrong == 0) return {};
  return fail(
      Code::ResultMismatch,
      fmt::format("{} of {} elements differ; at {}: {} instead of {}", wrong, expected.elements(),
                  first, actual.double_at(first), expected.double_at(first)));
}

std::vector<fs::path> numbered(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> files;
  for (std::size_t i = 0;; ++i) {
    const fs::path file = folder / fmt::format("{}_{}.pb", prefix, i);
    if (!fs::exists(file)) return files;
    files.push_back(file);
  }
}

Result<Tensor> read_test_tensor(const fs::path& file) {
  auto tensor = onnx::read_tensor(file);
  if (!tensor && !is_refusal(tensor.error().code)) tensor.error().code = Code::TestDataUnreadable;
  return tensor;
}

Result<void> run_data_set(const fs::path& folder, const fs::path& data_set, const RunModel& run,
                          CaseResult& result) {
  const fs::path file = folder / "model.onnx";
  onnx::ImportOptions options;
  options.evaluate = loop::evaluate;
  options.bound_inputs = TRY(read_test_inputs(data_set, TRY(onnx::read_inputs(file))));
  for (const auto& [name, tensor] : options.bound_inputs) options.shapes[name] = tensor.shape();
  onnx::Model model = TRY(onnx::import(file, options));
  result.inputs_bound = model.inputs_bound;
  const graph::Graph graph = model.graph;
  std::vector<Tensor> inputs;
  for (const graph::ValueId id : graph.inputs()) {
    const auto given = options.bound_inputs.find(graph.value(id).name);
    if (given == options.bound_inputs.end())
      return fail(Code::TestDataUnreadable,
                  fmt::format("the test data has no value for input '{}'", graph.value(id).name));
    inputs.push_back(given->second);
  }
  const std::vector<Tensor> outputs = TRY(run(std::move(model), inputs));
  return compare_outputs(outputs, TRY(read_test_outputs(data_set)), graph);
}

}  // namespace

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Passed:
      return "passed";
    case Outcome::Failed:
      return "failed";
    case Outcome::Unsupported:
      return "unsupported";
  }
  __builtin_unreachable();
}

Result<std::vector<Tensor>> interpret_model(onnx::Model model, std::span<const Tensor> inputs) {
  return loop::interpret(model.graph, inputs);
}

Result<std::vector<fs::path>> find_cases(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "model.onnx")) return std::vector{folder};
  std::vector<fs::path> cases;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (fs::exists(entry.path() / "model.onnx")) cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());
  if (cases.empty())
    return fail(Code::TestDataUnreadable,
                "there is no model.onnx in the folder or in its subfolders", folder.string());
  return cases;
}

Result<std::map<std::string, Tensor>> read_test_inputs(const fs::path& folder,
                                                       const std::vector<onnx::Signature>& inputs) {
  std::map<std::string, Tensor> tensors;
  const std::vector<fs::path> files = numbered(folder, "input");
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
  for (const fs::path& file : numbered(folder, "output"))
    tensors.push_back(TRY(read_test_tensor(file)));
  return tensors;
}

Result<void> compare_outputs(std::span<const Tensor> actual, std::span<const Tensor> expected,
                             const graph::Graph& graph) {
  if (actual.size() != expected.size())
    return fail(Code::ResultMismatch,
                fmt::format("{} outputs instead of {}", actual.size(), expected.size()));
  for (std::size_t i = 0; i < actual.size(); ++i) {
    auto same = compare(actual[i], expected[i]);
    if (same) continue;
    same.error().what =
        fmt::format("output '{}': {}", graph.value(graph.outputs()[i]).name, same.error().what);
    return same;
  }
  return {};
}

CaseResult run_case(const fs::path& folder, const RunModel& run) {
  CaseResult result{fs::canonical(folder).filename().string(), Outcome::Passed, {}, {}};
  std::set<fs::path> data_sets;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("test_data_set_"))
      data_sets.insert(entry.path());
  if (data_sets.empty())
    return {result.name, Outcome::Failed, "the folder has no test_data_set", {}};
  try {
    for (const fs::path& data_set : data_sets) {
      const auto done = run_data_set(folder, data_set, run, result);
      if (done) continue;
      result.outcome = is_refusal(done.error().code) ? Outcome::Unsupported : Outcome::Failed;
      result.message = fmt::format("{}: {}", code_name(done.error().code), done.error().what);
      if (!done.error().where.empty()) result.message += fmt::format(" ({})", done.error().where);
      break;
    }
  } catch (const std::exception& defect) {
    result.outcome = Outcome::Failed;
    result.message = fmt::format("defect: {}", defect.what());
  }
  return result;
}

}  // namespace loopglass::app
